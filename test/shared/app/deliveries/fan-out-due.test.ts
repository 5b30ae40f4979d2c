import { expect, test } from 'vitest';
import { decideAndCommit } from '../../../../shared/app/commit/commit.ts';
import { removeDevice } from '../../../../shared/app/devices/devices.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import type { AlertSeed } from '../../../../shared/domain/alert/alert.ts';
import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts';
import { fanOutOf, nextPart } from '../../../../shared/domain/delivery/fan-out.ts';
import { webhookDelivery } from '../../../../shared/domain/delivery/webhook-events.ts';
import { alertCodes } from '../../../../shared/schema/vocabulary.ts';
import { ana, giveTeam, openedAlert, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { message } from '../../../support/records/reports.ts';
import { createFaultyStore, storeErrors } from '../../../support/stores/faulty-store.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;

async function worldWith(endpoints: number): Promise<TestWorld> {
  const world = createTestWorld();
  for (let n = 1; n <= endpoints; n += 1) {
    const webhookId = uuidOf(n);
    // The endpoints differ in their attempts, and some are disabled.
    const data = endpoint({ webhookId, maxAttempts: 1 + (n % 5), isEnabled: n % 7 > 0 });
    await world.store.commit([{ kind: 'create', in: 'webhooks', id: webhookId, data }]);
  }
  return world;
}

const deliveriesOf = async ({ store }: TestWorld): Promise<Delivery[]> =>
  (await store.find({ in: 'deliveries', limit: 50_000 })).map(({ data }) => data);

/** Handles every wake of a fan-out. */
async function ringAll(world: TestWorld): Promise<void> {
  for (const { in: kind, id } of world.wakes.splice(0)) if (kind === 'fanOuts') await handleDue(world, kind, id);
}

test('a change of an alert that 1,000 endpoints ask for puts the deliveries to all of them into the outbox with its own commit', async () => {
  const world = await worldWith(1000);
  const alertId = await openTestAlert(world);
  // The alert is committed together with one fan-out record, which creates the deliveries later.
  const [pending, ...others] = await world.store.find({ in: 'fanOuts', limit: 10 });
  expect([pending?.data.count, others.length, (await deliveriesOf(world)).length]).toEqual([1000, 0, 0]);
  expect(world.wakes.filter((wake) => wake.in === 'fanOuts')).toEqual([
    { in: 'fanOuts', id: pending?.id, version: 1, dueAt: world.now() },
  ]);
  await ringAll(world);
  const made = await deliveriesOf(world);
  expect(new Set(made.map(({ webhookId }) => webhookId)).size).toBe(1000);
  expect(made.filter(({ status }) => status === 'held')).toHaveLength(142);
  expect(world.wakes.filter((wake) => wake.in === 'deliveries')).toHaveLength(858);
  expect(await world.store.count({ in: 'fanOuts' })).toBe(0);
  // The audit trail names the deliveries that were created.
  const [entry] = await world.store.find({
    in: 'audit',
    where: [{ field: 'alertId', is: '==', value: alertId }],
    limit: 1,
  });
  expect(new Set(entry?.data.notified.map(({ deliveryId }) => deliveryId))).toEqual(
    new Set(made.map((each) => each.deliveryId)),
  );
});

test('deliveries come out as they were packed', () => {
  const deliveries = [1, 2, 3].map((n) => {
    const webhook = endpoint({ webhookId: uuidOf(n), isEnabled: n !== 2, maxAttempts: n });
    const event = { eventType: 'alert', eventId: 'e', alertId: 'a', deviceId: 'c', groupId: 'g', body: '{"ü":"\\""}' };
    return webhookDelivery(webhook, event, startOfTests);
  }) as [Delivery, ...Delivery[]];
  expect(nextPart(fanOutOf(deliveries, startOfTests))).toEqual({ part: deliveries, rest: null });
  expect(fanOutOf(deliveries, startOfTests)).toEqual(fanOutOf(deliveries, startOfTests));
});

test('cut off at any commit, before or after it took effect, and rung twice at once, each endpoint has one delivery', async () => {
  for (const when of ['before', 'after'] as const) {
    for (const failing of [1, 2, 3, 4]) {
      const world = await worldWith(1000);
      await openTestAlert(world);
      const [{ id = '' } = {}] = await world.store.find({ in: 'fanOuts', limit: 1 });
      let commits = 0;
      const store = createFaultyStore(world.store, (_, name) => {
        if (name === 'commit') commits += 1;
        return name === 'commit' && commits === failing ? { when, error: storeErrors.UNAVAILABLE } : null;
      });
      await expect(handleDue({ ...world, store }, 'fanOuts', id)).rejects.toThrow('UNAVAILABLE');
      world.pass(120);
      await Promise.all([sweep(world), handleDue(world, 'fanOuts', id)]);
      expect([when, failing, (await deliveriesOf(world)).length]).toEqual([when, failing, 1000]);
      expect(await world.store.count({ in: 'fanOuts' })).toBe(0);
    }
  }
});

test('a report and a decommissioning that change several alerts at once fit their commits', async () => {
  const world = await worldWith(300);
  const body = {
    memory: { usedPercent: 95 },
    storage: { freeMegabytes: 1 },
    mqtt: { latencyMs: 900 },
    certificate: { valid: false },
  };
  await takeMessage(world, message('status', body), intake);
  await ringAll(world);
  const opened = await world.store.count({ in: 'alerts' });
  expect(opened).toBeGreaterThanOrEqual(4);
  expect(await deliveriesOf(world)).toHaveLength(300 * opened);
  await removeDevice(world, ana, 'cam-1');
  await ringAll(world);
  expect(await deliveriesOf(world)).toHaveLength(600 * opened);
});

test('as many contacts as a team may have are all notified, whatever number of alerts a commit opens', async () => {
  const world = createTestWorld();
  const range = (count: number) => Array.from({ length: count }, (_, index) => index);
  await giveTeam(world, 'operations', {
    emails: range(20).map((n) => `ops-${n}@example.com`),
    chats: range(10).map((n) => ({ kind: 'slack' as const, url: `https://chat.example.com/${n}` })),
    phones: range(20).map((n) => `+4670123456${n}`),
  });
  const critical = alertCodes.filter((code) => ['CONN_001', 'SEC_001', 'SEC_002', 'CFG_001'].includes(code));
  const seeds = [...critical, ...critical, ...critical].map(
    (code, index): AlertSeed => ({
      alertId: uuidOf(index),
      deviceId: 'cam-1',
      groupId: `group-${index}`,
      code,
      message: `It is ${code}`,
      context: {},
    }),
  );
  await decideAndCommit(world, async () => {
    const changes = await Promise.all(seeds.map((seed) => openedAlert(world, seed)));
    const writes = changes.flatMap((change) => change.writes);
    return { writes, wakes: changes.flatMap(({ wakes }) => wakes), answer: undefined };
  });
  await ringAll(world);
  expect(await world.store.count({ in: 'alerts' })).toBe(seeds.length);
  expect(await deliveriesOf(world)).toHaveLength(50 * seeds.length);
});
