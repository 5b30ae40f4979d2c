import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { handleDeviceAbsent } from '../../../../shared/app/devices/due.ts';
import { shardOf } from '../../../../shared/domain/shards.ts';
import { unlessQuick } from '../../../support/score/score.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { livingFleet } from '../../../support/world/living-fleet.ts';
import { incidentsOf } from '../../../support/world/places.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const cameras = ['cam-0', 'cam-1', 'cam-2', 'cam-3'];
const hangs = () => ({ groupId: 'north', site: 'a', parents: [{ kind: 'uplink', id: 'u-1' }] });

type Neighbours = { count: number; areDark: boolean };

/** The cost of declaring three losses of one minute one after another, in a place of `count` cameras. */
async function costsOfLosses({ count, areDark }: Neighbours) {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const { world, lose } = await livingFleet(cameras, hangs, createTestWorld(store));
  world.pass(1);
  await lose(cameras);
  const [model = null] = await store.get('devices', ['cam-3']);
  if (!model) throw new Error('there is no camera');
  const copies = Array.from({ length: count - cameras.length }, (_, index) => {
    const copy = { ...model.data, deviceId: `copy-${index}`, absentAt: null, silentAt: null, dueAt: null };
    return { ...copy, shard: shardOf(copy.deviceId), darkAt: areDark ? copy.darkAt : null };
  });
  for (let from = 0; from < copies.length; from += 500) {
    const some = copies.slice(from, from + 500);
    await store.commit(some.map((data) => ({ kind: 'create', in: 'devices', id: data.deviceId, data })));
  }
  world.pass(360);
  const costs: { reads: number; writes: number; queries: number }[] = [];
  for (const deviceId of cameras.slice(0, 3)) {
    reset();
    await handleDeviceAbsent(world, deviceId, world.now());
    costs.push({ reads: spent.reads, writes: spent.writes, queries: spent.queries });
  }
  return { costs, incidents: await incidentsOf(world) };
}

const mostCameras = unlessQuick(6000, 60_000);
const sizes = [10, 1000, mostCameras];

test('a loss reads one record of where it hangs, and the first of its minute pays for the counts, at a place of any size', async () => {
  for (const count of sizes) {
    const { costs, incidents } = await costsOfLosses({ count, areDark: false });
    expect(incidents).toEqual([]);
    const [first, second, third] = costs;
    // Reads: the device, the alert, the census record of its place, and twice the revision of the configuration.
    expect(second).toEqual({ reads: 5, writes: 5, queries: 0 });
    expect(third).toEqual(second);
    // In addition for each of two places: three counts, its name and its open outage; and the write of the census record.
    expect(first).toEqual({
      reads: 5 + 10,
      queries: 6,
      writes: 5 + 1,
    });
  }
}, 120_000);

test('one that belongs to an outage costs another read, of what people did to it; the one that opens it no more at a larger place', async () => {
  const found = [];
  for (const count of [10, mostCameras]) {
    const { costs, incidents } = await costsOfLosses({ count, areDark: true });
    expect(incidents).toMatchObject([{ kind: 'outage', scope: { kind: 'site', id: 'a' } }]);
    found.push(costs);
  }
  const alone = (await costsOfLosses({ count: 10, areDark: false })).costs[1];
  expect(found[0]?.[1]?.reads).toBe((alone?.reads ?? 0) + 1);
  expect(found[1]).toEqual(found[0]);
}, 120_000);
