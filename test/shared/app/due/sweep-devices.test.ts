import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { handleWake } from '../../../../shared/app/due/handle-wake.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import type { Store, Wake, Write } from '../../../../shared/app/ports.ts';
import { allShards, shardOf } from '../../../../shared/domain/shards.ts';
import { newSight } from '../../../../shared/domain/sight/sight.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { createVirtualClock } from '../../../support/simulation/clock.ts';
import { createWays } from '../../../support/world/ways.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

/** What a call of the store takes in the cloud, milliseconds: generously. */
const callMs = 25;

/** A store behind a network, and a world whose time passes only as far as somebody waits. */
function behindNetwork() {
  const inner = createMemoryStore();
  const clock = createVirtualClock();
  const far = <T>(call: () => Promise<T>) => clock.sleep(callMs).then(call);
  const store: Store = {
    get: (kind, ids) => far(() => inner.get(kind, ids)),
    getMany: (ids) => far(() => inner.getMany(ids)),
    commit: (writes) => far(() => inner.commit(writes)),
    find: (query) => far(() => inner.find(query)),
    count: (query) => far(() => inner.count(query)),
  };
  const wakes: Wake[] = [];
  const after: TestWorld['after'] = (ms, call) => {
    clock.after(ms, call);
    return { stop() {} };
  };
  const waker = { wake: async (more: readonly Wake[]) => void wakes.push(...more) };
  const world = { ...createTestWorld(store), now: clock.now, after, waker };
  return { inner, clock, world, wakes };
}

/** So many cameras of one shard that fell silent, and a horizon that has passed all of them. */
async function silentOnes(inner: Store, shard: number, count: number) {
  const world = createTestWorld(inner);
  await createWays(world).report('model', 'north');
  const [model = null] = await inner.get('devices', ['model']);
  if (!model) throw new Error('no model');
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n += 1) if (shardOf(`cam-${n}`) === shard) ids.push(`cam-${n}`);
  const writes = ids.map((id): Write => {
    const data = { ...model.data, deviceId: id, name: id, shard, silentAt: startOfTests, places: [] };
    return { kind: 'create', in: 'devices', id, data };
  });
  for (let from = 0; from < writes.length; from += 400) await inner.commit(writes.slice(from, from + 400));
  const sight = newSight(plus(startOfTests, 60_000));
  await inner.commit([{ kind: 'create', in: 'platform', id: 'sight', data: sight }]);
  return ids;
}

test('a million cameras that are silent at once are handled within 5 min: a shard takes 54 in a second, and goes on with a task of its own', async () => {
  const { inner, clock, world, wakes } = behindNetwork();
  const count = 2700;
  await silentOnes(inner, 7, count);
  const startedAt = clock.ms();
  let isDone = false;
  void handleWake(world, 'shards', '7', false).then(() => {
    isDone = true;
  });
  await clock.runUntil(startedAt + 46_000);
  // Its time is over: it has stopped in between and asked for the next task.
  expect(isDone).toBe(true);
  const handled = async () =>
    count - (await inner.count({ in: 'devices', where: [{ field: 'isOnline', is: '==', value: true }] }));
  const perSecond = (await handled()) / 45;
  expect(perSecond).toBeGreaterThanOrEqual(53);
  expect(wakes.filter((wake) => wake.in === 'shards')).toMatchObject([{ id: '7' }]);
  const ofMillion = 1_000_000 / allShards.length / perSecond;
  expect(ofMillion).toBeLessThanOrEqual(300);
  void handleWake(world, 'shards', '7', true);
  await clock.runUntil(startedAt + 60_000);
  expect(await inner.count({ in: 'alerts', where: [{ field: 'code', is: '==', value: 'CONN_001' }] })).toBe(count);
});

test('a sweep handles a few devices itself and asks for a task for each shard where there are more; both find each device once', async () => {
  const world = createTestWorld();
  const few = createTestWorld();
  for (const [each, count] of [
    [few, 30],
    [world, 2500],
  ] as const) {
    await silentOnes(each.store, 3, count);
    each.pass(60);
    await sweep(each);
  }
  expect(few.wakes.filter((wake) => wake.in === 'shards')).toEqual([]);
  const asked = world.wakes.filter((wake) => wake.in === 'shards');
  expect(asked.map(({ id }) => Number(id)).toSorted((a, b) => a - b)).toEqual(allShards);
});

test('what is no shard is refused', async () => {
  await expect(handleWake(createTestWorld(), 'shards', '64', false)).rejects.toThrow('64 is no shard');
});
