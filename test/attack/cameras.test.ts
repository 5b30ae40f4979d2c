import { beforeAll, expect, test } from 'vitest';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Message } from '../../shared/domain/intake/pushed.ts';
import { giveTeam } from '../support/records/alerts.ts';
import { endpoint } from '../support/records/deliveries.ts';
import { detection } from '../support/records/detections.ts';
import { allRecords } from '../support/records/records.ts';
import { message } from '../support/records/reports.ts';
import { guardianAlert } from '../support/records/stories.ts';
import { score, sizeOf } from '../support/score/score.ts';
import { onStore, sizeOnStore, storesOfRun } from '../support/stores/store-of-run.ts';
import { frames } from '../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../support/world/world.ts';

// S13: whoever holds one camera lies in every member of everything that it may say. Nothing outside its own device may come of it.

const stores = storesOfRun();
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const ofNorth = '11111111-1111-4111-8111-111111111111';
const ofSouth = '22222222-2222-4222-8222-222222222222';
const image = { imageUrl: undefined, frame: 'cam-1/own.jpg' };

/** All that a camera may say about itself, with every member that is read. */
const sayings: [kind: string, body: object][] = [
  [
    'status',
    {
      ...{ timestamp: startOfTests, bootId: 'b1', seq: 1, groupId: 'north', name: 'Gate', model: 'M1', serial: 'S1' },
      ...{ firmware: '1.0', ip: '192.0.2.7', uptimeSeconds: 5, deviceId: 'cam-1' },
      mqtt: { brokerHost: 'b', latencyMs: 900, reconnectAttempts: 1, lastConnected: startOfTests },
      certificate: { valid: false, notAfter: startOfTests, reason: 'revoked' },
      auth: { failedAttempts: 9, windowSeconds: 60 },
      memory: { usedPercent: 95 },
      storage: { freeMegabytes: 20 },
    },
  ],
  ['connection', { status: 'offline', timestamp: startOfTests, connectedAt: startOfTests, reason: 'r' }],
  [
    'event',
    {
      ...{ type: 'unauthorized_broker_attempt', timestamp: startOfTests, reason: 'r' },
      ...{ expectedHost: 'broker.example', attemptedHost: 'other.example' },
    },
  ],
  ['event', { type: 'certificate_validation_failed', timestamp: startOfTests, reason: 'r' }],
  ['guardian', guardianAlert('drift', ['broker.host'], startOfTests)],
  ['guardian', guardianAlert('heal', ['broker.host'], startOfTests)],
  ['guardian', guardianAlert('conflict', ['broker.host'], startOfTests)],
  ['detection', { ...detection('own'), ...image, device: { id: 'cam-1', name: 'Gate', groupId: 'north' } }],
  ['guardian-alert', { v: 1, epoch: 'e1', seq: 1, alert: '{}', signature: 'AAAA' }],
  ['guardian-health', { v: 1, epoch: 'e1', seq: 1, health: '{}', signature: 'AAAA' }],
];

const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`);
/** What is put in a member's place. `text`: written into the JSON as it stands. */
const lies: [what: string, lie: { value: unknown } | { text: string }][] = [
  ["another's id", { value: 'cam-2' }],
  ["another's group", { value: 'south' }],
  ["another's frame", { value: 'cam-2/secret.jpg' }],
  ["another's frame by its address", { value: 'gs://frames/cam-2/secret.jpg' }],
  ["a way to another's frame", { value: 'cam-1/../cam-2/secret.jpg' }],
  ["another's session", { value: 'victim' }],
  ["another's endpoint", { value: ofSouth }],
  ["another's place", { value: 'devices/cam-2' }],
  ['half a letter', { text: '"a\\ud800"' }],
  ['a text turned around', { value: 'gate\u202e1' }],
  ['a text that nobody sees', { value: 'cam\u200b-2\u0000' }],
  ['markup', { value: '<script>alert(1)</script><!channel>[x](https://evil.example)' }],
  ['a link', { value: 'https://evil.example/login' }],
  ['a text of 100 KB', { value: 'x'.repeat(100_000) }],
  ['a number beyond all', { text: '1e400' }],
  ['a list of 10,000', { value: Array.from({ length: 10_000 }, (_, n) => n) }],
  ['what nests deep', { value: deep }],
  ['the prototype', { text: '{"__proto__":{"groupId":"south","deviceId":"cam-2"},"constructor":{"prototype":{}}}' }],
  ['a reserved name', { value: { __name__: 'x', __x__: 1 } }],
  ['the far future', { value: '9999-12-31T23:59:59.999Z' }],
  ['the far past', { value: '0001-01-01T00:00:00Z' }],
  ['nothing', { value: null }],
  ['another type', { value: [{}] }],
];

type Path = readonly string[];

/** The ways to every member of a value. */
function* pathsOf(value: unknown, at: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    yield [...at, name];
    yield* pathsOf(member, [...at, name]);
  }
}

const placeholder = '@lie@';

/** JSON text in which one member is a lie; `twice`: it comes behind the true one. */
function lied(body: object, [last = '', ...before]: Path, lie: { value: unknown } | { text: string }, twice: boolean) {
  const copy = structuredClone(body);
  const holder = before.reduceRight(
    (held, name) => held[name] as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  const truth = JSON.stringify(holder[last]);
  holder[last] = placeholder;
  const text = 'text' in lie ? lie.text : JSON.stringify(lie.value);
  const whole = JSON.stringify(copy);
  const member = `${JSON.stringify(last)}:${JSON.stringify(placeholder)}`;
  if (!twice || Array.isArray(holder)) return whole.replace(JSON.stringify(placeholder), () => text);
  return whole.replace(member, () => `${JSON.stringify(last)}:${truth},${JSON.stringify(last)}:${text}`);
}

/** Every member of everything × every lie, and one behind the truth; also of a member that nobody knows. */
function* attacks(): Generator<{ what: string; kind: string; data: Buffer }> {
  for (const [kind, body] of sayings) {
    const ways = [...pathsOf({ ...body, unknown: 1 })].map((path) => path.toReversed());
    for (const path of ways) {
      const way = `${kind} ${path.toReversed().join('/')}`;
      const whole = { ...body, unknown: 1 };
      for (const [what, lie] of lies) {
        yield { what: `${way}: ${what}`, kind, data: Buffer.from(lied(whole, path, lie, false)) };
      }
      const [, another] = lies[0] ?? ['', { value: '' }];
      yield { what: `${way}: a lie behind the truth`, kind, data: Buffer.from(lied(whole, path, another, true)) };
    }
  }
}

let world: TestWorld;
beforeAll(async () => {
  world = createTestWorld(stores.empty());
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const hooks = [
    [ofNorth, 'north'],
    [ofSouth, 'south'],
  ] as const;
  for (const [webhookId, group] of hooks) {
    const data = endpoint({ webhookId, filter: { groups: [group] } });
    await world.store.commit([{ kind: 'create', in: 'webhooks', id: webhookId, data }]);
  }
  for (const [deviceId, groupId] of [
    ['cam-1', 'north'],
    ['cam-2', 'south'],
  ] as const) {
    await takeMessage(world, message('status', { groupId, memory: { usedPercent: 40 } }, { deviceId }), intake);
    const [stored] = await world.store.get('devices', [deviceId]);
    if (!stored) throw new Error(`${deviceId} is not there`);
    // Whoever runs the fleet has said which group each is in.
    const data = { ...stored.data, setByHand: ['groupId'] } as typeof stored.data;
    await world.store.commit([{ kind: 'replace', in: 'devices', id: deviceId, data, revision: stored.revision }]);
  }
  const drift = guardianAlert('drift', ['broker.host'], startOfTests);
  await takeMessage(world, message('guardian', drift, { deviceId: 'cam-2' }), intake);
  await takeMessage(world, message('detection', detection('victim'), { deviceId: 'cam-2' }), intake);
}, 60_000);

/** Everything that is there but what is the liar's own: its device, its alerts, messages, lines and deliveries. */
async function others(): Promise<string[]> {
  const records = await allRecords(world.store);
  return records.filter((text) => {
    const data = JSON.parse(text.slice(text.indexOf('{'))) as Record<string, unknown>;
    const kind = text.slice(0, text.indexOf(' '));
    const isOwn = data['deviceId'] === 'cam-1' || ['quarantineBudgets', 'quarantineBytes'].includes(kind);
    // The counters of its group, the windows of its digests and what could not be told whose it is.
    const isOfGroup = (kind === 'trendCounters' || kind === 'folds') && data['groupId'] === 'north';
    return !isOwn && !isOfGroup;
  });
}

test('no lie of a camera has an effect outside its own device, comes again, or holds up what comes behind it', {
  timeout: 300_000,
}, async () => {
  const before = (await others()).toSorted();
  // Of the 24 for each member the gate tries every other one.
  const step = sizeOnStore(sizeOf(2, 1), 47);
  const all = [...attacks()].filter((_, index) => index % step === 0);
  const through: string[] = [];
  let sessions = 0;
  for (const { what, kind, data } of all) {
    // One in four is replayed.
    const lie: Message = message(kind, data);
    for (let n = 0; n < (sessions % 4 === 0 ? 2 : 1); n += 1)
      await takeMessage(world, lie, intake).catch((error) => through.push(`${what}: ${error}`));
    sessions += 1;
    if (sessions % 20 > 0) continue;
    const own = message('detection', { ...detection(`good ${sessions}`), ...image });
    await takeMessage(world, own, intake);
    const where = [{ field: 'eventId', is: '==', value: `good ${sessions}` } as const];
    const owed = await world.store.find({ in: 'deliveries', where, limit: 5 });
    if (owed.length !== 1 || owed[0]?.data.webhookId !== ofNorth) through.push(`${what}: a good detection behind it`);
  }
  expect(through).toEqual([]);
  expect((await others()).toSorted()).toEqual(before);
  const deliveries = await world.store.find({ in: 'deliveries', limit: 100_000 });
  for (const { data } of deliveries.filter(({ data: { deviceId } }) => deviceId === 'cam-1')) {
    expect([data.groupId, data.webhookId ?? ofNorth]).toEqual(['north', ofNorth]);
    expect(data.body).not.toContain('frames.test/cam-2');
    if (data.webhookId === null) expect(data.body).not.toMatch(/\/\/evil|<script|<!channel/);
  }
  const [device] = await world.store.get('devices', ['cam-1']);
  expect(device?.data.groupId).toBe('north');
  expect(({} as Record<string, unknown>)['groupId']).toBeUndefined();
  score('S13', `lies of a camera${onStore}`, all.length, through.length);
});

test('what it has called its own sessions takes nothing from another camera', async () => {
  const session = detection('own');
  await takeMessage(world, message('detection', session, { deviceId: 'cam-2' }), intake);
  const where = [{ field: 'eventId', is: '==', value: 'own' } as const];
  const owed = await world.store.find({ in: 'deliveries', where, limit: 10 });
  expect(owed.map(({ data }) => `${data.deviceId} ${data.webhookId}`)).toContain(`cam-2 ${ofSouth}`);
});

const dialects: [bridgeDialect: 'topic' | 'emqx' | 'iotcore', message: () => Message][] = [
  ['topic', () => addressed({ 'mqtt-topic': 'devices/cam-1/status', topic: 'devices/cam-2/status' })],
  ['topic', () => addressed({ 'mqtt-topic': 'devices/cam-1/../cam-2/status' })],
  ['topic', () => addressed({ 'mqtt-topic': 'devices/cam-1/guardian-alert' })],
  ['topic', () => addressed({ 'mqtt-topic': 'devices/cam-1/status', deviceId: 'cam-2', kind: 'event' })],
  ['emqx', () => row('{"topic":"devices/cam-1/status","payload":"{}","topic":"devices/cam-2/status"}')],
  ['emqx', () => row('{"event":"client.disconnected","clientid":"cam-1","clientid":"cam-2"}')],
  ['emqx', () => row('{"topic":"devices/cam-1/status","payload":{"deviceId":"cam-2","memory":{"usedPercent":99}}}')],
  ['iotcore', () => addressed({ deviceId: 'cam-1', deviceRegistryId: 'r', subFolder: 'guardian-alert' })],
  ['iotcore', () => addressed({ deviceId: 'guardian-cam-1', deviceRegistryId: 'r', subFolder: 'status' })],
];
const addressed = (attributes: Record<string, string>): Message => ({
  ...message('status', { memory: { usedPercent: 99 } }),
  attributes,
});
const row = (text: string): Message => ({ ...message('status', Buffer.from(text)), attributes: {} });

test('no dialect of a bridge lets it say whose message it is', async () => {
  const before = (await world.store.get('devices', ['cam-2']))[0]?.data;
  for (const [bridgeDialect, make] of dialects) await takeMessage(world, make(), { ...intake, bridgeDialect });
  expect((await world.store.get('devices', ['cam-2']))[0]?.data).toEqual(before);
  score('S13', `lies in the words of bridges${onStore}`, dialects.length, 0);
});
