import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { getTrends, rollUpTrends } from '../../../../shared/app/fleet/trends.ts';
import { Conflict, type Store } from '../../../../shared/app/ports.ts';
import { ana, openTestAlert } from '../../../support/records/alerts.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const openedIn = async (world: TestWorld, bearer = ana, query = {}) => {
  const { buckets } = await getTrends(world, bearer, query);
  return buckets.reduce((sum, { opened }) => sum + opened.CRITICAL + opened.ERROR + opened.WARNING + opened.INFO, 0);
};
const counters = (world: TestWorld) => world.store.count({ in: 'trendCounters' });

/** Counts the documents that are read by id. */
function counting(store: Store): { store: Store; read: () => number } {
  let read = 0;
  const get: Store['get'] = (kind, ids) => {
    read += ids.length;
    return store.get(kind, ids);
  };
  return { store: { ...store, get }, read: () => read };
}

test('what was counted stands in the trends after the next sweep, once, however often sweeps run', async () => {
  const world = createTestWorld();
  for (let index = 0; index < 5; index += 1) await openTestAlert(world, { deviceId: `cam-${index}` });
  expect(await openedIn(world)).toBe(0);
  await rollUpTrends(world);
  await rollUpTrends(world);
  expect(await openedIn(world)).toBe(5);
  expect(await openedIn(world, ana, { days: 1, bucket: 'hour' })).toBe(5);
  expect(await counters(world)).toBe(0);
});

test('what is counted while a sweep adds up is left to the next sweep, and keeps no other group', async () => {
  const world = createTestWorld();
  await openTestAlert(world, { deviceId: 'a', groupId: 'south' });
  const growing = await openTestAlert(world, { deviceId: 'b', groupId: 'north' });
  world.pass(60);
  let isFirst = true;
  const commit: Store['commit'] = async (writes) => {
    if (isFirst) {
      isFirst = false;
      await actOnAlert(world, ana, growing, { kind: 'acknowledge' }, null);
    }
    return world.store.commit(writes);
  };
  await rollUpTrends({ ...world, store: { ...world.store, commit } });
  expect(await counters(world)).toBe(1);
  expect((await getTrends(world, ana, { groupId: ['south'] })).buckets.at(-1)?.opened.CRITICAL).toBe(1);
  await rollUpTrends(world);
  const { timeToAcknowledge } = await getTrends(world, ana, {});
  expect([await openedIn(world), timeToAcknowledge.count, await counters(world)]).toEqual([2, 1, 0]);
});

test('sweeps beside one another, and sweeps whose commits fail, count each change once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('open', 'sweep', 'two sweeps', 'fail')), async (steps) => {
      const world = createTestWorld();
      let opened = 0;
      for (const step of steps) {
        if (step === 'open') {
          opened += 1;
          await openTestAlert(world, { deviceId: `cam-${opened}`, groupId: `group-${opened % 3}` });
        }
        if (step === 'sweep') await rollUpTrends(world);
        if (step === 'two sweeps') await Promise.all([rollUpTrends(world), rollUpTrends(world)]);
        if (step === 'fail') {
          const failing: Store['commit'] = () => Promise.reject(new Conflict('all'));
          await rollUpTrends({ ...world, store: { ...world.store, commit: failing } });
        }
      }
      await rollUpTrends(world);
      expect(await openedIn(world)).toBe(opened);
    }),
    { numRuns: 30 },
  );
});

test('a month of the fleet is two documents, and one of 30 groups 60, whatever was counted', async () => {
  const world = createTestWorld();
  const groups = Array.from({ length: 30 }, (_, index) => `group-${index}`);
  for (const groupId of groups) await openTestAlert(world, { deviceId: groupId, groupId });
  await rollUpTrends(world);
  const fleet = counting(world.store);
  expect(await openedIn({ ...world, store: fleet.store }, ana, { days: 31 })).toBe(30);
  expect(fleet.read()).toBe(2);
  const some = counting(world.store);
  expect(await openedIn({ ...world, store: some.store }, { ...ana, groups }, { days: 31 })).toBe(30);
  expect(some.read()).toBe(60);
  const hours = counting(world.store);
  expect(await openedIn({ ...world, store: hours.store }, { ...ana, groups }, { days: 2 })).toBe(30);
  expect(hours.read()).toBeLessThanOrEqual(90);
});
