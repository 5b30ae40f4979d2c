import { expect, test } from 'vitest';
import { actOnAlert } from '../../../shared/app/alerts/actions.ts';
import { handleDue } from '../../../shared/app/due/due.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../shared/app/intake/take-message.ts';
import type { Store } from '../../../shared/app/ports.ts';
import { alertOf, ana, openTestAlert } from '../../support/records/alerts.ts';
import { message } from '../../support/records/reports.ts';
import { createFaultyStore, storeErrors } from '../../support/stores/faulty-store.ts';
import { sizeOnStore, storesOfRun } from '../../support/stores/store-of-run.ts';
import { frames } from '../../support/world/frames.ts';
import { createTestWorld } from '../../support/world/world.ts';

const stores = storesOfRun();
const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;

test('a store error is thrown, so that the platform retries the message', async () => {
  const store = createFaultyStore(stores.empty(), () => ({ when: 'before', error: storeErrors.UNAVAILABLE }));
  await expect(takeMessage(createTestWorld(store), message('status', {}), intake)).rejects.toThrow('UNAVAILABLE');
  await expect(takeMessage(createTestWorld(store), message('nonsense', {}), intake)).rejects.toThrow('UNAVAILABLE');
});

test('a write conflict of the store does not mean that the message is quarantined already', async () => {
  const inner = stores.empty();
  const aborting = createFaultyStore(inner, (_, name) =>
    name === 'commit' ? { when: 'before', error: storeErrors.ABORTED } : null,
  );
  const poison = message('nonsense', {});
  await expect(takeMessage(createTestWorld(aborting), poison, intake)).rejects.toThrow('Too many writers');
  const lossy = createFaultyStore(inner, (_, name) =>
    name === 'commit' ? { when: 'after', error: storeErrors.ABORTED } : null,
  );
  await takeMessage(createTestWorld(lossy), poison, intake);
  expect(await inner.count({ in: 'quarantine' })).toBe(1);
});

test('two simultaneous reports that register the same device both leave a line in its activity', async () => {
  const inner = stores.empty();
  const world = createTestWorld(inner);
  await takeMessage(world, message('status', {}), intake);
  const restarted = (minute: number) => {
    const timestamp = `2026-11-20T09:0${minute}:00.000Z`;
    return message('event', { type: 'restarted', timestamp }, { messageId: `restarted-${minute}` });
  };
  let isFirst = true;
  const overtaken: Store = {
    ...inner,
    async commit(writes) {
      if (isFirst) {
        isFirst = false;
        await takeMessage(world, restarted(1), intake);
      }
      return inner.commit(writes);
    },
  };
  await takeMessage({ ...world, store: overtaken }, restarted(2), intake);
  expect(await inner.count({ in: 'activity', where: [{ field: 'kind', is: '==', value: 'event' }] })).toBe(2);
});

test('an action whose commit loses its answer succeeds, and is done once', async () => {
  const inner = stores.empty();
  const world = createTestWorld(inner);
  const alertId = await openTestAlert(world);
  const { version } = await actOnAlert(world, ana, alertId, { kind: 'acknowledge' }, null);
  let isLost = false;
  const lossy = createFaultyStore(inner, (_, name) => {
    if (name !== 'commit' || isLost) return null;
    isLost = true;
    return { when: 'after', error: storeErrors.ABORTED };
  });
  const noted = await actOnAlert({ ...world, store: lossy }, ana, alertId, { kind: 'add-note', text: 'seen' }, version);
  expect(noted.version).toBe(version + 1);
  expect(await inner.count({ in: 'audit', where: [{ field: 'why', is: '==', value: 'seen' }] })).toBe(1);
});

test('an alert that was resolved by hand stays resolved while its camera does not report, however often it is evaluated', async () => {
  const world = createTestWorld(stores.empty());
  const says = (status: string) => message('connection', { status }, { publishTime: world.now() });
  await takeMessage(world, says('online'), intake);
  world.pass(10);
  await takeMessage(world, says('offline'), intake);
  // Without canaries the platform is blind, and declares a loss that the broker reported after 15 minutes.
  world.pass(901);
  await handleDue(world, 'devices', 'cam-1');
  const [first] = await world.store.find({ in: 'alerts', limit: 1 });
  await actOnAlert(world, ana, first?.id ?? '', { kind: 'resolve' }, null);
  // A sweep of the emulator takes half a second.
  const stepMinutes = sizeOnStore(1, 5);
  for (let minutes = 0; minutes < 90; minutes += stepMinutes) {
    world.pass(stepMinutes * 60);
    await handleDue(world, 'devices', 'cam-1');
    await sweep(world);
  }
  expect(await world.store.count({ in: 'alerts', where: [{ field: 'isOpen', is: '==', value: true }] })).toBe(0);
});

test('a failing record or query does not stop the rest of a sweep', async () => {
  const inner = stores.empty();
  const world = createTestWorld(inner);
  const ids = [await openTestAlert(world), await openTestAlert(world), await openTestAlert(world)];
  world.pass(600);
  const broken: Store = {
    ...inner,
    async get(kind, wanted) {
      if (wanted.includes(ids[0] ?? '')) throw storeErrors.UNAVAILABLE();
      return inner.get(kind, wanted);
    },
    async find(query) {
      if (query.in === 'devices') throw storeErrors.UNAVAILABLE();
      return inner.find(query);
    },
  };
  await expect(sweep({ ...world, store: broken })).rejects.toThrow('UNAVAILABLE');
  const statuses = async () => Promise.all(ids.map(async (id) => (await alertOf(world, id)).status));
  expect(await statuses()).toEqual(['active', 'escalated', 'escalated']);
  await expect(sweep({ ...world, store: { ...broken, get: inner.get } })).rejects.toThrow('UNAVAILABLE');
  expect(await statuses()).toEqual(['escalated', 'escalated', 'escalated']);
});
