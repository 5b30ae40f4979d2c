import { spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startVapixServer, type VapixServer } from '../../local/cameras/device/vapix-server.ts';
import { createAuthority, createServerCredential } from '../../local/machine/certificates.ts';
import { goldenParameters, guardianFile, startRecordingBroker, until } from '../support/guardian/world.ts';

type Ended = { code: number | null; signal: string | null };
type Program = {
  ended: Promise<Ended>;
  output: () => string;
  errors: () => string;
  stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<Ended>;
};
type Broker = Awaited<ReturnType<typeof startRecordingBroker>>;

const folder = mkdtempSync(join(tmpdir(), 'guardian-process-'));
const path = join(folder, 'guardian.json');
const now = new Date();
const [authority, stranger] = [createAuthority(now), createAuthority(now)];
const credential = createServerCredential(authority, now);
const running: Program[] = [];
let camera: VapixServer;
let broker: Broker;

beforeAll(() => {
  writeFileSync(join(folder, 'authority.pem'), authority.certificate);
  writeFileSync(join(folder, 'stranger.pem'), stranger.certificate);
});
beforeEach(async () => {
  const authentication = { scheme: 'basic', username: 'root', password: 'planted-secret' } as const;
  camera = await startVapixServer({ configuration: goldenParameters, authentication });
  broker = await startRecordingBroker();
});
afterEach(async () => {
  for (const program of running.splice(0)) await program.stop('SIGKILL');
  await Promise.all([camera.close(), broker.stop()]);
  rmSync(join(folder, 'queue'), { recursive: true, force: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = () => ({ ...guardianFile(camera.url, `mqtt://127.0.0.1:${broker.port}`), intervalSeconds: 1 });
const health = () => JSON.parse(readFileSync(join(folder, 'queue', 'health.json'), 'utf8'));
const codes = () => broker.alerts().map((alert) => alert['alertCode'] ?? alert['type']);

describe('npm run guardian', () => {
  test('heals repeated changes, sends its health, and stops cleanly', async () => {
    const stopTampering = camera.tamperEvery(1, 'broker.host', 'evil.example.net');
    const program = run(file());
    await until(() => codes().includes('CONFIG_CONFLICT') && health().status === 'conflict');
    stopTampering();
    await until(() => health().lastCheck?.outcome === 'matches' && health().queueLength === 0);
    expect(health()).toMatchObject({ goldenGeneration: 1, droppedAlerts: 0, intervalSeconds: 1 });
    expect(health().driftCount).toBeGreaterThanOrEqual(4);
    expect(camera.settings().server?.['host']).toBe('mqtt.example.com');
    await until(() => broker.openConnections() === 0);
    expect(await program.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    const lines = program.output().trim().split('\n');
    const events = lines.map((line) => JSON.parse(line).event);
    expect(events[0]).toBe('guardian.started');
    expect(events.at(-1)).toBe('guardian.stopped');
    expect(program.output()).not.toContain('planted-secret');
  });

  test('publishes after kill -9 what its outbox holds', async () => {
    await broker.stop();
    camera.tamper('broker.host', 'evil.example.net');
    const first = run(file());
    await until(() => existsSync(join(folder, 'queue', 'health.json')) && health().healCount === 1);
    await first.stop('SIGKILL');
    broker = await startRecordingBroker({ port: broker.port });
    run(file());
    await until(() => broker.received.length === 2);
    expect(codes()).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
  });

  test.each([
    ['0 where the camera matches', 'mqtt.example.com', 0],
    ['1 where it differs, which it leaves as it is', 'evil.example.net', 1],
  ])('with --once exits %s', async (_what, host, code) => {
    camera.tamper('broker.host', host);
    const program = run(file(), ['--once']);
    expect(await program.ended).toEqual({ code, signal: null });
    const differences = code === 0 ? [] : [expect.objectContaining({ name: 'broker.host', actual: host })];
    expect(JSON.parse(program.output())).toEqual({ matches: code === 0, isConnected: true, differences });
    expect(camera.settings().server?.['host']).toBe(host);
    expect(broker.received).toEqual([]);
  });

  test.each([
    ['a configuration that is wrong', { intervalSeconds: 0 }, [], 'intervalSeconds must be a whole number'],
    [
      'a camera that cannot be reached',
      { interface: { type: 'vapix', url: 'http://127.0.0.1:1' } },
      ['--once'],
      'unreachable',
    ],
    ['an option that it does not know', {}, ['--twice'], "Unknown option '--twice'"],
  ])('exits 2 with %s and says why in one line', async (_what, changes, args, message) => {
    const program = run({ ...file(), ...changes }, args);
    expect(await program.ended).toEqual({ code: 2, signal: null });
    expect(program.errors()).toContain(message);
    expect(program.errors().trim().split('\n').length).toBeLessThanOrEqual(3);
  });

  test('names --config in its help', async () => {
    const program = run({}, ['--help']);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.output()).toContain('--config FILE');
  });
});

describe('the connection of the guardian to its broker', () => {
  test('trusts only the pinned authority, and sends later what another broker did not get', async () => {
    const tls = { cert: credential.certificate, key: credential.key };
    const secured = await startRecordingBroker({ tls });
    const url = `mqtts://localhost:${secured.port}`;
    camera.tamper('broker.host', 'evil.example.net');
    const distrustful = run({ ...file(), broker: { url, caFile: 'stranger.pem' } });
    await until(() => distrustful.output().includes('alerts.delayed'));
    expect(secured.received).toEqual([]);
    await distrustful.stop('SIGTERM');
    run({ ...file(), broker: { url, caFile: 'authority.pem' } });
    await until(() => secured.received.length === 2);
    expect(secured.alerts().map((alert) => alert['alertCode'])).toEqual(['CONFIG_DRIFT', 'CONFIG_HEALED']);
    await secured.stop();
  });

  test('sends user and password, and reports the refusal without them', async () => {
    broker.credentials = { username: 'cam-1', password: 'planted-secret' };
    camera.tamper('broker.host', 'evil.example.net');
    const program = run(file(), [], { GUARDIAN_BROKER_USERNAME: 'cam-1', GUARDIAN_BROKER_PASSWORD: 'wrong' });
    await until(() => /refuses user name or password|does not authorise/.test(program.output()));
    await program.stop('SIGTERM');
    run(file(), [], { GUARDIAN_BROKER_USERNAME: 'cam-1', GUARDIAN_BROKER_PASSWORD: 'planted-secret' });
    await until(() => broker.received.length === 2);
  });
});

describe('a signed golden configuration', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const document = (generation: number, host: string) => ({
    deviceId: 'cam-1',
    generation,
    configuration: { broker: { host } },
  });
  const offer = (content: object, key: KeyObject) => {
    const bytes = Buffer.from(JSON.stringify(content));
    writeFileSync(
      join(folder, 'golden.new'),
      Buffer.concat([Buffer.from(`${sign(null, bytes, key).toString('base64')}\n`), bytes]),
    );
    renameSync(join(folder, 'golden.new'), join(folder, 'golden.signed'));
  };

  test('is applied while the guardian runs; a forged or older one is refused, announced and changes nothing', async () => {
    const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
    offer(document(1, 'mqtt.example.com'), privateKey);
    run({ ...file(), golden: { signedFile: 'golden.signed', publicKey: key } });
    await until(() => existsSync(join(folder, 'queue', 'health.json')) && health().goldenGeneration === 1);
    offer(document(2, 'new.example.com'), privateKey);
    await until(() => camera.settings().server?.['host'] === 'new.example.com');
    offer(document(3, 'evil.example.net'), generateKeyPairSync('ed25519').privateKey);
    await until(() => health().goldenRefused === 'Its signature does not verify.');
    offer(document(1, 'mqtt.example.com'), privateKey);
    await until(() => health().goldenRefused === 'Generation 1 is older than 2, which was seen.');
    await until(() => broker.received.length === 3);
    expect(codes()).toEqual(['config_updated', 'guardian_golden_refused', 'guardian_golden_refused']);
    expect(camera.settings().server?.['host']).toBe('new.example.com');
    expect(health().goldenGeneration).toBe(2);
  });
});

function run(content: object, args: string[] = [], env: NodeJS.ProcessEnv = {}): Program {
  writeFileSync(path, JSON.stringify(content));
  const child = spawn('node', ['device/guardian/main.ts', '--config', path, ...args], {
    env: { ...process.env, GUARDIAN_USERNAME: 'root', GUARDIAN_PASSWORD: 'planted-secret', ...env },
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<Ended>((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  const program: Program = {
    ended,
    output: () => output,
    errors: () => errors,
    stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
  running.push(program);
  return program;
}
