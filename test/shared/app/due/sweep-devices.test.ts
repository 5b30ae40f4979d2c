import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { handleWake } from '../../../../shared/app/due/handle-wake.ts';
import { sweepAbsent } from '../../../../shared/app/due/sweep-devices.ts';
import type { Store, Wake, Write } from '../../../../shared/app/ports.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { allShards, shardOf } from '../../../../shared/domain/shards.ts';
import { newSight } from '../../../../shared/domain/sight/sight.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { createVirtualClock } from '../../../support/simulation/clock.ts';
import { storeErrors } from '../../../support/stores/faulty-store.ts';
import { createWays, openAlerts } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

/** By then, all cameras have been silent for long. */
const later = plus(startOfTests, 20 * 60_000);
/** A generous estimate of the time that a store call takes in the cloud, milliseconds. */
const callMs = 25;
/** A shorter time limit of a task, so that the test reaches it. */
const longestMs = 10_000;

/** A store with network latency, and a world whose clock advances only while a call waits. */
function behindNetwork(takesMs = callMs) {
  const inner = createMemoryStore();
  const clock = createVirtualClock(later);
  const far = <T>(call: () => Promise<T>) => clock.sleep(takesMs).then(call);
  const store: Store = {
    get: (kind, ids) => far(() => inner.get(kind, ids)),
    getMany: (ids) => far(() => inner.getMany(ids)),
    commit: (writes) => far(() => inner.commit(writes)),
    find: (query) => far(() => inner.find(query)),
    count: (query) => far(() => inner.count(query)),
    tail: (tail) => far(() => inner.tail(tail)),
  };
  const wakes: Wake[] = [];
  const after: TestWorld['after'] = (ms, call) => {
    clock.after(ms, call);
    return { stop() {} };
  };
  const waker = { wake: async (more: readonly Wake[]) => void wakes.push(...more) };
  const waits = { ...waitsAt(1), sweepLongest: longestMs };
  const world = { ...createTestWorld(store), now: clock.now, after, waker, waits };
  return { inner, clock, world, wakes };
}

/** Stores `count` cameras of one shard that fell silent, and a horizon that has passed all of them. */
async function silentOnes(inner: Store, shard: number, count: number) {
  const world = createTestWorld(inner);
  await createWays(world).report('model', 'north');
  const [model = null] = await inner.get('devices', ['model']);
  if (!model) throw new Error('no model');
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n += 1) if (shardOf(`cam-${n}`) === shard) ids.push(`cam-${n}`);
  const writes = ids.map((id): Write => {
    const data = { ...model.data, deviceId: id, name: id, shard, places: [] };
    return { kind: 'create', in: 'devices', id, data };
  });
  for (let from = 0; from < writes.length; from += 400) await inner.commit(writes.slice(from, from + 400));
  const sight = newSight(later);
  await inner.commit([{ kind: 'create', in: 'platform', id: 'sight', data: sight }]);
  return ids;
}

test('a million cameras that are silent at once are handled within 5 min: a shard takes 54 in a second, and goes on with a task of its own', async () => {
  const { inner, clock, world, wakes } = behindNetwork();
  const count = 700;
  await silentOnes(inner, 7, count);
  const startedAt = clock.ms();
  let endedAt = 0;
  void handleWake(world, 'shards', '7', false).then(() => {
    endedAt = clock.ms();
  });
  await clock.runUntil(startedAt + longestMs + 2000);
  // The task has reached its time limit, stopped between two devices and asked for the next task.
  expect(endedAt).toBeGreaterThan(startedAt + longestMs);
  const lost = () => inner.count({ in: 'alerts', where: [{ field: 'code', is: '==', value: 'CONN_001' }] });
  const perSecond = (await lost()) / ((endedAt - startedAt) / 1000);
  expect(perSecond).toBeGreaterThanOrEqual(52.5);
  expect(perSecond).toBeLessThanOrEqual(54);
  expect(wakes.filter((wake) => wake.in === 'shards')).toMatchObject([{ id: '7' }]);
  const ofMillion = 1_000_000 / allShards.length / perSecond;
  expect(ofMillion).toBeLessThanOrEqual(300);
  void handleWake(world, 'shards', '7', true);
  await clock.runUntil(startedAt + 30_000);
  expect(await lost()).toBe(count);
});

test('a sweep handles a few devices itself and asks for a task for each shard where there are more; no more than it takes', async () => {
  const world = createTestWorld();
  const few = createTestWorld();
  for (const [each, count] of [
    [few, 30],
    [world, 2500],
  ] as const) {
    await silentOnes(each.store, 3, count);
    each.pass(20 * 60);
    expect(await sweepAbsent(each, { horizonAt: later }, later)).toBe(Math.min(2000, count + 1));
  }
  expect(few.wakes.filter((wake) => wake.in === 'shards')).toEqual([]);
  const asked = world.wakes.filter((wake) => wake.in === 'shards');
  expect(asked.map(({ id }) => Number(id)).toSorted((a, b) => a - b)).toEqual(allShards);
});

test('a camera at which the store fails once is reported by the same sweep, not a minute later', async () => {
  const world = createTestWorld();
  const ids = await silentOnes(world.store, 3, 3);
  world.pass(20 * 60);
  const { commit } = world.store;
  let faults = 2;
  world.store.commit = async (writes) => {
    faults -= 1;
    if (faults >= 0) throw storeErrors.UNAVAILABLE();
    return commit(writes);
  };
  expect(await sweepAbsent(world, { horizonAt: later }, later)).toBe(ids.length + 1);
  expect((await openAlerts(world)).map(({ deviceId }) => deviceId).toSorted()).toEqual([...ids, 'model'].toSorted());
});

test('what is no shard is refused', async () => {
  await expect(handleWake(createTestWorld(), 'shards', '64', false)).rejects.toThrow('64 is not a shard');
});

test('a task of a shard in which nothing is due asks for no other, however slow the store is: tasks must not call for tasks', async () => {
  const { inner, clock, world, wakes } = behindNetwork(longestMs * 0.6);
  await silentOnes(inner, 7, 3);
  let isOver = false;
  void handleWake(world, 'shards', '8', false).then(() => {
    isOver = true;
  });
  await clock.runUntil(clock.ms() + 20 * longestMs);
  expect(isOver).toBe(true);
  expect(wakes.filter((wake) => wake.in === 'shards')).toEqual([]);
});
