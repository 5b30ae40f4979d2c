import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingForEmulators, startEmulator } from '../../local/emulators.ts';
import { Alert } from '../../shared/schema/alert.ts';
import { functionNames } from '../../tools/build/bundle.ts';
import { guardianFile, guardianFlags } from '../../tools/build/guardian.ts';
import { freePort } from '../support/free-port.ts';
import { startTestIssuer } from '../support/issuer.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchpost-build-'));
/** A build takes two seconds where nothing else runs. */
const patienceMs = 300_000;
const running: ChildProcess[] = [];
const names = functionNames('.');

beforeAll(() => {
  build('first', 'Pacific/Kiritimati');
}, patienceMs);
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('there is a zip for each of the five functions', () => {
  expect(names).toEqual(['api', 'deadline', 'deliver', 'ingest', 'probes']);
  for (const name of names) expect(readdirSync(join(folder, 'first'))).toContain(`${name}.zip`);
});

test('a second build in another time zone makes the same bytes', { timeout: patienceMs }, () => {
  build('second', 'America/St_Johns');
  expect(digests('second')).toEqual(digests('first'));
  const [first, second] = ['first', 'second'].map((out) => readFileSync(join(folder, out, guardianFile)));
  expect(second).toEqual(first);
});

test('the guardian is one file that starts without a package beside it', () => {
  const path = join(folder, 'first', guardianFile);
  const help = execFileSync(process.execPath, [...guardianFlags, path, '--help'], { cwd: folder, encoding: 'utf8' });
  expect(help).toContain('--config FILE');
});

test('the manifest tells the digest of each zip', () => {
  const { functions } = JSON.parse(readFileSync(join(folder, 'first/manifest.json'), 'utf8'));
  for (const name of names) expect(functions[name].sha256).toBe(digests('first')[`${name}.zip`]);
});

test.each(names)(
  '%s holds at most three files of code, and a lockfile that pins each of its dependencies exactly',
  (name) => {
    const files = contentOf(name);
    const [lazy, rest] = [
      ['lib/firestore.cjs', 'lib/undici.cjs'],
      ['lib/index.cjs', 'package-lock.json', 'package.json'],
    ];
    expect(Object.keys(files).filter((file) => !lazy.includes(file))).toEqual(rest);
    const manifest = JSON.parse(text(files['package.json']));
    const { packages } = JSON.parse(text(files['package-lock.json']));
    expect(packages['']).toEqual(manifest);
    for (const [dependency, version] of Object.entries(manifest.dependencies)) {
      expect(packages[`node_modules/${dependency}`].version).toBe(version);
    }
    for (const [path, locked] of Object.entries<{ integrity?: string }>(packages)) {
      if (path !== '') expect(locked, path).toHaveProperty('integrity');
    }
  },
);

test('the bundle of probes answers /health with the version of the service', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const response = await (await start('probes'))('/health');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ status: 'healthy', version });
});

test('the bundle of api serves its own description', async () => {
  const response = await (await start('api'))('/v1/openapi.json');
  expect(response.status).toBe(200);
  expect(await response.json()).toHaveProperty(['paths', '/v1/alerts']);
});

test.each(['ingest', 'deadline', 'deliver'])('the bundle of %s refuses a call without a token', async (name) => {
  const response = await (await start(name))('/', { method: 'POST' });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
});

test.skipIf(missingForEmulators())(
  'the bundles of ingest and api reach the database',
  { timeout: patienceMs },
  async () => {
    const issuer = await startTestIssuer();
    const emulator = await startEmulator('firestore', { port: await freePort() });
    const database = {
      STORE: 'firestore',
      FIRESTORE_EMULATOR_HOST: emulator.host,
      // Nothing is woken here: the sweep would find what is due.
      TASKS_ENDPOINT: '127.0.0.1:1',
      CALLER_ISSUER: issuer.url,
      CALLER_KEYS_URL: `${issuer.url}/jwks`,
      CALLER_AUDIENCE: 'ingest',
      CALLERS: 'push@watchpost.test',
      AUTH_ISSUER: issuer.url,
    };
    const [ingest, api] = await Promise.all([start('ingest', database), start('api', database)]);
    const caller = await issuer.token({ aud: 'ingest', email: 'push@watchpost.test', email_verified: true });
    const data = Buffer.from(JSON.stringify({ memory: { usedPercent: 93 } })).toString('base64');
    const attributes = { deviceId: 'cam-1', kind: 'status' };
    const pushed = await ingest('/', {
      method: 'POST',
      headers: { Authorization: `Bearer ${caller}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: { data, attributes, messageId: '1', publishTime: new Date().toISOString() } }),
    });
    expect(pushed.status).toBe(204);
    const listed = await api('/v1/alerts', { headers: { Authorization: `Bearer ${await issuer.token()}` } });
    const { alerts } = (await listed.json()) as { alerts: object[] };
    expect(alerts).toMatchObject([{ deviceId: 'cam-1', code: 'RES_001' }]);
    // What the schemas name is known in the bundles, although the schemas themselves are not there.
    expect(Object.keys(alerts[0] ?? {}).toSorted()).toEqual(Object.keys(Alert.properties).toSorted());
    await emulator.stop();
    await issuer.stop();
  },
);

test('the bundle of api sends a webhook with the client that it loads for it', async () => {
  const issuer = await startTestIssuer();
  const closed = await freePort();
  const api = await start('api', { AUTH_ISSUER: issuer.url, WEBHOOK_ALLOW_HOSTS: `localhost:${closed}` });
  const headers = { Authorization: `Bearer ${await issuer.token()}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ url: `https://localhost:${closed}/` });
  const created = await api('/v1/webhooks', { method: 'POST', headers, body });
  expect(created.status).toBe(201);
  const tested = await api(`${created.headers.get('Location')}/test`, { method: 'POST', headers, body: '{}' });
  expect(await tested.json()).toMatchObject({ attempts: [{ errorClass: 'connection_refused' }] });
  await issuer.stop();
});

function build(out: string, TZ: string): void {
  const args = ['tools/build.ts', '--no-console', '--out', join(folder, out)];
  execFileSync(process.execPath, args, { env: { ...process.env, TZ }, stdio: 'pipe' });
}

function digests(out: string): Record<string, string> {
  const zips = readdirSync(join(folder, out)).filter((file) => file.endsWith('.zip'));
  return Object.fromEntries(
    zips.map((file) => [
      file,
      createHash('sha256')
        .update(readFileSync(join(folder, out, file)))
        .digest('hex'),
    ]),
  );
}

function contentOf(name: string): Record<string, Uint8Array> {
  return unzipSync(new Uint8Array(readFileSync(join(folder, `first/${name}.zip`))));
}

function text(bytes: Uint8Array | undefined): string {
  return strFromU8(bytes ?? new Uint8Array());
}

/** Runs the content of a zip under the framework's own command, as the cloud does, and gives a way to call it. */
async function start(
  name: string,
  given: NodeJS.ProcessEnv = {},
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const source = join(folder, 'run', name);
  for (const [path, bytes] of Object.entries(contentOf(name))) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    writeFileSync(join(source, path), bytes);
  }
  rmSync(join(source, 'node_modules'), { force: true });
  symlinkSync(resolve('node_modules'), join(source, 'node_modules'));
  const port = await freePort();
  const command = resolve('node_modules/@google-cloud/functions-framework/build/src/main.js');
  const args = ['--import', onLoopback, command, `--target=${name}`, `--source=${source}`, `--port=${port}`];
  const child = spawn(process.execPath, args, {
    env: { ...settings(port), ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  await new Promise<void>((ready, fail) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk;
      if (/Serving function|URL: http/.test(output)) ready();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => fail(new Error(`${name} ended with ${code}: ${output}`)));
  });
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
}

/** The framework's command listens on every interface and has no option for less. */
const onLoopback = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (port, ...rest) {
    return listen.call(this, port, '127.0.0.1', ...rest.filter((argument) => typeof argument === 'function'));
  };
`)}`;

function settings(port: number): NodeJS.ProcessEnv {
  const own = `http://127.0.0.1:${port}`;
  const key = Buffer.alloc(32).toString('base64');
  return {
    PATH: process.env['PATH'],
    ENVIRONMENT: 'local',
    STORE: 'memory',
    METADATA_SERVER_DETECTION: 'none',
    GOOGLE_CLOUD_PROJECT: 'watchpost-build',
    DEADLINE_URL: own,
    DELIVER_URL: own,
    TASKS_ACCOUNT: 'tasks@watchpost-build.iam.gserviceaccount.com',
    CALLER_ISSUER: own,
    CALLER_KEYS_URL: `${own}/keys`,
    CALLER_AUDIENCE: own,
    AUTH_ISSUER: own,
    PAGE_TOKEN_KEY: key,
    DATA_KEYS: `first:${key}`,
    CONSOLE_URL: own,
    MQTT_URL: 'mqtt://127.0.0.1:1',
    FRAMES_BUCKET: 'frames',
    EGRESS_RANGES: '[]',
  };
}
