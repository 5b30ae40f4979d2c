import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { handleReport } from '../../../../shared/app/intake/handle-report.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { dialects } from '../../../../shared/domain/intake/dialects.ts';
import type { Message } from '../../../../shared/domain/intake/pushed.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { DialectName } from '../../../../shared/schema/vocabulary.ts';
import { report } from '../../../support/records/reports.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

type Fixture = {
  data: unknown;
  attributes: Record<string, string>;
  expect: {
    dialect: DialectName;
    quarantined?: boolean;
    /** The message is about no device and has no effect. */
    ignored?: boolean;
    deviceId?: string;
    kind?: string;
    status?: 'online' | 'offline' | 'unchanged';
    connectedAt?: string;
    raises?: string[];
  };
};

const folder = new URL('../../../fixtures/bridges/', import.meta.url);
const read = (name: string): Fixture => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

function messageOf({ data, attributes }: Fixture, messageId: string, seconds = 0): Message {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return { messageId, publishTime: plus(startOfTests, seconds * 1000), attributes, data: Buffer.from(text) };
}

async function take(world: TestWorld, name: string, seconds = 0): Promise<Fixture['expect']> {
  const fixture = read(name);
  const intake = { bridgeDialect: fixture.expect.dialect, autoRegister: true, frames };
  await takeMessage(world, messageOf(fixture, name, seconds), intake);
  return fixture.expect;
}

async function stateOf({ store }: TestWorld) {
  const devices = await store.find({ in: 'devices', limit: 10 });
  const alerts = await store.find({ in: 'alerts', limit: 10 });
  const quarantined = await store.find({ in: 'quarantine', limit: 10 });
  return {
    devices: devices.map(({ data }) => data),
    raises: alerts.map(({ data }) => data.code),
    quarantined: quarantined.map(({ data }) => data),
  };
}

test.each(readdirSync(folder).toSorted())('%s comes to what it is expected to', async (name) => {
  const world = createTestWorld();
  // A reported loss does not register a device, so the device is registered first.
  const isLoss = name.startsWith('emqx-disconnected') || name.startsWith('emqx-takenover');
  if (isLoss) await handleReport(world, report('status', {}, -600, { deviceId: 'cam-0012' }), true);
  const expected = await take(world, name);
  const { devices, raises, quarantined } = await stateOf(world);
  if (expected.quarantined) {
    expect(devices).toEqual([]);
    expect(quarantined).toMatchObject([{ dialect: expected.dialect, deviceId: expected.deviceId ?? null }]);
    expect(quarantined[0]?.errors.length).toBeGreaterThan(0);
    return;
  }
  expect(quarantined).toEqual([]);
  if (expected.ignored) return expect(devices).toEqual([]);
  expect(devices.map(({ deviceId }) => deviceId)).toEqual([expected.deviceId]);
  expect(raises).toEqual(expected.raises ?? []);
  if (expected.connectedAt) expect(devices[0]?.presence.connectedAt).toBe(expected.connectedAt);
  if (expected.status) expect(devices[0]?.isOnline).toBe(expected.status !== 'offline');
});

test('a broker that tells of a connection and its loss raises CONN_001 five minutes after the loss', async () => {
  const world = createTestWorld();
  await take(world, 'emqx-connected.json', 0);
  await take(world, 'emqx-disconnected.json', 300);
  const { devices } = await stateOf(world);
  expect(devices).toMatchObject([{ isOnline: false, absentAt: plus(startOfTests, 600_000) }]);
  // The wake is due 15 minutes after the loss: from then on the loss is declared even if the platform is blind.
  expect(world.wakes).toMatchObject([{ in: 'devices', id: 'cam-0012', dueAt: plus(startOfTests, 1_200_000) }]);
});

test('a session that another broker took over changes nothing, before and after the connection', async () => {
  const world = createTestWorld();
  await take(world, 'emqx-connected.json', 0);
  const before = (await stateOf(world)).devices[0];
  await take(world, 'emqx-takenover.json', 100);
  const { presence, isOnline, dueAt } = (await stateOf(world)).devices[0] ?? {};
  expect({ presence, isOnline, dueAt }).toEqual({
    presence: before?.presence,
    isOnline: true,
    dueAt: null,
  });
});

test.each([
  ['an empty row', 'emqx', '{}'],
  ['a row without a client', 'emqx', '{"event":"client.connected","connected_at":1}'],
  ['a row whose client is no device id', 'emqx', '{"event":"client.connected","clientid":"a/b","connected_at":1}'],
  ['a row with a foreign topic', 'emqx', '{"topic":"$SYS/brokers","payload":"{}"}'],
  ['a row whose payload is a number', 'emqx', '{"topic":"devices/cam-1/status","payload":7}'],
  [
    'a body that nests without end',
    'native',
    `{"memory":{"usedPercent":1},"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  ],
  ['a row that names the device twice over', 'native', '{"deviceId":"cam-2"}'],
  ['a status without a word of ours', 'native', '{"temp":12}'],
] as const)('%s is kept in quarantine and registers nothing', async (_name, bridgeDialect, text) => {
  const world = createTestWorld();
  const attributes = { deviceId: 'cam-1', kind: 'status' };
  const message = { messageId: 'm', publishTime: startOfTests, attributes, data: Buffer.from(text) };
  await takeMessage(world, message, { bridgeDialect, autoRegister: true, frames });
  const { devices, quarantined } = await stateOf(world);
  expect(devices).toEqual([]);
  expect(quarantined).toHaveLength(1);
});

const envelope = { v: 1, epoch: 'e', seq: 1, alert: '{}', signature: 'x' };
const bytes = Buffer.from(JSON.stringify(envelope));
const asMessage = (attributes: Record<string, string>, data = bytes): Message => ({
  messageId: 'm',
  publishTime: startOfTests,
  attributes,
  data,
});
const emqxRow = (topic: string) => asMessage({}, Buffer.from(JSON.stringify({ topic, payload: envelope })));

test.each<[DialectName, Message]>([
  ['native', asMessage({ deviceId: 'cam-1', kind: 'guardian-alert' })],
  ['topic', asMessage({ 'mqtt-topic': 'guardians/cam-1/alert' })],
  ['emqx', emqxRow('guardians/cam-1/alert')],
  ['iotcore', asMessage({ deviceId: 'guardian-cam-1', deviceRegistryId: 'r', subFolder: 'guardian-alert' })],
])('the dialect %s knows whose guardian speaks', (dialect, given) => {
  expect(dialects[dialect](given)).toMatchObject({ deviceId: 'cam-1', kind: 'guardian-alert' });
});

test.each<[DialectName, Message]>([
  ['topic', asMessage({ 'mqtt-topic': 'devices/cam-1/guardian-alert' })],
  ['topic', asMessage({ 'mqtt-topic': 'guardians/cam-1/status' })],
  ['topic', asMessage({ 'mqtt-topic': 'guardians/cam-1/toString' })],
  ['emqx', emqxRow('devices/cam-1/guardian-health')],
  ['iotcore', asMessage({ deviceId: 'cam-1', deviceRegistryId: 'r', subFolder: 'guardian-health' })],
  ['iotcore', asMessage({ deviceId: 'guardian-cam-1', deviceRegistryId: 'r', subFolder: 'status' })],
])("in the dialect %s neither says what is the other's to say", (dialect, given) => {
  expect(dialects[dialect](given)).toHaveProperty('fault');
});

test.each<[unknown, string | undefined]>([
  [8.64e15, '+275760-09-13T00:00:00.000Z'],
  [-8.64e15, '-271821-04-20T00:00:00.000Z'],
  [8.64e15 + 1, undefined],
  ['1', undefined],
])('a connection that EMQX dates %s has the time %s', (connected_at, connectedAt) => {
  const data = Buffer.from(JSON.stringify({ event: 'client.connected', clientid: 'cam-1', connected_at }));
  const body = connectedAt ? { status: 'online', connectedAt } : { status: 'online' };
  expect(dialects.emqx({ messageId: 'm-1', publishTime: startOfTests, attributes: {}, data })).toEqual({
    ...{ deviceId: 'cam-1', kind: 'connection', body },
  });
});

test.each([
  ['{"partition":2,"of":4}', { partition: 2, of: 4 }],
  ['{"partition":5,"of":4}', undefined],
  ['{"partition":"2","of":4}', undefined],
  ['[2,4]', undefined],
  ['null', undefined],
  ['{', undefined],
  [`{"partition":2,"of":4,"x":"${'x'.repeat(1024)}"}`, undefined],
])('what our own bridge says of itself, %s, is read in the dialect native', (text, bridge) => {
  const attributes = { deviceId: 'watchpost', kind: 'canary', 'watchpost-bridge': text };
  const read = dialects.native({ messageId: 'm', publishTime: '', attributes, data: Buffer.from('{}') });
  expect(Object(read).bridge).toEqual(bridge);
});

test.each([
  ['topic', { topic: 'watchpost/canary' }, '{}'],
  ['emqx', {}, '{"topic":"watchpost/canary","payload":"{}"}'],
  ['iotcore', { deviceId: 'watchpost', deviceRegistryId: 'r', subFolder: 'canary' }, '{}'],
] as const)(
  'in the dialect %s it changes nothing, because there a device could say it',
  (dialect, attributes, text) => {
    const said = { ...attributes, 'watchpost-bridge': '{"partition":2,"of":4}' };
    const message = { messageId: 'm', publishTime: '', data: Buffer.from(text) };
    expect(dialects[dialect]({ ...message, attributes: said })).toEqual(dialects[dialect]({ ...message, attributes }));
  },
);
