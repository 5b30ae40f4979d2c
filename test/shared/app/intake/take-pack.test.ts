import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { unzip } from '../../../../shared/adapters/unzip.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { takeDeadPushed, takePushed } from '../../../../shared/app/intake/take-pack.ts';
import { Conflict, type Store } from '../../../../shared/app/ports.ts';
import type { Message } from '../../../../shared/domain/intake/pushed.ts';
import { names, intake as single } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const intake = { ...single, unzip };
type Entry = Record<string, unknown>;
const entry = (deviceId: string, body: object, rest: Entry = {}): Entry => ({
  deviceId,
  kind: 'status',
  ageMs: 0,
  text: JSON.stringify(body),
  ...rest,
});
const packOf = (entries: readonly (Entry | string)[], rest: Partial<Message> = {}): Message => ({
  messageId: 'pack-1',
  publishTime: startOfTests,
  attributes: { 'watchpost-bridge': JSON.stringify({ partition: 1, of: 1, entries: entries.length }) },
  data: gzipSync(entries.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n')),
  ...rest,
});
const calm = { memory: { usedPercent: 40 } };
const quarantined = async ({ store }: TestWorld) =>
  (await store.find({ in: 'quarantine', limit: 50 })).map(({ data }) => ({
    reason: data.reason,
    deviceId: data.deviceId,
    at: data.errors[0]?.pointer,
  }));
const deviceIds = async ({ store }: TestWorld) =>
  (await store.find({ in: 'devices', limit: 500 })).map(({ id }) => id).toSorted();

test('a pack leaves the same records as its messages one by one', async () => {
  const bodies: [string, object, Entry?][] = [
    ...names(20).map((id): [string, object] => [id, calm]),
    ['cam-3', { memory: { usedPercent: 97 } }],
    ['cam-4', { memory: { usedPercent: 40 }, storage: { freeMegabytes: 5 } }],
    ['cam-5', { status: 'offline' }, { kind: 'connection' }],
    ['cam-6', { type: 'restarted' }, { kind: 'event' }],
    ['cam-7', { memory: 'much' }],
  ];
  const [alone, together] = [createTestWorld(), createTestWorld()];
  for (const world of [alone, together]) {
    for (const id of names(20)) {
      await takeMessage(
        world,
        {
          ...packOf([]),
          messageId: `birth-${id}`,
          attributes: { deviceId: id, kind: 'status' },
          data: Buffer.from('{}'),
        },
        intake,
      );
    }
    world.pass(180);
  }
  const publishTime = together.now();
  for (const [index, [deviceId, body, rest]] of bodies.entries()) {
    const attributes = { deviceId, kind: String(rest?.['kind'] ?? 'status') };
    await takeMessage(
      alone,
      { messageId: `pack-1-${index}`, publishTime, attributes, data: Buffer.from(JSON.stringify(body)) },
      intake,
    );
  }
  await takePushed(
    together,
    packOf(
      bodies.map(([id, body, rest]) => entry(id, body, rest)),
      { publishTime },
    ),
    intake,
  );
  const kinds = ['devices', 'alerts', 'quarantine', 'activity'] as const;
  for (const kind of kinds) {
    const records = async ({ store }: TestWorld) =>
      (await store.find({ in: kind, limit: 500 }))
        .map(({ data }) => data)
        .map((data) => JSON.stringify(data))
        .toSorted();
    expect(await records(together), kind).toEqual(await records(alone));
  }
  expect(await together.store.count({ in: 'alerts' })).toBeGreaterThan(0);
});

test('devices are read together, and the sightings of calm cameras are written together', async () => {
  const world = createTestWorld();
  const ids = names(200);
  await takePushed(world, packOf(ids.map((id) => entry(id, calm))), intake);
  world.pass(180);
  const reads = vi.spyOn(world.store, 'get');
  const commits = vi.spyOn(world.store, 'commit');
  const publishTime = world.now();
  await takePushed(
    world,
    packOf(
      ids.map((id) => entry(id, calm)),
      { publishTime, messageId: 'pack-2' },
    ),
    intake,
  );
  expect(reads.mock.calls.filter(([kind]) => kind === 'devices').map(([, asked]) => asked.length)).toEqual([200]);
  expect(commits.mock.calls.map(([writes]) => writes.length)).toEqual([200]);
  const [last] = await world.store.get('devices', ['cam-199']);
  expect(last?.data.lastSeenAt).toBe(publishTime);
});

test('where another writer was first, each sighting is written by itself', async () => {
  const world = createTestWorld();
  const ids = names(5);
  await takePushed(world, packOf(ids.map((id) => entry(id, calm))), intake);
  world.pass(180);
  const { commit } = world.store;
  const sizes: number[] = [];
  const store: Store = {
    ...world.store,
    commit: async (writes) => {
      sizes.push(writes.length);
      if (writes.length > 1) throw new Conflict('devices');
      return commit(writes);
    },
  };
  const publishTime = world.now();
  await takePushed(
    { ...world, store },
    packOf(
      ids.map((id) => entry(id, calm)),
      { publishTime },
    ),
    intake,
  );
  expect(sizes).toEqual([5, 1, 1, 1, 1, 1]);
  const seen = await world.store.get('devices', ids);
  expect(seen.map((device) => device?.data.lastSeenAt)).toEqual(ids.map(() => publishTime));
});

test('an entry that cannot be handled is delivered again with the pack, after all others have been handled', async () => {
  const world = createTestWorld();
  const get = world.store.get;
  const store = {
    ...world.store,
    get: (kind: 'devices', asked: string[]) =>
      kind === ('tombstones' as string) && asked[0] === 'cam-1'
        ? Promise.reject(new Error('store away'))
        : get(kind, asked),
  } as Store;
  const pack = packOf(names(3).map((id) => entry(id, calm)));
  await expect(takePushed({ ...world, store }, pack, intake)).rejects.toThrow('store away');
  expect(await deviceIds(world)).toEqual(['cam-0', 'cam-2']);
  await takePushed(world, pack, intake, true);
  expect(await deviceIds(world)).toEqual(['cam-0', 'cam-1', 'cam-2']);
});

const hostile: [
  what: string,
  entry: Entry | string,
  expected: { reason: string; deviceId: string | null; at: string },
][] = [
  ['is no JSON', '{', { reason: 'unreadable', deviceId: null, at: '' }],
  [
    'has a member twice',
    '{"deviceId":"cam-1","deviceId":"cam-2","kind":"status","ageMs":0,"text":"{}"}',
    { reason: 'unreadable', deviceId: null, at: '/deviceId' },
  ],
  ['is null', 'null', { reason: 'unreadable', deviceId: null, at: '/deviceId' }],
  ['has no device', entry('', {}, { deviceId: undefined }), { reason: 'unreadable', deviceId: null, at: '/deviceId' }],
  ['has a number as its kind', entry('cam-1', {}, { kind: 5 }), { reason: 'unreadable', deviceId: null, at: '/kind' }],
  ['comes from the future', entry('cam-1', {}, { ageMs: -1 }), { reason: 'unreadable', deviceId: null, at: '/ageMs' }],
  ['is an hour old', entry('cam-1', {}, { ageMs: 3_600_000 }), { reason: 'unreadable', deviceId: null, at: '/ageMs' }],
  ['has a text and bytes', entry('cam-1', {}, { base64: '' }), { reason: 'unreadable', deviceId: null, at: '' }],
  [
    'names another device in its body',
    entry('cam-1', { deviceId: 'cam-2' }),
    { reason: 'foreign-device', deviceId: 'cam-1', at: '/deviceId' },
  ],
  ['is no device id', entry('../cam', {}), { reason: 'unreadable', deviceId: '../cam', at: 'deviceId' }],
  [
    'is of a kind of ours',
    entry('cam-1', {}, { kind: 'silent' }),
    { reason: 'unknown-kind', deviceId: 'cam-1', at: 'kind' },
  ],
  ['is of the service itself', entry('watchpost', {}), { reason: 'unreadable', deviceId: null, at: 'deviceId' }],
  ['is too large', entry('cam-1', { x: 'x'.repeat(300_000) }), { reason: 'too-large', deviceId: 'cam-1', at: '' }],
];

test.each(hostile)('an entry that %s is quarantined by itself, and the others count', async (_what, bad, expected) => {
  const world = createTestWorld();
  await takePushed(world, packOf([entry('good-1', calm), bad, entry('good-2', calm)]), intake);
  const ids = await deviceIds(world);
  expect(ids).toEqual(expect.arrayContaining(['good-1', 'good-2']));
  expect(ids.filter((id) => !['good-1', 'good-2'].includes(id))).toEqual([]);
  expect(await quarantined(world)).toEqual([expected]);
});

test('an entry is no canary and no pack, whatever it says of itself', async () => {
  const world = createTestWorld();
  const inner = {
    'watchpost-canary': 'ingest',
    'watchpost-bridge': '{"entries":1}',
    attributes: { 'watchpost-canary': 'x' },
  };
  await takePushed(world, packOf([entry('cam-1', calm, inner)]), intake);
  expect(await deviceIds(world)).toEqual(['cam-1']);
  expect(await world.store.count({ in: 'platform' })).toBe(0);
});

test.each<[string, Buffer, string]>([
  ['is not compressed', Buffer.from('{"deviceId":"cam-1"}'), 'unreadable'],
  ['ends too early', gzipSync(JSON.stringify(entry('cam-1', calm))).subarray(0, 40), 'unreadable'],
  ['holds too many bytes', gzipSync(Buffer.alloc(64 * 1024 * 1024)), 'too-large'],
  ['holds too many entries', gzipSync('{}\n'.repeat(1001)), 'too-large'],
])('a pack that %s goes to quarantine as it is, and touches nothing else', async (_what, data, reason) => {
  const world = createTestWorld();
  await takePushed(world, packOf([], { data }), intake);
  expect(await quarantined(world)).toEqual([{ reason, deviceId: null, at: '' }]);
  expect(await deviceIds(world)).toEqual([]);
});

test.each(['topic', 'emqx', 'iotcore'] as const)('in the dialect %s nothing is a pack', async (bridgeDialect) => {
  const world = createTestWorld();
  await takePushed(world, packOf(names(2).map((id) => entry(id, calm))), { ...intake, bridgeDialect });
  expect(await deviceIds(world)).toEqual([]);
  expect(await quarantined(world)).toHaveLength(1);
});

test('each entry of a dead pack is kept for a person', async () => {
  const world = createTestWorld();
  await takeDeadPushed(world, packOf(names(2).map((id) => entry(id, calm))), intake);
  expect((await quarantined(world)).map(({ reason, deviceId }) => `${reason} ${deviceId}`).toSorted()).toEqual([
    'dead-letter cam-0',
    'dead-letter cam-1',
  ]);
});

test('the configuration is read once for many packs, and a device has one budget of texts in all of them', async () => {
  const bare = createTestWorld();
  const reads: string[] = [];
  const find: Store['find'] = (query) => {
    reads.push(query.in);
    return bare.store.find(query);
  };
  const world: TestWorld = { ...bare, store: { ...bare.store, find } };
  const attempt = (n: number) =>
    entry('cam-1', { type: 'unauthorized_broker_attempt', detail: `${n}` }, { kind: 'event' });
  for (let n = 0; n < 40; n += 1) {
    const status = entry(`cam-${n}`, { memory: { usedPercent: 95 } });
    await takePushed(world, packOf([attempt(n), status], { messageId: `pack-${n}` }), intake);
    bare.pass(1);
  }
  expect(reads.filter((kind) => kind === 'rules')).toHaveLength(1);
  const [alert] = await bare.store.find({
    in: 'alerts',
    where: [{ field: 'code', is: '==', value: 'SEC_002' }],
    limit: 2,
  });
  expect(
    await bare.store.count({ in: 'audit', where: [{ field: 'alertId', is: '==', value: alert?.id }] }),
  ).toBeLessThan(25);
});
