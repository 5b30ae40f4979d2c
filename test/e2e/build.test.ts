import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8 } from 'fflate';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { missingForEmulators, startEmulator } from '../../local/cloud/emulators.ts';
import { Alert } from '../../shared/schema/alert/alert.ts';
import { bridgeFile } from '../../tools/build/bridge.ts';
import { functionNames } from '../../tools/build/bundle.ts';
import { guardianFile, guardianFlags } from '../../tools/build/guardian.ts';
import { freePort } from '../support/net/free-port.ts';
import { buildInto, contentOf, type Started, startUnpacked, unpack } from '../support/stack/built-function.ts';
import { issuerSetting, startTestIssuer } from '../support/world/issuer.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchpost-build-'));
/** A build takes two seconds on an idle machine. */
const patienceMs = 300_000;
const running: Started[] = [];
const names = functionNames('.');
/** The files of code beside the entry of each function, and how large the entry may become. */
const codeOf: Record<string, { lazy: string[]; startKb: number }> = {
  api: { lazy: ['firestore', 'pdf-lib', 'storage'], startKb: 2000 },
  deadline: { lazy: ['firestore', 'pdf-lib', 'pubsub', 'storage'], startKb: 1850 },
  deliver: { lazy: ['firestore', 'undici'], startKb: 490 },
  ingest: { lazy: ['firestore', 'storage'], startKb: 1550 },
  probes: { lazy: [], startKb: 180 },
};

beforeAll(() => {
  buildInto(join(folder, 'first'), { TZ: 'Pacific/Kiritimati' });
}, patienceMs);
afterAll(() => {
  for (const { stop } of running) stop();
  rmSync(folder, { recursive: true, force: true });
});

test('there is a zip for each of the five functions', () => {
  expect(names).toEqual(['api', 'deadline', 'deliver', 'ingest', 'probes']);
  for (const name of names) expect(readdirSync(join(folder, 'first'))).toContain(`${name}.zip`);
});

test('the guardian is one file that starts without a package beside it', () => {
  const path = join(folder, 'first', guardianFile);
  const help = execFileSync(process.execPath, [...guardianFlags, path, '--help'], { cwd: folder, encoding: 'utf8' });
  expect(help).toContain('--config FILE');
});

test('the bridge is one file that starts without a package beside it, and names every wrong setting', () => {
  const path = join(folder, 'first', bridgeFile);
  const { status, stdout } = spawnSync(process.execPath, [path], { cwd: folder, encoding: 'utf8', env: {} });
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    message: 'bridge.failed',
    reason: 'Settings refused: MQTT_URL is required; GOOGLE_CLOUD_PROJECT is required.',
  });
});

test('the manifest contains the digest of each zip', () => {
  const { functions } = JSON.parse(readFileSync(join(folder, 'first/manifest.json'), 'utf8'));
  for (const name of names) expect(functions[name].sha256).toBe(digests('first')[`${name}.zip`]);
});

test.each(names)('%s has a bill of materials that names every package in it', (name) => {
  const bill = JSON.parse(readFileSync(join(folder, `first/${name}.cdx.json`), 'utf8'));
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { hashes: [{ alg: 'SHA-256', content: digests('first')[`${name}.zip`] }] } },
  });
  const listed = new Set(bill.components.map((each: { purl: string }) => each.purl));
  expect(listed.size).toBe(bill.components.length);
  for (const component of bill.components) {
    expect(component, component.name).toMatchObject({ hashes: [{ alg: 'SHA-512' }], licenses: [{}] });
  }
  const { packages } = JSON.parse(text(contentOf(join(folder, `first/${name}.zip`))['package-lock.json']));
  const purlOf = (place: string, version: string) =>
    `pkg:npm/${place.slice(place.lastIndexOf('node_modules/') + 13).replace('@', '%40')}@${version}`;
  for (const [place, { version }] of Object.entries<{ version: string }>(packages)) {
    if (place !== '') expect(listed).toContain(purlOf(place, version));
  }
  // Bundled packages are not in the lockfile of the zip.
  const isBundled = (given: string) => [...listed].some((purl) => String(purl).startsWith(`pkg:npm/${given}@`));
  expect([isBundled('mqtt-packet'), isBundled('hono'), isBundled('undici')]).toEqual(
    [['probes', 'deadline'], ['api'], ['deliver']].map((holders) => holders.includes(name)),
  );
});

test('the provenance statement names the zips and their commit', () => {
  const statement = JSON.parse(readFileSync(join(folder, 'first/provenance.intoto.json'), 'utf8'));
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
  });
  const digestOf = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, 'first', file)))
      .digest('hex');
  const files = [...names.map((name) => `${name}.zip`), guardianFile, bridgeFile];
  expect(statement.subject).toEqual(files.map((file) => ({ name: file, digest: { sha256: digestOf(file) } })));
  const { resolvedDependencies } = statement.predicate.buildDefinition;
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  expect(resolvedDependencies).toContainEqual({ name: 'package-lock.json', digest: { sha256: lock } });
  expect(resolvedDependencies).toContainEqual(expect.objectContaining({ name: 'source' }));
});

test.each(names)(
  '%s holds its entry, the files that it loads when they are needed, and a lockfile that pins each of its dependencies exactly',
  (name) => {
    const files = contentOf(join(folder, `first/${name}.zip`));
    const { lazy = [], startKb = 0 } = codeOf[name] ?? {};
    const code = ['index', ...lazy].map((each) => `lib/${each}.cjs`);
    expect(Object.keys(files).toSorted()).toEqual([...code, 'package-lock.json', 'package.json'].toSorted());
    // What a start reads and parses. Measured, with a tenth of room.
    expect((files['lib/index.cjs']?.length ?? 0) / 1024).toBeLessThan(startKb);
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

test.each(['api', 'ingest', 'deadline'])(
  'the bundle of %s has the client of Cloud Storage in a file that it neither reads nor needs until a frame is asked for',
  async (name) => {
    const files = contentOf(join(folder, `first/${name}.zip`));
    // Only the code that signs contains the name of the algorithm.
    expect(text(files['lib/storage.cjs'])).toContain('GOOG4-RSA-SHA256');
    expect(text(files['lib/index.cjs'])).not.toContain('GOOG4-RSA-SHA256');
    const without = await start(name, {}, ['lib/storage.cjs']);
    expect((await without('/v1/alerts', { method: name === 'api' ? 'GET' : 'POST' })).status).toBe(401);
  },
);

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
      // Nothing listens here. Lost wakes are no failure, because the sweep finds due records.
      TASKS_ENDPOINT: '127.0.0.1:1',
      CALLER_ISSUER: issuer.url,
      CALLER_KEYS_URL: `${issuer.url}/jwks`,
      CALLER_AUDIENCE: 'ingest',
      CALLERS: 'push@watchpost.test',
      AUTH_ISSUERS: issuerSetting({ issuer: issuer.url }),
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
    // The answer has every member of the schema, although the bundles do not contain the schemas.
    expect(Object.keys(alerts[0] ?? {}).toSorted()).toEqual([...Alert.required].toSorted());
    await emulator.stop();
    await issuer.stop();
  },
);

test.skipIf(missingForEmulators())(
  'the bundle of deliver sends a delivery that the bundle of api created, and loads its HTTP client for that',
  { timeout: patienceMs },
  async () => {
    const issuer = await startTestIssuer();
    const emulator = await startEmulator('firestore', { port: await freePort() });
    // A server that answers without TLS, so the attempt fails with an error that is not a network failure of ours.
    const { host: plain, port } = new URL(issuer.url.replace('127.0.0.1', 'localhost'));
    const given = {
      STORE: 'firestore',
      FIRESTORE_EMULATOR_HOST: emulator.host,
      TASKS_ENDPOINT: '127.0.0.1:1',
      WEBHOOK_ALLOW_HOSTS: `localhost:${port}`,
      AUTH_ISSUERS: issuerSetting({ issuer: issuer.url }),
      CALLER_ISSUER: issuer.url,
      CALLER_KEYS_URL: `${issuer.url}/jwks`,
      CALLER_AUDIENCE: 'deliver',
      CALLERS: 'tasks@watchpost.test',
    };
    const [api, deliver] = await Promise.all([start('api', given), start('deliver', given)]);
    const headers = { Authorization: `Bearer ${await issuer.token()}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ url: `https://${plain}/` });
    const created = await api('/v1/webhooks', { method: 'POST', headers, body });
    expect(created.status).toBe(201);
    const tested = api(`${created.headers.get('Location')}/test`, { method: 'POST', headers, body: '{}' });
    const pending = async () =>
      ((await (await api('/v1/deliveries', { headers })).json()) as { deliveries: { deliveryId: string }[] })
        .deliveries;
    await vi.waitUntil(async () => (await pending()).length > 0, { timeout: 20_000, interval: 100 });
    const [delivery] = await pending();
    const caller = await issuer.token({ aud: 'deliver', email: 'tasks@watchpost.test', email_verified: true });
    const called = await deliver('/', {
      method: 'POST',
      headers: { Authorization: `Bearer ${caller}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ in: 'deliveries', id: delivery?.deliveryId, webhookId: null }),
    });
    expect(called.status).toBe(200);
    expect(await (await tested).json()).toMatchObject({ attempts: [{ errorClass: 'tls_error' }] });
    await emulator.stop();
    await issuer.stop();
  },
);

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

function text(bytes: Uint8Array | undefined): string {
  return strFromU8(bytes ?? new Uint8Array());
}

/** Runs the content of a zip under the framework's own command, as the cloud does. @returns a function that calls it */
async function start(name: string, given?: NodeJS.ProcessEnv, without: string[] = []): Promise<Started['call']> {
  const source = join(folder, 'run', `${name}-${running.length}`);
  unpack(join(folder, `first/${name}.zip`), source);
  for (const file of without) rmSync(join(source, file));
  const started = await startUnpacked(name, source, given);
  running.push(started);
  return started.call;
}
