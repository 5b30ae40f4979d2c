import { afterEach, describe, expect, test } from 'vitest';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import type { Sender, Store } from '../../../../shared/app/ports.ts';
import type { Delivery } from '../../../../shared/domain/delivery/delivery.ts';
import { failure, giveWebhook, success } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { message } from '../../../support/records/reports.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { createFaultyStore, storeErrors } from '../../../support/stores/faulty-store.ts';
import { startTestApi } from '../../../support/world/api.ts';
import { createRandom } from '../../../support/world/random.ts';
import { intake } from '../../../support/world/ways.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const take = (world: TestWorld, session: string, deviceId = 'cam-1', store: Store = world.store) =>
  takeMessage({ ...world, store }, message('detection', detection(session), { deviceId, messageId: session }), intake);

const deliveriesOf = async ({ store }: TestWorld, webhookId: string) =>
  (await store.find({ in: 'deliveries', limit: 5000 })).flatMap(({ data }) =>
    data.webhookId === webhookId ? [data] : [],
  );

/** A receiver that records the sequence numbers that arrived for each device, and the last numbers that checkpoints named. */
function createReceiver(isLost: (delivery: Delivery) => boolean) {
  const came = new Map<string, Map<number, string>>();
  const last = new Map<string, number>();
  const sender: Sender = {
    async send(delivery) {
      if (isLost(delivery)) return failure;
      if (delivery.eventType === 'checkpoint') {
        const { sequences } = JSON.parse(delivery.body) as { sequences: Record<string, number> };
        for (const [deviceId, number] of Object.entries(sequences)) last.set(deviceId, number);
      } else if (delivery.sequence !== undefined) {
        const own = came.get(delivery.deviceId ?? '') ?? new Map<number, string>();
        came.set(delivery.deviceId ?? '', own.set(delivery.sequence, delivery.eventId));
      }
      return success;
    },
  };
  const missing = () =>
    [...last].flatMap(([deviceId, number]) =>
      Array.from({ length: number }, (_, index) => index + 1)
        .filter((each) => !came.get(deviceId)?.has(each))
        .map((each) => [deviceId, each] as const),
    );
  return { sender, came, last, missing };
}

async function deliverAll(world: TestWorld, sender: Sender): Promise<void> {
  const dispatcher = createDispatcher(world, { webhook: sender }, () => 0);
  for (const { data } of await world.store.find({ in: 'deliveries', limit: 5000 }))
    if (data.dueAt !== null && data.dueAt <= world.now()) await dispatcher.attempt(data.deliveryId, data.webhookId);
}

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

describe('an endpoint that counts', () => {
  test('names what it lacks by the checkpoint, finds it in the list of deliveries, and gets it again under its number', async () => {
    const api = await startTestApi();
    stops.push(api.stop);
    const { world } = api;
    const body = { url: 'https://hooks.example.com/', sequenced: true, maxAttempts: 1 };
    const { body: webhook, status } = await api.call('POST', '/v1/webhooks', { body });
    expect([status, webhook.sequenced]).toEqual([201, true]);
    let isLosing = true;
    const receiver = createReceiver(({ eventId }) => isLosing && eventId === 's-2');
    for (const session of ['s-1', 's-2', 's-3']) await take(world, session);
    await take(world, 'other', 'cam-2');
    await deliverAll(world, receiver.sender);
    expect(receiver.missing()).toEqual([]);
    world.pass(3600);
    await handleDue(world, 'sequenceCheckpoints', webhook.webhookId);
    await deliverAll(world, receiver.sender);
    expect([...receiver.last]).toEqual([
      ['cam-1', 3],
      ['cam-2', 1],
    ]);
    expect(receiver.missing()).toEqual([['cam-1', 2]]);
    const { deliveries } = (await api.call('GET', `/v1/deliveries?webhookId=${webhook.webhookId}`)).body;
    const lost = deliveries.find((each: Delivery) => each.deviceId === 'cam-1' && each.sequence === 2);
    expect(lost).toMatchObject({ eventId: 's-2', status: 'failed' });
    isLosing = false;
    await api.call('POST', `/v1/deliveries/${lost.deliveryId}/redeliver`);
    await deliverAll(world, receiver.sender);
    expect(receiver.missing()).toEqual([]);
    expect(receiver.came.get('cam-1')?.get(2)).toBe('s-2');
  });

  test('is sent a checkpoint each hour by the sweep alone, until it no longer counts', async () => {
    const api = await startTestApi();
    stops.push(api.stop);
    const { world } = api;
    const { webhookId } = (
      await api.call('POST', '/v1/webhooks', { body: { url: 'https://hooks.example.com/', sequenced: true } })
    ).body;
    await take(world, 's-1');
    const checkpoints = async () =>
      (await deliveriesOf(world, webhookId)).filter(({ eventType }) => eventType === 'checkpoint');
    for (let quarter = 0; quarter < 13; quarter += 1) {
      world.pass(15 * 60 + 1);
      await sweep(world);
      await sweep(world);
    }
    expect(await checkpoints()).toHaveLength(3);
    await api.call('PATCH', `/v1/webhooks/${webhookId}`, { body: { sequenced: false } });
    // Checkpoints that were created for a sequenced endpoint are not sent once it no longer is one.
    const sent: string[] = [];
    const sender: Sender = {
      async send({ eventType }) {
        sent.push(eventType);
        return success;
      },
    };
    await deliverAll(world, sender);
    expect(sent).toEqual(['detection']);
    expect((await checkpoints()).map(({ status, dismissedReason }) => [status, dismissedReason])).toEqual(
      Array(3).fill(['dismissed', 'overtaken']),
    );
    world.pass(7200);
    await sweep(world);
    expect(await world.store.count({ in: 'sequenceCheckpoints' })).toBe(0);
    expect(await checkpoints()).toHaveLength(3);
    await api.call('PATCH', `/v1/webhooks/${webhookId}`, { body: { sequenced: true } });
    await take(world, 's-2');
    const numbers = (await deliveriesOf(world, webhookId)).flatMap(({ sequence }) => sequence ?? []);
    expect(numbers.toSorted()).toEqual([1, 2]);
  });
});

test('whatever fails, comes twice or at once, each endpoint and device has every number once and no gap', async () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const random = createRandom(seed);
    const world = createTestWorld();
    const counting = [await giveWebhook(world, { sequenced: true }), await giveWebhook(world, { sequenced: true })];
    const store = createFaultyStore(world.store, (_call, name) => {
      if (!random.chance(name === 'commit' ? 0.3 : 0.05)) return null;
      const error = random.pick([storeErrors.UNAVAILABLE, storeErrors.DEADLINE_EXCEEDED, storeErrors.ABORTED]);
      return { when: random.pick(['before', 'after'] as const), error };
    });
    const sessions = Array.from({ length: 30 }, (_, n) => [`s-${n}`, `cam-${n % 2}`] as const);
    const pending = [...sessions, ...sessions.filter(() => random.chance(0.3))];
    while (pending.length > 0) {
      const burst = pending.splice(0, 1 + random.below(4));
      const outcomes = await Promise.allSettled(
        burst.map(([session, deviceId]) => take(world, session, deviceId, store)),
      );
      outcomes.forEach((outcome, index) => {
        const each = burst[index];
        if (outcome.status === 'rejected' && each) pending.push(each);
      });
    }
    for (const webhookId of counting) {
      const byDevice = Map.groupBy(await deliveriesOf(world, webhookId), ({ deviceId }) => deviceId);
      for (const [deviceId, own] of byDevice) {
        const numbers = own.map(({ sequence }) => sequence ?? 0).toSorted((a, b) => a - b);
        expect(numbers, `seed ${seed}, ${deviceId}`).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
        const [record] = await world.store.get('sequences', [deviceId ?? '']);
        expect(record?.data.last[webhookId]).toBe(15);
      }
      expect(byDevice.size).toBe(2);
    }
  }
});

test('counting costs one read and one write more for a detection, however many endpoints count, and nothing where none does', async () => {
  const spentOf = async (sequenced: boolean[]) => {
    const world = createTestWorld();
    for (const each of sequenced) await giveWebhook(world, { sequenced: each });
    await take(world, 'first');
    const { store, spent } = countingStore(world.store);
    await take(world, 's', 'cam-1', store);
    return { reads: spent.reads, writes: spent.writes };
  };
  const plain = await spentOf([false, false, false]);
  expect(await spentOf([true, false, true])).toEqual({ reads: plain.reads + 1, writes: plain.writes + 1 });
  const alone = await spentOf([false]);
  expect(await spentOf([true])).toEqual({ reads: alone.reads + 1, writes: alone.writes + 1 });
});
