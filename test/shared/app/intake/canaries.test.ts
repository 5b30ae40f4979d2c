import { expect, test } from 'vitest';
import { takeDeadLetter, takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { loadCanaries } from '../../../../shared/app/sight/sight.ts';
import type { Message } from '../../../../shared/domain/intake/pushed.ts';
import { canaryText } from '../../../../shared/domain/sight/canary.ts';
import type { DialectName } from '../../../../shared/schema/vocabulary.ts';
import { intake, seal } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const canary = { way: 'broker', n: 0, sentAt: startOfTests } as const;
const body = JSON.stringify({ ...canary, signature: seal.sign(canaryText(canary)) });
const said = (attributes: Record<string, string>, text = body): Message => ({
  messageId: 'm',
  publishTime: startOfTests,
  attributes,
  data: Buffer.from(text),
});

async function countsOf({ store }: TestWorld) {
  const [devices, quarantined] = [await store.count({ in: 'devices' }), await store.count({ in: 'quarantine' })];
  return { devices, quarantined };
}

test.each<[DialectName, Message]>([
  ['native', said({ deviceId: 'watchpost', kind: 'canary' })],
  ['topic', said({ 'mqtt-topic': 'watchpost/canary' })],
  ['emqx', said({}, JSON.stringify({ topic: 'watchpost/canary', payload: body }))],
  ['emqx', said({}, JSON.stringify({ topic: 'watchpost/canary', payload: JSON.parse(body) }))],
  ['iotcore', said({ deviceId: 'watchpost', deviceRegistryId: 'cameras', subFolder: 'canary' })],
])(
  'a canary that the broker hands on in the dialect %s has arrived, and is no device',
  async (bridgeDialect, given) => {
    const world = createTestWorld();
    await takeMessage(world, given, { ...intake, bridgeDialect });
    expect(await loadCanaries(world)).toMatchObject([canary]);
    expect(await countsOf(world)).toEqual({ devices: 0, quarantined: 0 });
  },
);

test.each(['emqx', 'topic', 'native', 'iotcore'] as const)(
  'one that is published to Pub/Sub is known before the dialect %s reads',
  async (bridgeDialect) => {
    const world = createTestWorld();
    await takeMessage(world, said({ 'watchpost-canary': 'ingest' }), { ...intake, bridgeDialect });
    expect(await loadCanaries(world)).toMatchObject([canary]);
    expect(await countsOf(world)).toEqual({ devices: 0, quarantined: 0 });
  },
);

test.each<[string, DialectName, Message]>([
  ['a status', 'native', said({ deviceId: 'watchpost', kind: 'status' }, '{"memory":{"usedPercent":1}}')],
  ['a birth message', 'native', said({ deviceId: 'watchpost', kind: 'connection' }, '{"status":"online"}')],
  ['a status', 'topic', said({ topic: 'devices/watchpost/status' }, '{"memory":{"usedPercent":1}}')],
  ['a canary', 'native', said({ deviceId: 'watchpost-drill', kind: 'canary' })],
])('%s under an id of the service itself registers nobody, in the dialect %s', async (_, bridgeDialect, given) => {
  const world = createTestWorld();
  await takeMessage(world, given, { ...intake, bridgeDialect });
  expect(await loadCanaries(world)).toEqual([]);
  expect(await countsOf(world)).toEqual({ devices: 0, quarantined: 1 });
});

test('a broker that tells of the connection of our own probe tells of no camera', async () => {
  const world = createTestWorld();
  const row = { event: 'client.connected', clientid: 'watchpost-canary-1', connected_at: Date.parse(startOfTests) };
  await takeMessage(world, said({}, JSON.stringify(row)), { ...intake, bridgeDialect: 'emqx' });
  expect(await countsOf(world)).toEqual({ devices: 0, quarantined: 0 });
});

test('a canary that came too often without success is no message for people to look at', async () => {
  const world = createTestWorld();
  await takeDeadLetter(world, said({ 'watchpost-canary': 'ingest' }), intake);
  await takeDeadLetter(world, said({ deviceId: 'watchpost', kind: 'canary' }), intake);
  expect(await countsOf(world)).toEqual({ devices: 0, quarantined: 0 });
});
