import { describe, expect, test } from 'vitest';
import { wakeOverdueDeliveries } from '../../../../shared/app/due/sweep-deliveries.ts';
import { forEachFound, forEachOf, pageSize, type SweepBounds } from '../../../../shared/app/due/sweep-pages.ts';
import { Conflict, type Stored } from '../../../../shared/app/ports.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { endpoint, storeDelivery } from '../../../support/records/deliveries.ts';
import { afterPause, createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

/** A world in which each pause advances the clock, with the pauses in milliseconds. */
function pausing() {
  const plain = createTestWorld();
  const pauses: number[] = [];
  const after = afterPause(async (ms) => {
    pauses.push(ms);
    plain.pass(ms / 1000);
  });
  return { world: { ...plain, after } as TestWorld, pauses };
}

/** Handles `count` records, found in pages. Each record takes `takesMs`. */
async function found(world: TestWorld, count: number, bounds: Partial<SweepBounds>, takesMs = 0) {
  const all = Array.from({ length: count }, (_, id) => ({ id: String(id) }) as Stored<'devices'>);
  let pages = 0;
  const page = async (last: Stored<'devices'> | null) => {
    pages += 1;
    const from = last ? Number(last.id) + 1 : 0;
    return all.slice(from, from + pageSize);
  };
  let handled = 0;
  const given = { limit: Number.POSITIVE_INFINITY, until: plus(startOfTests, 45_000), ...bounds };
  const isMore = await forEachFound(world, given, page, async () => {
    handled += 1;
    world.pass(takesMs / 1000);
  });
  return { isMore, handled, pages };
}

describe('the records of a query are handled', () => {
  test.each([
    [399, { isMore: false, handled: 399, pages: 1 }],
    [400, { isMore: false, handled: 400, pages: 2 }],
    [401, { isMore: false, handled: 401, pages: 2 }],
    [0, { isMore: false, handled: 0, pages: 1 }],
  ])('%i of them, until a page is not full', async (count, expected) => {
    const { world, pauses } = pausing();
    expect(await found(world, count, {})).toEqual(expected);
    expect(pauses).toEqual([]);
  });

  test.each([
    [400, { isMore: true, handled: 400, pages: 1 }],
    [401, { isMore: true, handled: 800, pages: 2 }],
    [800, { isMore: true, handled: 800, pages: 2 }],
    [0, { isMore: true, handled: 0, pages: 0 }],
  ])('up to about %i', async (limit, expected) => {
    expect(await found(pausing().world, 2000, { limit })).toEqual(expected);
  });

  test.each([
    [-1, { isMore: true, handled: 400, pages: 1 }],
    [399, { isMore: true, handled: 400, pages: 1 }],
    [400, { isMore: true, handled: 800, pages: 2 }],
    [799, { isMore: true, handled: 800, pages: 2 }],
    [800, { isMore: true, handled: 1200, pages: 3 }],
  ])('until %i ms have passed, where each takes one: the first page always', async (ms, expected) => {
    expect(await found(pausing().world, 2000, { until: plus(startOfTests, ms) }, 1)).toEqual(expected);
  });
});

describe('a pace', () => {
  test('of ten in 200 ms waits for the rest of the time after each ten, and for a share after fewer', async () => {
    const { world, pauses } = pausing();
    expect(await found(world, 25, { pace: { count: 10, ms: 200 } }, 2)).toMatchObject({ isMore: false, handled: 25 });
    expect(pauses).toEqual([180, 180, 90]);
  });

  test.each([
    [20, []],
    [19, [10, 10]],
  ])('waits not at all where the work took the time: %i ms each', async (takesMs, expected) => {
    const { world, pauses } = pausing();
    await found(world, 20, { pace: { count: 10, ms: 200 } }, takesMs);
    expect(pauses).toEqual(expected);
  });

  test('waits for the last millisecond too', async () => {
    const { world, pauses } = pausing();
    await found(world, 1, { pace: { count: 10, ms: 200 } }, 19);
    expect(pauses).toEqual([1]);
  });

  test.each([
    [400, 30],
    [399, 20],
    [200, 20],
    [199, 10],
    [-1, 10],
  ])('stops within a page when %i ms have passed, after %i', async (ms, handled) => {
    const { world } = pausing();
    const until = plus(startOfTests, ms);
    expect(await found(world, 100, { until, pace: { count: 10, ms: 200 } })).toEqual({
      isMore: true,
      handled,
      pages: 1,
    });
  });
});

test('a pace of one stops after the first record when the time is over', async () => {
  const until = plus(startOfTests, -1);
  expect(await found(pausing().world, 9, { until, pace: { count: 1, ms: 0 } })).toMatchObject({ handled: 1 });
});

describe('a record that fails', () => {
  const stored = (id: string) => ({ id }) as Stored<'devices'>;

  test('is tried once more after the others, and logged where it fails again', async () => {
    const world = createTestWorld();
    const calls: string[] = [];
    await forEachOf(world, ['a', 'b', 'c', 'd'].map(stored), async ({ id }) => {
      const isFirst = !calls.includes(id);
      calls.push(id);
      if (id === 'a' || (id === 'b' && isFirst)) throw new Error(`no ${id}`);
    });
    expect(calls).toEqual(['a', 'b', 'c', 'd', 'a', 'b']);
    expect(world.lines).toEqual([{ event: 'sweep.failed', fields: { id: 'a', error: 'Error: no a' } }]);
  });
});

describe('a delivery whose wake was lost', () => {
  test.each([
    [59.999, 0],
    [60, 1],
  ])('is woken in a new version %d s after it was due: %i', async (seconds, count) => {
    const world = createTestWorld();
    const { deliveryId } = await storeDelivery(world.store, 'e-1');
    world.pass(seconds);
    expect(await wakeOverdueDeliveries(world)).toBe(count);
    expect(world.wakes.map(({ id, version }) => [id, version])).toEqual(count === 0 ? [] : [[deliveryId, 2]]);
    const [stored] = await world.store.get('deliveries', [deliveryId]);
    expect(stored?.data.version).toBe(1 + count);
  });

  test('is one of 400 that a sweep wakes, those that have waited longest first', async () => {
    const world = createTestWorld();
    for (let count = 0; count < 401; count += 1) {
      await storeDelivery(world.store, `e-${count}`, endpoint(), plus(startOfTests, -count));
    }
    world.pass(60);
    expect(await wakeOverdueDeliveries(world)).toBe(400);
    const [newest] = await world.store.find({ in: 'deliveries', orderBy: [['createdAt', 'desc']], limit: 1 });
    expect([newest?.data.eventId, newest?.data.version]).toEqual(['e-0', 1]);
  });

  test.each([
    ['another process has started on it', () => new Conflict('ABORTED'), []],
    ['the store fails', () => new Error('UNAVAILABLE'), ['sweep.failed']],
  ])('is not woken where %s', async (_, error, logged) => {
    const plain = createTestWorld();
    await storeDelivery(plain.store, 'e-1', endpoint());
    plain.pass(60);
    const commit = async () => {
      throw error();
    };
    const world = { ...plain, store: { ...plain.store, commit } };
    expect(await wakeOverdueDeliveries(world)).toBe(1);
    expect(world.wakes).toEqual([]);
    expect(world.lines.map(({ event }) => event)).toEqual(logged);
  });
});
