import { beforeEach, describe, expect, test } from 'vitest';
import { createRefusals } from '../../../../shared/app/audit/refusals.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

let world: TestWorld;
let timers: { ms: number; call: () => void; isStopped: boolean }[];
beforeEach(() => {
  timers = [];
  world = createTestWorld();
  world.after = (ms, call) => {
    const timer = { ms, call, isStopped: false };
    timers.push(timer);
    return {
      stop: () => {
        timer.isStopped = true;
      },
    };
  };
});
const records = async () => {
  const found = await world.store.find({ in: 'auditStream', limit: 5000 });
  return found.map(({ data: { entryId, address, subject, reason, count } }) => ({
    entryId,
    address,
    subject,
    reason,
    count,
  }));
};
const of = (maxInstances: number) => createRefusals(world, { instance: 'a', maxInstances });

describe('refusals', () => {
  test('of one address and reason within a minute are one record with a count', async () => {
    const refusals = of(1);
    for (let count = 0; count < 3; count += 1) await refusals.gather({ address: '192.0.2.1' }, 'token');
    await refusals.gather({ address: '192.0.2.1' }, 'limit');
    await refusals.gather({ subject: 'ana' }, 'limit');
    await refusals.gather({ address: null }, 'limit');
    expect(await records()).toEqual([]);
    await refusals.flush();
    const id = (index: number) => `a-2026-11-20T10:00-${index}`;
    expect(await records()).toEqual([
      { entryId: id(0), address: '192.0.2.1', subject: null, reason: 'token', count: 3 },
      { entryId: id(1), address: '192.0.2.1', subject: null, reason: 'limit', count: 1 },
      { entryId: id(2), address: null, subject: 'ana', reason: 'limit', count: 1 },
      { entryId: id(3), address: null, subject: null, reason: 'limit', count: 1 },
    ]);
    expect(world.lines).toEqual([
      { event: 'requests.refused', fields: { minute: '2026-11-20T10:00', count: 6, records: 4 } },
    ]);
  });

  test('are written after a minute by one timer, or at once when a refusal of the next minute comes', async () => {
    const refusals = of(1);
    await refusals.gather({ address: 'x' }, 'token');
    await refusals.gather({ address: 'x' }, 'token');
    expect(timers.map(({ ms, isStopped }) => [ms, isStopped])).toEqual([[60_000, false]]);
    world.pass(59.999);
    await refusals.gather({ address: 'x' }, 'token');
    expect(await records()).toEqual([]);
    world.pass(0.001);
    await refusals.gather({ address: 'x' }, 'token');
    expect((await records()).map(({ count }) => count)).toEqual([3]);
    expect(timers.map(({ isStopped }) => isStopped)).toEqual([true, false]);
    timers[1]?.call();
    await refusals.flush();
    expect((await records()).map(({ entryId, count }) => [entryId, count])).toEqual([
      ['a-2026-11-20T10:00-0', 3],
      ['a-2026-11-20T10:01-0', 1],
    ]);
  });

  test('write nothing if there were none', async () => {
    await of(1).flush();
    expect([await records(), world.lines]).toEqual([[], []]);
  });

  test('are at most a thousand records a minute over all instances, the last of them for the rest', async () => {
    for (const [instances, most] of [
      [100, 10],
      [300, 3],
      [1, 1000],
    ] as const) {
      world = createTestWorld();
      world.after = () => ({ stop() {} });
      const refusals = of(instances);
      for (let index = 0; index < most + 5; index += 1) await refusals.gather({ address: `192.0.2.${index}` }, 'token');
      await refusals.gather({ address: '192.0.2.0' }, 'token');
      await refusals.flush();
      const found = await records();
      expect(found).toHaveLength(most);
      expect(found.filter(({ reason }) => reason === 'several')).toEqual([
        { entryId: `a-2026-11-20T10:00-${most - 1}`, address: null, subject: null, reason: 'several', count: 6 },
      ]);
      expect(found.find(({ address }) => address === '192.0.2.0')?.count).toBe(2);
    }
  });

  test('are at least one record for each instance, even with very many instances', async () => {
    const refusals = of(5000);
    await refusals.gather({ address: 'x' }, 'token');
    await refusals.gather({ address: 'y' }, 'token');
    await refusals.flush();
    expect((await records()).map(({ reason, count }) => [reason, count])).toEqual([['several', 2]]);
  });

  test('are lost with a log line if the store fails, and no request fails', async () => {
    const refusals = of(1);
    await refusals.gather({ address: 'x' }, 'token');
    world.store = { ...world.store, commit: async () => Promise.reject(new Error('away')) };
    const failing = createRefusals(world, { instance: 'a', maxInstances: 1 });
    await failing.gather({ address: 'x' }, 'token');
    await failing.flush();
    expect(world.lines.at(-1)).toEqual({ event: 'audit.failed', fields: { records: 1, error: 'Error: away' } });
  });
});
