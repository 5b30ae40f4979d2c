import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functionNames } from '../../tools/build/bundle.ts';
import { compileCacheFolder } from '../../tools/build/compile-cache.ts';
import { buildInto, type Started, startUnpacked, unpack } from '../support/stack/built-function.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'watchpost-compiled-')));
/** A build takes two seconds on an idle machine. */
const patienceMs = 300_000;
const running: Started[] = [];

beforeAll(() => buildInto(join(folder, 'dist')), patienceMs);
afterAll(() => {
  for (const { stop } of running) stop();
  // The compile cache is read-only, also its folders.
  spawnSync('chmod', ['-R', 'u+w', folder]);
  rmSync(folder, { recursive: true, force: true });
});

test.each(functionNames('.'))('%s compiles nothing at its start, because the build has compiled it', async (name) => {
  const source = unpacked(name);
  expect(build(source)).toBe('');
  const { call, output } = await start(name, source);
  await call('/');
  // Polls, because stderr may arrive after the answer to the request.
  await expect
    .poll(() => filesOf(output(), 'accepted'), { timeout: 30_000 })
    .toEqual(
      expect.arrayContaining([
        join(source, 'lib/index.cjs'),
        expect.stringMatching(/functions-framework\/build\/src\/main\.js$/),
      ]),
    );
  expect(filesOf(output(), 'rejected|not initialized')).toEqual([]);
});

test('code that a request loads later is compiled by the build too', () => {
  const source = unpacked('deadline');
  build(source);
  const lazy = ['firestore', 'storage'].map((name) => join(source, `lib/${name}.cjs`));
  const load = `for (const each of [...${JSON.stringify(lazy)}, '@google-cloud/tasks']) require(each)`;
  const { stderr } = spawnSync(process.execPath, ['-e', load], {
    cwd: source,
    env: compiled(source),
    encoding: 'utf8',
  });
  expect(filesOf(stderr, 'accepted')).toEqual(expect.arrayContaining(lazy));
  expect(filesOf(stderr, 'rejected|not initialized')).toEqual([]);
});

test('the cache of other code is not used', async () => {
  const source = unpacked('probes');
  build(source);
  appendFileSync(join(source, 'lib/index.cjs'), '\n// another build\n');
  const { call, output } = await start('probes', source);
  expect((await call('/health')).status).toBe(200);
  await expect
    .poll(() => filesOf(output(), 'not initialized'), { timeout: 30_000 })
    .toContain(join(source, 'lib/index.cjs'));
  expect(filesOf(output(), 'accepted')).not.toContain(join(source, 'lib/index.cjs'));
});

test('a function starts without a cache too', async () => {
  const source = unpacked('probes');
  const { call } = await start('probes', source);
  expect((await call('/health')).status).toBe(200);
});

test('a build that cannot compile says so, and does not fail', () => {
  const source = unpacked('probes');
  rmSync(join(source, 'node_modules'));
  mkdirSync(join(source, 'node_modules'));
  expect(build(source)).toContain('take longer to start');
});

let count = 0;
function unpacked(name: string): string {
  count += 1;
  const source = join(folder, `${count}`, name);
  unpack(join(folder, `dist/${name}.zip`), source);
  return source;
}

/** Runs the script that the platform runs after it installed the packages. @returns the output of the script */
function build(source: string): string {
  const { scripts } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const { status, stdout } = spawnSync('sh', ['-c', scripts['gcp-build']], { cwd: source, encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout;
}

async function start(name: string, source: string): Promise<Started> {
  const started = await startUnpacked(name, source, compiled(source));
  running.push(started);
  return started;
}

function compiled(source: string): NodeJS.ProcessEnv {
  const cache = join(source, compileCacheFolder);
  return { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
}

/** The files for which Node logs this verdict on their compile cache, without a program from the command line (`-e`). */
function filesOf(output: string, verdict: string): string[] {
  const said = output.matchAll(new RegExp(`for CommonJS (\\S+) was (?:${verdict}),`, 'g'));
  return [...said].flatMap(([, file]) => (file && !file.startsWith('[') ? [file] : []));
}
