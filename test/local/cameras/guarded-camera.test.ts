import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { documentedAccess } from '../../../local/brokers/accounts.ts';
import { startBroker } from '../../../local/brokers/broker.ts';
import { createCamera } from '../../../local/cameras/camera.ts';
import type { Broker } from '../../../local/cameras/camera-link.ts';
import { commandHelp, readCommand } from '../../../local/cameras/commands.ts';
import { createGuardedCamera, type GuardedCamera } from '../../../local/cameras/guarded-camera.ts';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';
import { listenAsBridge } from '../../support/bridge/listener.ts';

type Said = { topic: string; body: Record<string, unknown> & { status?: string; alertCode?: string } };

const folder = mkdtempSync(join(tmpdir(), 'watchpost-guarded-'));
const credential = createServerCredential(createAuthority(new Date()), new Date());
const said: Said[] = [];
const accountsKey = 'key';
const access = documentedAccess(accountsKey);
let broker: Awaited<ReturnType<typeof startBroker>>;
let listener: Awaited<ReturnType<typeof listenAsBridge>>;
let plain: Broker;
let camera: GuardedCamera;

const options = (timeScale: number, where = plain) => ({
  broker: where,
  deviceId: 'cam-1',
  groupId: 'north',
  name: 'Camera 1',
  periodMs: 60_000,
  timeScale,
  now: Date.now,
  random: () => 0.5,
});
const beside = { folder, isRunning: true, log: () => {} };
const obey = (line: string) => readCommand(line)(camera);
const until = (holds: () => boolean) => expect.poll(holds, { timeout: 30_000, interval: 20 }).toBe(true);
const codes = () => said.flatMap(({ body }) => (body.alertCode ? [body.alertCode] : []));
const presence = () => said.flatMap(({ topic, body }) => (topic.endsWith('/connection') ? [body.status] : []));

beforeAll(async () => {
  const hear = (data: Buffer, deviceId = '', kind = '') =>
    void said.push({ topic: `${deviceId}/${kind}`, body: JSON.parse(data.toString()) });
  broker = await startBroker({ port: 0, secure: { port: 0, credential }, access });
  listener = await listenAsBridge(broker.port, accountsKey, ({ data, attributes }) =>
    hear(data, attributes['deviceId'], attributes['kind']),
  );
  plain = { url: `mqtt://127.0.0.1:${broker.port}`, caFile: null, accountsKey };
});
afterAll(async () => {
  await listener.stop();
  await broker.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  said.length = 0;
});
afterEach(() => camera?.stop());

describe('a simulated camera with its guardian', () => {
  beforeEach(async () => {
    camera = await createGuardedCamera(options(30), beside);
    await camera.connect();
  });

  test('is offline after somebody changes its broker, and its guardian restores it', async () => {
    await until(() => presence().length === 1);
    expect(await obey('tamper broker.host 203.0.113.9')).toBe('broker.host is "203.0.113.9" now');
    await until(() => codes().length === 2 && presence().length === 3);
    expect(codes()).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    expect(presence()).toEqual(['online', 'offline', 'online']);
    expect(said.find(({ body }) => body.alertCode === 'CONFIG_DRIFT')?.body).toMatchObject({
      drift: { fields: [{ name: 'broker.host', expected: '127.0.0.1', actual: '203.0.113.9', severity: 'CRITICAL' }] },
    });
    expect(camera.isConnected()).toBe(true);
  });

  test('stays offline after it was switched off, whatever its configuration', async () => {
    await obey('offline');
    await obey('tamper broker.port 1884');
    await until(() => camera.management?.settings().server?.['port'] === broker.port);
    await until(() => codes().includes('CONFIG_DRIFT'));
    expect(camera.isConnected()).toBe(false);
    expect(await obey('online')).toBe('connected');
    await until(() => codes().includes('CONFIG_HEALED'));
  });

  test('comes back from "firmware-reset" as it was', async () => {
    const before = camera.management?.settings();
    expect(await obey('firmware-reset')).toBe('its MQTT client is as it came out of the box');
    expect(camera.management?.settings()).not.toEqual(before);
    await until(() => codes().includes('CONFIG_HEALED'));
    expect(camera.management?.settings()).toEqual(before);
  });

  test('heals "tamper-every" until "tamper-stop", and reports a conflict', async () => {
    expect(await obey('tamper-every 1 clientId intruder')).toBe(
      'clientId is "intruder" from now on every 1 s; "tamper-stop" ends it',
    );
    await until(() => codes().includes('CONFIG_CONFLICT'));
    expect(await obey('tamper-stop')).toBe('nobody tampers with it any more');
    await until(() => camera.management?.settings()['clientId'] === 'cam-1');
    expect(await obey('tamper-stop')).toBe('nobody tampers with it');
  });

  test('cannot be started a second time on the same data directory', async () => {
    await expect(createGuardedCamera(options(30), beside)).rejects.toThrow(/is in use by another run/);
  });
});

test('the guardian of a camera with TLS restores its certificate check', async () => {
  const caFile = join(folder, 'ca.pem');
  const authority = createAuthority(new Date());
  writeFileSync(caFile, authority.certificate);
  const listener = { port: 0, credential: createServerCredential(authority, new Date()) };
  const secure = await startBroker({ port: 0, secure: listener, access });
  const where = { url: `mqtts://127.0.0.1:${secure.securePort}`, caFile, accountsKey };
  camera = await createGuardedCamera(options(30, where), beside);
  await camera.connect();
  await obey('tamper tls.validateServerCert false');
  expect(camera.management?.settings()['ssl']).toMatchObject({ validateServerCert: false });
  await until(
    () => (camera.management?.settings()['ssl'] as { validateServerCert?: boolean })?.validateServerCert === true,
  );
  await camera.stop();
  await secure.stop();
});

test('at normal speed a guardian looks every thirty seconds, and its file is written even if it runs elsewhere', async () => {
  camera = await createGuardedCamera(options(1), { ...beside, isRunning: false });
  const file = JSON.parse(readFileSync(camera.guardianFile, 'utf8'));
  expect(file).toMatchObject({
    intervalSeconds: 30,
    device: { id: 'cam-1' },
    interface: { url: camera.management?.url },
  });
});

describe('the commands that tamper', () => {
  test.each([
    ['tamper', /^tamper FIELD VALUE: needs a field, not "": broker\.host, broker\.port/],
    ['tamper broker.name x', /needs a field, not "broker\.name": broker\.host/],
    ['tamper subscriptions.command x', /needs a field/],
    ['tamper broker.host', /broker\.host needs a value$/],
    ['tamper broker.host a b', /broker\.host must be a host name or address, not "a b"$/],
    ['tamper broker.port many', /broker\.port must be a whole number up to 65535, not "many"$/],
    ['tamper broker.port 70000', /broker\.port must be a whole number up to 65535, not "70000"$/],
    ['tamper broker.protocol mqtt', /broker\.protocol must be tcp, ssl, ws or wss, not "mqtt"$/],
    ['tamper tls.validateServerCert no', /tls\.validateServerCert must be true or false, not "no"$/],
    ['tamper-every', /^tamper-every SECONDS FIELD VALUE: needs a number from 1 to 86400, not ""$/],
    ['tamper-every soon broker.port 1884', /needs a number from 1 to 86400, not "soon"$/],
    ['tamper-every 20 broker.port', /broker\.port needs a value$/],
    ['tamper-stop now', /^tamper-stop: too many arguments\.$/],
    ['firmware-reset now', /^firmware-reset: too many arguments\.$/],
  ])('refuse "%s" and say why', (line, message) => {
    expect(() => readCommand(line)).toThrow(message);
  });

  test('accept a value with spaces', async () => {
    camera = await createGuardedCamera(options(1), { ...beside, isRunning: false });
    await obey('tamper lastWill.payload {"status": "gone"}');
    expect(camera.management?.settings()['lastWillTestament']).toMatchObject({ message: '{"status": "gone"}' });
  });

  test('are refused for a camera without a management interface', async () => {
    const bare = createCamera(options(1));
    await expect(readCommand('firmware-reset')(bare)).rejects.toThrow('this camera has no management interface');
  });

  test('are in the help', () => {
    for (const usage of ['tamper FIELD VALUE', 'tamper-every SECONDS FIELD VALUE', 'tamper-stop', 'firmware-reset'])
      expect(commandHelp).toContain(usage);
    expect(commandHelp).toContain('FIELD is one of broker.host, broker.port');
  });
});
