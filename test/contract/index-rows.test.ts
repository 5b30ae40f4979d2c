import { expect, test } from 'vitest';
import { sliced } from '../../shared/adapters/slices.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import type { Kind } from '../../shared/app/ports.ts';
import { giveTeam } from '../support/records/alerts.ts';
import { message } from '../support/records/reports.ts';
import { readDefinitions, rowsBy } from '../support/walls/index-rows.ts';
import { hang } from '../support/world/places.ts';
import { intake } from '../support/world/ways.ts';
import { createTestWorld } from '../support/world/world.ts';

/** A world with an alert of a camera at a site, a switch and an uplink, and with everything that its opening wrote. */
async function opened() {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  const say = (body: object) =>
    takeMessage(world, message('status', body, { deviceId: 'cam-1', publishTime: world.now() }), intake);
  await say({ groupId: 'north' });
  const parents = [
    { kind: 'switch', id: 'sw-1' },
    { kind: 'uplink', id: 'u-1' },
  ];
  await hang(world, 'cam-1', { groupId: 'north', site: 'gbg', parents });
  world.pass(60);
  await say({ memory: { usedPercent: 95 } });
  return world;
}

/** The highest number of index rows of a record, for each kind that an alert storm writes. */
const most: [kind: Kind, rows: number][] = [
  // 36 of them for three orders of lists (newest, oldest, most urgent first), each without a filter and by eleven filters.
  ['alerts', 60],
  ['audit', 6],
  ['deliveries', 18],
  ['fleetCounters', 2],
  ['trendCounters', 0],
];

test.each(most)('a record of %s is written with at most %i index rows', async (kind, rows) => {
  const { store } = await opened();
  const found = await store.find({ in: kind, limit: 10 });
  expect(found.length).toBeGreaterThan(0);
  const count = rowsBy(readDefinitions());
  const counts = found.map(({ id, data }) => count(kind, { ...sliced(kind, id, data) }).length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(rows);
  expect(Math.max(...counts)).toBeGreaterThan(rows - 4);
});

test('a field has an index row in each direction, a list one for each element, and each member of a map its own', () => {
  const count = rowsBy({
    indexes: [
      { collectionGroup: 'things', fields: [{ fieldPath: 'tags', arrayConfig: 'CONTAINS' }, { fieldPath: 'at' }] },
    ],
    fieldOverrides: [
      { collectionGroup: 'things', fieldPath: 'silent', indexes: [] },
      { collectionGroup: 'things', fieldPath: 'map.off', indexes: [] },
      { collectionGroup: 'things', fieldPath: 'one', indexes: [{ order: 'ASCENDING' }] },
    ],
  });
  const rows = count('things', {
    at: 'x',
    none: null,
    tags: ['a', 'b'],
    silent: { deep: 1 },
    map: { off: 1, on: 2 },
    one: 1,
  });
  expect(rows.map(({ index }) => index).toSorted()).toEqual(
    [
      ...['at', 'at desc', 'none', 'none desc', 'tags[]', 'tags[]', 'map.on', 'map.on desc', 'one'],
      ...['tags, at', 'tags, at'],
    ].toSorted(),
  );
  expect(count('others', { a: 1 })).toHaveLength(2);
});
