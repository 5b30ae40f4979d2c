import { describe, expect, test } from 'vitest';
import type { CountedPlace } from '../../../../shared/app/outages/count-places.ts';
import { moved, openAt, outageFor, unpointed } from '../../../../shared/app/outages/open-outage.ts';
import type { Write } from '../../../../shared/app/ports.ts';
import { seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { placeKeysOf } from '../../../../shared/domain/device/places.ts';
import type { IncidentRecord } from '../../../../shared/domain/incident/incident.ts';
import { placeIdOf } from '../../../../shared/domain/incident/place.ts';
import { shardOf } from '../../../../shared/domain/shards.ts';
import { incident } from '../../../support/records/incidents.ts';
import { at } from '../../../support/world/timeline.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const span = { from: at(-900), until: at(0) };
const place = (kind: string, id: string) => ({ kind, id, groups: ['north'], name: null, isShared: false });
type Open = { openIncidentId: string | null; opened?: number; version?: number };

/** A place with its counts, and its stored record if there is one. */
async function counted(world: TestWorld, kind: string, id: string, total: number, dark: number, open?: Open) {
  const placeId = placeIdOf(place(kind, id));
  if (open) {
    const data = { placeId, opened: 1, version: 1, ...open };
    await world.store.commit([{ kind: 'create', in: 'outagePlaces', id: placeId, data }]);
  }
  const [stored = null] = await world.store.get('outagePlaces', [placeId]);
  const state = stored?.data ?? null;
  return { place: place(kind, id), kind, total, dark, darkness: null, state, stored } satisfies CountedPlace;
}
const outageAt = (kind: string, id: string, size: number) => ({
  scope: { kind, id, name: null },
  outage: { placeId: placeIdOf(place(kind, id)), from: at(-600), size, backSince: null, announcedCount: 0 },
});
async function give(world: TestWorld, incidentId: string, given: Partial<IncidentRecord>) {
  const data = incident({ incidentId, version: 1, ...given });
  await world.store.commit([{ kind: 'create', in: 'incidents', id: incidentId, data }]);
}
const member = (alertId: string, incidentId: string, given: object = {}): Write => {
  const seed = { alertId, deviceId: alertId, groupId: 'north', code: 'CONN_001', message: '', context: {} } as const;
  const data = { ...seedAlert(seed, at(0)), incidentId, isMember: true, places: ['uplink:u@north'], ...given };
  return { kind: 'create', in: 'alerts', id: alertId, data };
};
const written = (writes: readonly Write[]) => writes.map((write) => `${write.kind} ${write.in}`);
const dataOf = (writes: readonly Write[], kind: Write['in']) =>
  writes.flatMap((write) => (write.in === kind && 'data' in write ? [write.data] : []));

describe('where nothing is dark as a whole', () => {
  test.each<[string, Partial<IncidentRecord> | null, string | null]>([
    ['and nothing is open, a loss stands alone', null, null],
    ['a loss belongs to what is open at one of its places', {}, 'i-1'],
    ['an outage that is over takes no loss', { endedAt: at(0) }, null],
  ])('%s', async (_, given, incidentId) => {
    const world = createTestWorld();
    if (given) await give(world, 'i-1', { ...outageAt('uplink', 'u', 20), ...given });
    const places = [
      await counted(world, 'site', 'a', 4, 1),
      await counted(world, 'uplink', 'u', 20, 1, given ? { openIncidentId: 'i-1' } : undefined),
    ];
    expect(await outageFor(world, places, span)).toEqual({ incidentId, writes: [], wakes: [] });
  });

  test('a loss belongs to the widest of several outages, and of equal ones always to the same', async () => {
    const found = async (sizes: [string, number | null][]) => {
      const world = createTestWorld();
      const places: CountedPlace[] = [];
      for (const [incidentId, size] of sizes) {
        const given = outageAt('switch', incidentId, size ?? 0);
        await give(world, incidentId, size === null ? { outage: null } : given);
        places.push(await counted(world, 'switch', incidentId, 10, 1, { openIncidentId: incidentId }));
      }
      return (await outageFor(world, places, span)).incidentId;
    };
    expect(
      await found([
        ['i-1', 5],
        ['i-2', 6],
      ]),
    ).toBe('i-2');
    expect(
      await found([
        ['i-1', 6],
        ['i-2', 5],
      ]),
    ).toBe('i-1');
    expect(
      await found([
        ['i-2', 5],
        ['i-1', 5],
      ]),
    ).toBe('i-1');
    expect(
      await found([
        ['i-1', 5],
        ['i-2', 5],
      ]),
    ).toBe('i-1');
    expect(
      await found([
        ['i-1', null],
        ['i-2', 1],
      ]),
    ).toBe('i-2');
  });
});

describe('a place that went dark', () => {
  const dark = (world: TestWorld, open?: Open) =>
    Promise.all([
      counted(world, 'site', 'a', 4, 4, open),
      counted(world, 'ring', 'r', 50, 4),
      counted(world, 'uplink', 'u', 20, 4),
    ]);

  test('opens an outage there, which the place refers to', async () => {
    const world = createTestWorld();
    const { incidentId, writes, wakes } = await outageFor(world, await dark(world), span);
    expect(written(writes)).toEqual([...['create incidents', 'create incidentAudit', 'create outagePlaces']]);
    const placeId = placeIdOf(place('site', 'a'));
    expect(dataOf(writes, 'outagePlaces')).toEqual([{ placeId, openIncidentId: incidentId, opened: 1, version: 1 }]);
    expect(dataOf(writes, 'incidents')).toMatchObject([
      {
        ...{ incidentId, status: 'active', notifyAfter: at(60), outage: { placeId, from: span.from, size: 4 } },
        // The next wider place proves that the outage is no larger.
        evidence: ['4 of 4 cameras at a dark', '16 of 16 elsewhere behind uplink u report'],
      },
    ]);
    expect(wakes).toMatchObject([{ in: 'incidents', id: incidentId, dueAt: at(60) }]);
    await world.store.commit(writes);
  });

  test('opens another one after the last, with how long it took to go dark', async () => {
    const world = createTestWorld();
    const site = { groupId: 'north', site: 'a', lastSeenAt: at(-60) };
    const devices = [-30, -10].map((second): Write => {
      const device = { ...newDevice(`cam${second}`, at(-60)), ...site, darkAt: at(second) };
      const data = { ...device, shard: shardOf(device.deviceId), places: placeKeysOf(device) };
      return { kind: 'create', in: 'devices', id: device.deviceId, data };
    });
    await world.store.commit(devices);
    const first = await outageFor(world, await dark(world), span);
    const other = createTestWorld();
    await other.store.commit(devices);
    const places = await dark(other, { openIncidentId: null, opened: 1, version: 7 });
    const { incidentId, writes } = await outageFor(other, places, span);
    expect(incidentId).not.toBe(first.incidentId);
    expect(dataOf(writes, 'outagePlaces')).toMatchObject([{ openIncidentId: incidentId, opened: 2, version: 8 }]);
    expect(written(writes)).toContain('replace outagePlaces');
    expect(dataOf(writes, 'incidents')).toMatchObject([
      { timestamp: at(-30), evidence: [expect.stringMatching(/dark within 20 s$/), expect.any(String)] },
    ]);
  });

  test('has no other outage while one is open there or at a place that is as large', async () => {
    for (const [size, isCovered] of [
      [5, true],
      [4, true],
      [3, false],
    ] as const) {
      const world = createTestWorld();
      await give(world, 'i-1', outageAt('switch', 's', size));
      const narrow = await counted(world, 'switch', 's', 3, 3, { openIncidentId: 'i-1' });
      const found = await outageFor(world, [...(await dark(world)), narrow], span);
      expect([found.incidentId, found.writes.length > 0]).toEqual(['i-1', !isCovered]);
    }
    const world = createTestWorld();
    expect(await outageFor(world, await dark(world, { openIncidentId: 'i-9' }), span)).toEqual({
      ...{ incidentId: 'i-9', writes: [], wakes: [] },
    });
  });

  test('widens the outage that is open at a part of it, and frees that part', async () => {
    const world = createTestWorld();
    await give(world, 'i-1', { ...outageAt('switch', 's', 3), announcedAt: at(0), evidence: ['old'] });
    const narrow = await counted(world, 'switch', 's', 2, 2, { openIncidentId: 'i-1', opened: 5, version: 5 });
    const { incidentId, writes } = await outageFor(world, [narrow, ...(await dark(world))], span);
    expect(incidentId).toBe('i-1');
    const [wide, left] = [placeIdOf(place('site', 'a')), placeIdOf(place('switch', 's'))];
    expect(dataOf(writes, 'outagePlaces')).toEqual([
      { placeId: wide, openIncidentId: 'i-1', opened: 0, version: 1 },
      { placeId: left, openIncidentId: null, opened: 5, version: 6 },
    ]);
    expect(dataOf(writes, 'incidentAudit')).toMatchObject([{ action: 'widen', why: 'Widened: Outage at a' }]);
    expect(dataOf(writes, 'incidents')).toMatchObject([{ scope: { id: 'a' }, outage: { from: at(-600), size: 4 } }]);
    await world.store.commit(writes);
  });

  test('takes over the first of the outages whose members are in it', async () => {
    const found = async (...given: [string, Partial<IncidentRecord>, object?][]) => {
      const world = createTestWorld();
      for (const [incidentId, data, alert] of given) {
        await give(world, incidentId, { ...outageAt('switch', incidentId, 3), ...data });
        await world.store.commit([member(`of ${incidentId}`, incidentId, alert)]);
      }
      const wide = await counted(world, 'uplink', 'u', 20, 20);
      const { incidentId } = await outageFor(world, [await counted(world, 'site', 'a', 4, 4), wide], span);
      return given.some(([id]) => id === incidentId) ? incidentId : 'new';
    };
    expect(await found(['i-1', { timestamp: at(-20) }], ['i-2', { timestamp: at(-30) }])).toBe('i-2');
    expect(await found(['i-1', { timestamp: at(-30) }], ['i-2', { timestamp: at(-20) }])).toBe('i-1');
    expect(await found(['i-2', {}], ['i-1', {}])).toBe('i-1');
    expect(await found(['i-1', {}])).toBe('i-1');
    expect(await found(['i-1', { endedAt: at(0) }])).toBe('new');
    expect(await found(['i-1', { outage: null }])).toBe('new');
    expect(await found(['i-1', {}, { isOpen: false }])).toBe('new');
    expect(await found(['i-1', {}, { isMember: false }])).toBe('new');
    expect(await found(['i-1', {}, { places: ['uplink:v@north'] }])).toBe('new');
  });
});

test('of the members in a place that went dark, twenty are examined', async () => {
  for (const [count, first] of [
    [19, 'i-1'],
    [20, 'i-2'],
  ] as const) {
    const world = createTestWorld();
    await give(world, 'i-1', { ...outageAt('switch', 'i-1', 3), timestamp: at(-30) });
    await give(world, 'i-2', { ...outageAt('switch', 'i-2', 3), timestamp: at(-20) });
    const others = Array.from({ length: count }, (_, index) => member(`a-${index}`, 'i-2'));
    await world.store.commit([...others, member('b', 'i-1')]);
    const wide = await counted(world, 'uplink', 'u', 20, 20);
    const { incidentId } = await outageFor(world, [await counted(world, 'site', 'a', 4, 4), wide], span);
    expect(incidentId).toBe(first);
  }
});

test('an outage that became narrower is updated, and the wider place is free again', async () => {
  const world = createTestWorld();
  await give(world, 'i-1', outageAt('uplink', 'u', 20));
  const [stored = null] = await world.store.get('incidents', ['i-1']);
  if (!stored) throw new Error('no incident');
  const scope = await counted(world, 'site', 'a', 4, 4);
  const wide = await counted(world, 'uplink', 'u', 20, 5, { openIncidentId: 'i-1' });
  const { incidentId, writes } = await moved(world, stored, scope, [wide, scope], 'Narrowed');
  expect([incidentId, dataOf(writes, 'incidentAudit')]).toMatchObject([
    ...['i-1', [{ action: 'update', why: 'Narrowed: Outage at a' }]],
  ]);
  expect(dataOf(writes, 'outagePlaces')).toMatchObject([{ openIncidentId: 'i-1' }, { openIncidentId: null }]);
});

test('a place is freed only by the outage that it refers to', async () => {
  const world = createTestWorld();
  const { state } = await counted(world, 'site', 'a', 4, 4, { openIncidentId: 'i-1' });
  const free = (incidentId: string, given: Partial<IncidentRecord>) =>
    unpointed(world, incident({ incidentId, ...given })).then(written);
  expect(await free('i-1', outageAt('site', 'a', 4))).toEqual(['replace outagePlaces']);
  expect(await free('i-2', outageAt('site', 'a', 4))).toEqual([]);
  expect(await free('i-1', outageAt('site', 'b', 4))).toEqual([]);
  expect(await free('i-1', { outage: null })).toEqual([]);
  expect([openAt({ state }), openAt({ state: null })]).toEqual(['i-1', null]);
});
