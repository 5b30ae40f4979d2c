import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BridgeMessage } from '../../../bridge/forward/message.ts';
import { documentedAccess } from '../../../local/brokers/accounts.ts';
import { startBroker } from '../../../local/brokers/broker.ts';
import { type Camera, createCamera } from '../../../local/cameras/camera.ts';
import type { Broker } from '../../../local/cameras/camera-link.ts';
import { readCommand } from '../../../local/cameras/commands.ts';
import { episodes } from '../../../local/cameras/episodes.ts';
import { startFleet } from '../../../local/cameras/fleet.ts';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';
import { readMessage } from '../../../shared/domain/intake/message.ts';
import type { Report, StatusReport } from '../../../shared/schema/device/report.ts';
import { listenAsBridge } from '../../support/bridge/listener.ts';

const messages: BridgeMessage[] = [];
const folder = mkdtempSync(join(tmpdir(), 'watchpost-fleet-'));
const authority = createAuthority(new Date());
const credential = createServerCredential(authority, new Date());
const accountsKey = 'key';
const access = { access: documentedAccess(accountsKey) };
let broker: Awaited<ReturnType<typeof startBroker>>;
let listener: Awaited<ReturnType<typeof listenAsBridge>>;
let where: Broker;

beforeAll(async () => {
  writeFileSync(join(folder, 'ca.pem'), authority.certificate);
  broker = await startBroker({ ...access, port: 0, secure: { port: 0, credential } });
  listener = await listenAsBridge(broker.port, accountsKey, (message) => void messages.push(message));
  where = { url: `mqtts://127.0.0.1:${broker.securePort}`, caFile: join(folder, 'ca.pem'), accountsKey };
});
afterAll(async () => {
  await listener.stop();
  await broker.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  messages.length = 0;
});

/** The messages as the cloud reads them; a message that it refuses fails the test. */
const reports = (): Report[] =>
  messages.map(({ attributes, data }, index) => {
    const message = { messageId: `${index}`, publishTime: new Date().toISOString(), attributes, data };
    const read = readMessage(message, 'native');
    if (read.kind !== 'report') throw new Error(JSON.stringify(read));
    return read.report;
  });
const bodies = (kind: string) => reports().flatMap((report) => (report.kind === kind ? [report.body] : []));
const until = (holds: () => boolean) => expect.poll(holds, { timeout: 20_000, interval: 10 }).toBe(true);

describe('a camera', () => {
  let camera: Camera;
  const create = (periodMs = 60_000) =>
    createCamera({
      broker: where,
      deviceId: 'cam-1',
      groupId: 'north',
      name: 'Camera 1',
      periodMs,
      timeScale: 1,
      now: Date.now,
      random: () => 0.5,
    });
  const obey = (line: string) => readCommand(line)(camera);
  beforeEach(async () => {
    camera = create();
    await camera.connect();
    // What an earlier camera said last may still come before its birth.
    const isBirth = ({ body }: Report) => 'connectedAt' in body && body.connectedAt === camera.state.connectedAt;
    await until(() => reports().slice(reports().findIndex(isBirth)).length === 2 && reports().some(isBirth));
    messages.splice(0, reports().findIndex(isBirth));
    return () => camera.stop();
  });

  test('first publishes its connection, then its status', () => {
    expect(reports().map(({ kind }) => kind)).toEqual(['connection', 'status']);
    expect(reports()[0]?.body).toMatchObject({ status: 'online', connectedAt: camera.state.connectedAt });
    expect(reports()[1]?.body).toMatchObject({ seq: 1, groupId: 'north', memory: { usedPercent: 60 } });
  });

  test.each([
    ['memory 93', { memory: { usedPercent: 93 } }],
    ['latency 800', { mqtt: { latencyMs: 800 } }],
    ['storage 50', { storage: { freeMegabytes: 50 } }],
    ['auth-fail 6', { auth: { failedAttempts: 6, windowSeconds: 600 } }],
    ['status', { seq: 2 }],
  ])('obeys "%s"', async (line, expected) => {
    expect(await obey(line)).toBe(true);
    await expect.poll(() => bodies('status').at(-1)).toMatchObject(expected);
  });

  test('obeys "certificate 3d"', async () => {
    await obey('certificate 3d');
    await until(() => bodies('status').length === 2);
    const { certificate } = bodies('status').at(-1) as StatusReport;
    expect(Date.parse(certificate?.notAfter ?? '') - Date.now()).toBeGreaterThan(2.99 * 86_400_000);
    expect(Date.parse(certificate?.notAfter ?? '') - Date.now()).toBeLessThan(3.01 * 86_400_000);
  });

  test('obeys "event restarted"', async () => {
    await obey('event restarted');
    await expect.poll(() => bodies('event')).toMatchObject([{ type: 'restarted' }]);
  });

  test('announces its disconnection, stays offline, and returns with a new connection', async () => {
    const before = camera.state.connectedAt;
    await obey('offline');
    await until(() => bodies('connection').length === 2);
    expect(bodies('connection').at(-1)).toMatchObject({
      status: 'offline',
      connectedAt: before,
      reason: 'switched off',
    });
    expect(await obey('status')).toBe(false);
    await obey('online');
    await until(() => bodies('connection').length === 3);
    expect(camera.state.connectedAt).not.toBe(before);
  });

  test('drops its connection, and its last will is published', async () => {
    await obey('kill');
    await until(() => bodies('connection').length === 2);
    const { connectedAt } = camera.state;
    expect(bodies('connection').at(-1)).toEqual({ status: 'offline', connectedAt, reason: 'connection lost' });
  });

  test('reconnects by itself after the broker was down', async () => {
    const secure = { port: broker.securePort ?? 0, credential };
    const { port } = broker;
    await broker.stop();
    broker = await startBroker({ ...access, port, secure });
    await until(() => bodies('connection').length === 2);
    expect(bodies('connection').at(-1)).toMatchObject({ status: 'online', connectedAt: camera.state.connectedAt });
    await until(() => (bodies('status').at(-1) as StatusReport).mqtt?.reconnectAttempts !== 0);
  });

  test.each(['memory', 'memory x', 'memory 101', 'auth-fail 0', 'event', 'status now', 'nonsense', '__proto__'])(
    'does not understand "%s"',
    (line) => {
      expect(() => readCommand(line)).toThrow();
    },
  );
});

test('each misbehaviour of the simulated fleet sends messages that the cloud can read', async () => {
  const turns = episodes.length;
  const fleet = await startFleet({
    broker: where,
    guardianFolder: join(folder, 'first'),
    service: null,
    cameras: turns,
    periodSeconds: 60,
    timeScale: 1000,
  });
  const isDone = () =>
    ['guardian', 'event', 'detection'].every((kind) => bodies(kind).length > 0) &&
    bodies('connection').some((body) => 'reason' in body && body.reason === 'connection lost') &&
    (bodies('status') as StatusReport[]).some(({ auth }) => auth !== undefined);
  await until(isDone);
  await fleet.stop();
  expect(new Set(reports().map(({ deviceId }) => deviceId)).size).toBe(turns);
});

test('a fleet that stops leaves no last will', async () => {
  const fleet = await startFleet({
    broker: where,
    guardianFolder: join(folder, 'second'),
    service: null,
    cameras: 3,
    periodSeconds: 60,
    timeScale: 1,
  });
  await until(() => bodies('status').length >= 3);
  await fleet.stop();
  expect(bodies('connection').every((body) => 'status' in body && body.status === 'online')).toBe(true);
});
