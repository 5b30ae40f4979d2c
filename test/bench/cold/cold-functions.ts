import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { unzipSync } from 'fflate';
import { compileCacheFolder } from '../../../tools/build/compile-cache.ts';
import type { ColdStart } from './cold-process.ts';

const names = ['api', 'probes', 'ingest', 'deadline'] as const;
/** Preloaded code: the framework's command listens on every interface, and has no option to listen on loopback only. */
const onLoopback = `
const { Server } = require('node:net');
const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, port, '127.0.0.1', ...rest.filter((argument) => typeof argument === 'function'));
};
`;
const empty = `
require('@google-cloud/functions-framework').http('empty', (_, response) => response.send('{}'));
`;

/** Functions to be started cold, in a folder of their own. */
export type ColdFunctions = {
  /** A function of the framework that does nothing. */
  empty: ColdStart;
  /** A built function as the cloud runs it, with the compile cache that the platform's build makes. */
  of(name: (typeof names)[number], asked: Pick<ColdStart, 'request' | 'status'>): ColdStart;
  /** Whether each function has its own packages, installed by its lockfile as on the platform. Otherwise it uses those of the repository. */
  areInstalled: boolean;
  remove(): void;
};

/**
 * Builds the functions of a tree and unpacks their zips. Then it does what the platform's build does: it installs the packages (if `shallInstall`,
 * and a registry is reachable) and runs the script `gcp-build`.
 */
export function buildColdFunctions(
  root: string,
  environment: Record<string, string>,
  shallInstall: boolean,
): ColdFunctions {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-cold-'));
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('loopback.cjs', onLoopback);
  write('empty/index.cjs', empty);
  write('empty/package.json', '{ "main": "index.cjs" }');
  execFileSync(process.execPath, ['tools/build.ts', '--no-console', '--out', join(folder, 'dist')], {
    cwd: root,
    stdio: 'pipe',
  });
  let areInstalled = shallInstall;
  for (const name of names) {
    const files = unzipSync(new Uint8Array(readFileSync(join(folder, `dist/${name}.zip`))));
    for (const [path, bytes] of Object.entries(files)) write(`${name}/${path}`, bytes);
    areInstalled &&= npm(join(folder, name), 'ci', '--quiet', '--no-fund', '--no-audit');
  }
  for (const name of [...names, 'empty']) {
    if (areInstalled && name !== 'empty') continue;
    rmSync(join(folder, name, 'node_modules'), { recursive: true, force: true });
    symlinkSync(resolve('node_modules'), join(folder, name, 'node_modules'));
  }
  for (const name of names) {
    const isCompiled =
      npm(join(folder, name), 'run', 'gcp-build') && existsSync(join(folder, name, compileCacheFolder));
    if (!isCompiled) throw new Error(`the script gcp-build of ${name} left nothing compiled`);
  }
  const args = (name: string) => (port: number) => [
    ...['--require', join(folder, 'loopback.cjs'), join(folder, name, 'node_modules/.bin/functions-framework')],
    ...[`--target=${name}`, `--source=${join(folder, name)}`, `--port=${port}`],
  ];
  const plain = { PATH: process.env['PATH'], METADATA_SERVER_DETECTION: 'none' };
  return {
    empty: { args: args('empty'), env: plain, request: { method: 'GET', path: '/' }, status: 200 },
    of: (name, asked) => ({
      args: args(name),
      env: { ...plain, ...environment, NODE_COMPILE_CACHE: join(folder, name, compileCacheFolder) },
      ...asked,
    }),
    areInstalled,
    remove: () => {
      // The compile cache is read-only, also its folders.
      spawnSync('chmod', ['-R', 'u+w', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function npm(cwd: string, ...args: string[]): boolean {
  return spawnSync('npm', args, { cwd, stdio: 'ignore' }).status === 0;
}
