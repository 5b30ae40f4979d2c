import { expect, test } from 'vitest';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import type { Store } from '../../shared/app/ports.ts';
import { takeMessage } from '../../shared/app/take-message.ts';
import { plus } from '../../shared/domain/time.ts';
import { frames } from '../support/frames.ts';
import { message } from '../support/reports.ts';
import { createTestWorld, startOfTests } from '../support/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const devices = 500;
const minutes = 20;

/** A store that counts the records it reads and writes. */
function counting(store: Store): Store & { reads: number; writes: number; deletes: number; queries: number } {
  const counts = { reads: 0, writes: 0, deletes: 0, queries: 0 };
  return Object.assign(counts, {
    get: (async (kind, ids) => {
      counts.reads += ids.length;
      return store.get(kind, ids);
    }) as Store['get'],
    commit: (async (writes) => {
      counts.writes += writes.filter(({ kind }) => kind !== 'delete').length;
      counts.deletes += writes.filter(({ kind }) => kind === 'delete').length;
      return store.commit(writes);
    }) as Store['commit'],
    find: (async (query) => {
      counts.queries += 1;
      return store.find(query);
    }) as Store['find'],
    count: (async (query) => {
      counts.queries += 1;
      return store.count(query);
    }) as Store['count'],
  });
}

test('10,000 reports of 500 devices that change nothing cost at most 1 read and on average 0.5 write each', async () => {
  const store = counting(createMemoryStore());
  const world = createTestWorld(store);
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let device = 0; device < devices; device += 1) {
      const publishTime = plus(startOfTests, minute * 60_000 + device * 100);
      const body = {
        timestamp: publishTime,
        bootId: 'b',
        seq: minute,
        name: 'Gate',
        memory: { usedPercent: 40 + ((minute + device) % 20) },
        storage: { freeMegabytes: 900 - minute },
        mqtt: { latencyMs: 20 + (minute % 7), brokerHost: 'broker.example' },
        certificate: { valid: true, notAfter: plus(startOfTests, 90 * 86_400_000) },
        auth: { failedAttempts: 0 },
      };
      await takeMessage(world, message('status', body, { deviceId: `cam-${device}`, publishTime }), intake);
    }
  }
  const reports = devices * minutes;
  expect(store.reads / reports).toBeLessThanOrEqual(1);
  expect(store.writes / reports).toBeLessThanOrEqual(0.5);
  expect(store.writes).toBeGreaterThan(devices);
  expect([store.deletes, store.queries]).toEqual([0, 0]);
  expect(await store.count({ in: 'activity' })).toBe(0);
  // One alarm a device, for the day its certificate is about to end.
  expect(world.wakes).toHaveLength(devices);
});
