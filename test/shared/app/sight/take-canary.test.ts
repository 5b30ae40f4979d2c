import { expect, test } from 'vitest';
import { loadCanaries } from '../../../../shared/app/sight/sight.ts';
import { takeCanary } from '../../../../shared/app/sight/take-canary.ts';
import { canaryText } from '../../../../shared/domain/sight/canary.ts';
import { at } from '../../../support/world/timeline.ts';
import { seal } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

type Given = Record<string, unknown>;
/** Signs any content, so that only its form can be wrong. */
const signed = (given: Given): Given => ({ ...given, signature: seal.sign(canaryText(given as never)) });
const take = async (body: unknown) => {
  const world = createTestWorld();
  const data = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  await takeCanary(world, data, seal);
  return { records: await loadCanaries(world), lines: world.lines, size: data.length };
};
const good = { way: 'ingest', n: 0, sentAt: startOfTests };

test.each([
  ['ingest', 0, null, 'canary-ingest-0'],
  ['ingest', 3, null, 'canary-ingest-3'],
  ['broker', 0, { partition: 1, of: 1 }, 'canary-broker-1-1'],
] as const)(
  'number %s %d of a sweep has arrived, at the time when it was handled',
  async (way, n, bridge, platformId) => {
    const world = createTestWorld();
    world.pass(7);
    await takeCanary(world, Buffer.from(JSON.stringify(signed({ way, n, sentAt: startOfTests }))), seal);
    expect(await loadCanaries(world)).toEqual([
      { platformId, kind: 'canary', way, n, sentAt: startOfTests, handledAt: at(7), gap: null, bridge },
    ]);
    expect(world.lines).toEqual([]);
  },
);

test.each<[string, unknown]>([
  ['is no JSON', '{'],
  ['is null', 'null'],
  ['is a text', '"canary"'],
  ['names no path', signed({ ...good, way: 'road' })],
  ['has no number', signed({ ...good, n: undefined })],
  ['has a text as its number', signed({ ...good, n: '0' })],
  ['has half a number', signed({ ...good, n: 0.5 })],
  ['has a negative number', signed({ ...good, n: -1 })],
  ['has a number past the last of the fleet', signed({ ...good, n: 4 })],
  ['has a number past the last of the broker', signed({ ...good, way: 'broker', n: 1 })],
  ['has no time', signed({ ...good, sentAt: undefined })],
  ['has a number as its time', signed({ ...good, sentAt: 5 })],
  ['has no signature', good],
  ['has a number as its signature', { ...good, signature: 5 }],
  ['has a signature of another canary', { ...signed(good), n: 1 }],
  ['has a signature of another time', { ...signed(good), sentAt: at(1) }],
  ['has an empty signature', { ...good, signature: '' }],
])('a message that %s is refused and recorded nowhere', async (_, body) => {
  const { records, lines, size } = await take(body);
  expect(records).toEqual([]);
  expect(lines).toEqual([{ event: 'canary.refused', fields: { sizeBytes: size } }]);
});

test('a copy or an older one changes nothing, and a newer one takes its place', async () => {
  const world = createTestWorld();
  const say = async (seconds: number) => {
    await takeCanary(world, Buffer.from(JSON.stringify(signed({ ...good, sentAt: at(seconds) }))), seal);
    return (await loadCanaries(world)).map(({ sentAt, handledAt }) => [sentAt, handledAt]);
  };
  expect(await say(0)).toEqual([[at(0), at(0)]]);
  world.pass(5);
  expect(await say(0)).toEqual([[at(0), at(0)]]);
  expect(await say(-1)).toEqual([[at(0), at(0)]]);
  expect(await say(4)).toEqual([[at(4), at(5)]]);
  expect(world.lines).toEqual([]);
});
