import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signWebhook } from '../../../sdk/typescript/src/index.ts';
import { packPackages } from '../../../tools/build/packages.ts';
import { freePort } from '../../support/net/free-port.ts';
import { openTestAlert } from '../../support/records/alerts.ts';
import { startTestApi } from '../../support/world/api.ts';

const root = process.cwd();
const execute = promisify(execFile);
let folder: string;
let api: Awaited<ReturnType<typeof startTestApi>>;
let server: Server;
let env: Record<string, string>;
let startedAt: number;

/** Installs the archives as a user does, in an empty folder and without the registry. */
beforeAll(async () => {
  startedAt = performance.now();
  folder = mkdtempSync(join(tmpdir(), 'packages-'));
  const archives = await packPackages(root, join(folder, 'archives'));
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...archives], {
    cwd: folder,
  });
  api = await startTestApi();
  server = createServer(getRequestListener((request) => api.fetch(request)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'home'),
    WATCHPOST_URL: url,
    WATCHPOST_TOKEN: await api.issuer.token(),
  };
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await api.stop();
  rmSync(folder, { recursive: true });
});

const readme = readFileSync('sdk/typescript/README.md', 'utf8');
const [firstCall = '', change = '', follow = '', fetchEvents = '', receive = ''] = [
  ...readme.matchAll(/```ts\n([\s\S]+?)```/g),
].map(([, code]) => code);

function written(name: string, code: string): string {
  writeFileSync(join(folder, name), code);
  return name;
}
const soon = { timeout: 30_000, interval: 100 };
const node = (name: string) => execute('node', [name], { cwd: folder, env });

test('the packages have the version of the product, and no unneeded files or dependencies', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const name of ['client', 'cli']) {
    const path = join(folder, 'node_modules/@watchpost', name);
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    expect([name, manifest.version, manifest.dependencies]).toEqual([name, version, undefined]);
    expect(readFileSync(join(path, 'README.md'), 'utf8')).toContain(`watchpost-${name}-${version}.tgz`);
    expect(readFileSync(join(path, 'dist/LICENSE'), 'utf8')).toContain('Apache License');
  }
  const { stdout } = await execute('npm', ['ls', '--all', '--parseable'], { cwd: folder });
  expect(stdout.trim().split('\n')).toHaveLength(3);
});

test('the snippets of the client compile under strict rules, as the libraries of others are checked', async () => {
  const names = [firstCall, change, follow, fetchEvents, receive].map((code, at) => written(`snippet-${at}.ts`, code));
  const flags = [
    '--strict',
    '--noEmit',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
    'false',
  ];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types'), '--lib', 'es2024'];
  const modules = ['--module', 'nodenext', '--target', 'es2024', '--ignoreConfig'];
  const { stdout } = await execute('tsc', [...flags, ...types, ...modules, ...names], { cwd: folder }).catch(
    (error) => error,
  );
  expect(stdout).toBe('');
});

test('the snippets of the client work as described', async () => {
  await openTestAlert(api.world, { deviceId: 'cam-first' });
  expect((await node(written('first.ts', firstCall))).stdout).toContain('CRITICAL CONN_001 cam-first');
  console.log(
    `from the build and npm pack to a first call in a new folder: ${Math.round(performance.now() - startedAt)} ms`,
  );
  expect(await node(written('change.ts', change))).toMatchObject({ stderr: '' });
  expect((await api.call('GET', '/v1/settings')).body.timeZone).toBe('Europe/Stockholm');
  const following = node(written('follow.ts', follow));
  let isOver = false;
  void following.finally(() => {
    isOver = true;
  });
  await vi.waitFor(async () => {
    if (!isOver) await openTestAlert(api.world, { deviceId: 'cam-followed' });
    expect(isOver).toBe(true);
  }, soon);
  expect((await following).stdout).toContain('CONN_001 cam-followed');
  const fetched = (await node(written('events.ts', fetchEvents))).stdout;
  expect(fetched).toMatch(/^[0-9a-f-]{36} alert alert\n(.+\n)*done up to \S+\n$/);
});

test('the receiver of the README accepts only genuine requests', async () => {
  const port = await freePort();
  const receiver = execFile('node', [written('receive.ts', receive)], {
    cwd: folder,
    env: { ...env, PORT: String(port), WEBHOOK_SECRET: 's3cret' },
  });
  const body = '{"eventType":"alert"}';
  const post = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers })).status;
  try {
    const headers = await signWebhook({ deliveryId: 'd-1', event: 'alert' }, body, 's3cret');
    await vi.waitFor(async () => expect(await post(headers)).toBe(200), soon);
    expect(await post({ ...headers, 'X-Service-Signature': 'sha256=0', 'webhook-signature': 'v1,0' })).toBe(400);
  } finally {
    receiver.kill();
  }
});

test('the commands of the readme run, and print data', async () => {
  const page = readFileSync('cli/README.md', 'utf8');
  const lines = [...page.matchAll(/^watchpost (?!login).+$/gm)].map(([line]) => line);
  expect(lines.length).toBeGreaterThan(7);
  const path = `${join(folder, 'node_modules/.bin')}:${env['PATH']}`;
  for (const line of lines) {
    const { stdout, stderr } = await execute('sh', ['-c', line], { cwd: folder, env: { ...env, PATH: path } });
    expect([line, stderr.replace(/^There are more than .*\n$/, '')]).toEqual([line, '']);
    if (!line.includes('>')) expect(stdout, line).not.toBe('');
  }
});
