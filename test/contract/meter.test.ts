import { expect, test } from 'vitest';
import { createMemoryStore } from '../../shared/adapters/memory/store.ts';
import type { Wake, Write } from '../../shared/app/ports.ts';
import { newDevice } from '../../shared/domain/device/device.ts';
import { plus } from '../../shared/domain/time.ts';
import { type Definitions, readDefinitions } from '../support/walls/index-rows.ts';
import { createMeter, type Wall } from '../support/walls/meter.ts';
import { startOfTests } from '../support/world/world.ts';

/** A meter whose clock the test advances. */
function metered(definitions?: Definitions) {
  const time = { now: startOfTests };
  const meter = createMeter(() => time.now, definitions);
  const store = meter.metered(createMemoryStore());
  const peak = (wall: Wall, times?: number) => meter.peaks(times).find((each) => each.wall === wall);
  return { meter, store, peak, pass: (ms: number) => (time.now = plus(time.now, ms)) };
}

const deviceOf = (id: string, at: string): Write => {
  return { kind: 'create', in: 'devices', id, data: { ...newDevice(id, at), silentAt: at } };
};

test('the meter names a document that is written more than once a second on average over a minute', async () => {
  const { store, peak, pass } = metered();
  for (let count = 0; count < 90; count += 1) {
    const write = {
      kind: 'accrue',
      in: 'fleetCounters',
      id: 'hot',
      set: { groupId: 'g' },
      add: { counts: { total: 1 } },
    };
    await store.commit([write as Write, deviceOf(`cam-${count}`, startOfTests)]);
    pass(500);
  }
  expect(peak('document')).toMatchObject({ name: 'fleetCounters/hot', rate: 1.5, share: 1.5 });
});

test('the meter finds an index that gets over 500 rising values a second; sharded and disabled indexes do not count', async () => {
  const named = (fields: string[]) => fields.map((fieldPath) => ({ fieldPath, order: 'ASCENDING' }));
  const off = (fieldPath: string) => ({ collectionGroup: 'devices', fieldPath, indexes: [] });
  // The indexes of these times are off: all of these devices are registered in the same second, unlike in a fleet.
  const known = readDefinitions().fieldOverrides.filter(({ fieldPath }) => fieldPath !== 'silentAt');
  const rest = [...known, off('registeredAt'), off('groupSince')];
  const definitions = (fields: string[], overrides = [off('silentAt')]) => ({
    indexes: [{ collectionGroup: 'devices', fields: named(fields) }],
    fieldOverrides: [...rest, ...overrides],
  });
  const rateWith = async (given: Definitions) => {
    const { store, peak, pass } = metered(given);
    for (let batch = 0; batch < 3; batch += 1) {
      const ids = Array.from({ length: 200 }, (_, index) => `cam-${batch * 200 + index}`);
      await store.commit(ids.map((id, index) => deviceOf(id, plus(startOfTests, batch * 300 + index))));
      pass(300);
    }
    return peak('rising index');
  };
  expect(await rateWith(definitions(['isOnline', 'silentAt']))).toMatchObject({
    name: 'devices: isOnline, silentAt [false]',
    rate: 600,
    share: 1.2,
  });
  expect(await rateWith(definitions(['silentAt'], []))).toMatchObject({ rate: 600 });
  expect((await rateWith(definitions(['shard', 'silentAt'])))?.rate).toBeLessThan(60);
  expect(await rateWith({ ...definitions([]), indexes: [] })).toBeUndefined();
});

test('the meter counts urgencies as rising values within each rank', async () => {
  const { store, peak } = metered({
    indexes: [{ collectionGroup: 'alerts', fields: ['isOpen', 'urgency'].map((fieldPath) => ({ fieldPath })) }],
    fieldOverrides: ['urgency', 'timestamp'].map((fieldPath) => ({
      collectionGroup: 'alerts',
      fieldPath,
      indexes: [],
    })),
  });
  for (let count = 0; count < 600; count += 1) {
    const timestamp = plus(startOfTests, count);
    const data = { isOpen: true, timestamp, urgency: `${count % 3 === 0 ? '06' : '16'} ${timestamp}` };
    await store.commit([{ kind: 'create', in: 'alerts', id: `a-${count}`, data } as unknown as Write]);
  }
  expect(peak('rising index')).toMatchObject({ name: 'alerts: isOpen, urgency [true]16', rate: 400 });
});

test('an unchanged value is not a write to its index', async () => {
  const { store, peak } = metered();
  await store.commit([deviceOf('cam-1', startOfTests)]);
  const first = peak('rising index')?.rate;
  for (let count = 0; count < 5; count += 1) {
    await store.commit([{ kind: 'patch', in: 'devices', id: 'cam-1', set: { name: `n${count}` } }]);
  }
  expect(first).toBe(1);
  expect(peak('rising index')?.rate).toBe(1);
  expect(peak('document')?.rate).toBe(6 / 60);
});

test('the meter measures queues by when their tasks are due, scaled to the size of the fleet', () => {
  const { meter, peak } = metered();
  const wake = (count: number, seconds: number): Wake => {
    return { in: 'alerts', id: `a-${count}`, version: 1, dueAt: plus(startOfTests, seconds * 1000) };
  };
  for (let count = 0; count < 400; count += 1) meter.dispatch('deadlines-1', wake(count, count % 20));
  for (let count = 0; count < 300; count += 1) meter.dispatch('deadlines-0', wake(count, 60));
  expect(peak('queue')).toMatchObject({ name: 'deadlines-0', rate: 30 });
  expect(peak('queue', 120)).toMatchObject({ rate: (120 * 400) / 60 });
});

test('ordering keys and answers are measured by their bytes', () => {
  const { meter, peak } = metered();
  for (let count = 0; count < 3; count += 1) meter.note('ordering key', 'cam-1', 500_000);
  meter.note('answer', 'GET /v1/fleet', 64 * 1024 * 1024);
  expect(peak('ordering key')).toMatchObject({ rate: 1_500_000, share: 1.5 });
  expect(peak('answer')).toMatchObject({ share: 2 });
});
