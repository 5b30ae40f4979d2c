import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import type { Delivery, SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { msBetween } from '../../../../shared/domain/time.ts';
import { endpoint, failure, storeDelivery } from '../../../support/records/deliveries.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { createTestWorld } from '../../../support/world/world.ts';

/** A dispatcher on a store that counts its operations, with `count` deliveries to one endpoint. */
async function dispatcherWith(count: number, answer: () => Promise<SendOutcome>) {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  const deliveries: Delivery[] = [];
  for (let n = 0; n < count; n += 1) deliveries.push(await storeDelivery(store, `s-${n}`));
  const sent: string[] = [];
  const send = async ({ deliveryId }: Delivery) => {
    sent.push(deliveryId);
    return answer();
  };
  const dispatcher = createDispatcher(world, { webhook: { send } }, () => performance.now());
  return {
    world,
    deliveries,
    sent,
    spent,
    reset,
    visit: ({ deliveryId, webhookId }: Delivery) => dispatcher.attempt(deliveryId, webhookId),
    async now({ deliveryId }: Delivery): Promise<Delivery> {
      const [stored] = await store.get('deliveries', [deliveryId]);
      if (!stored) throw new Error('the delivery is gone');
      return stored.data;
    },
  };
}

test('a delivery that meets an open circuit costs one read and one write, and neither endpoint nor health is read', async () => {
  const { deliveries, visit, spent, reset } = await dispatcherWith(15, async () => failure);
  for (const each of deliveries.slice(0, 5)) expect(await visit(each)).toBe('retried');
  reset();
  for (const each of deliveries.slice(5)) expect(await visit(each)).toBe('postponed');
  expect(spent).toMatchObject({ reads: 10, writes: 10, queries: 0 });
});

test('while one attempt tries an endpoint after its pause, the others come back when it is over and no sooner', async () => {
  let isHanging = false;
  const hang = () => new Promise<SendOutcome>(() => {});
  const { world, deliveries, visit, sent, now } = await dispatcherWith(25, async () => (isHanging ? hang() : failure));
  for (const each of deliveries.slice(0, 5)) await visit(each);
  world.pass(50);
  isHanging = true;
  const [trial, ...others] = deliveries.slice(5);
  if (!trial) throw new Error('too few');
  void visit(trial);
  while (sent.length < 6) await new Promise((resolve) => setImmediate(resolve));
  const results = await Promise.all(others.map(visit));
  expect(new Set(results)).toEqual(new Set(['postponed']));
  const waits: number[] = [];
  for (const each of others) waits.push(msBetween(world.now(), (await now(each)).dueAt ?? ''));
  const timeoutMs = endpoint().timeoutSeconds * 1000;
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(timeoutMs);
  expect(Math.max(...waits)).toBeLessThanOrEqual(timeoutMs + 15_000);
  expect(new Set(waits).size).toBe(waits.length);
});

test('those that waited for a place are not sent once the circuit has opened before them', async () => {
  const slowFailure = () => new Promise<SendOutcome>((resolve) => setTimeout(resolve, 20, failure));
  const { deliveries, visit, sent, now } = await dispatcherWith(16, slowFailure);
  const results = await Promise.all(deliveries.map(visit));
  // The first four fail, and the next four are admitted before the fifth failure opens the circuit.
  expect(sent.length).toBeLessThanOrEqual(8);
  for (const [index, each] of deliveries.entries()) {
    const { attemptCount } = await now(each);
    expect([results[index], attemptCount]).toEqual(attemptCount === 1 ? ['retried', 1] : ['postponed', 0]);
  }
});

test('a wake that names no endpoint, or another than the delivery’s, costs reads and changes nothing else', async () => {
  const { deliveries, sent, world, now } = await dispatcherWith(2, async () => failure);
  const dispatcher = createDispatcher(world, { webhook: { send: async () => failure } }, () => 0);
  const [first, second] = deliveries;
  if (!first || !second) throw new Error('too few');
  expect(await dispatcher.attempt(first.deliveryId)).toBe('retried');
  expect(await dispatcher.attempt(second.deliveryId, '99999999-9999-4999-8999-999999999999')).toBe('retried');
  expect((await now(second)).attempts).toMatchObject([{ errorClass: 'http_status' }]);
  expect(sent).toEqual([]);
});
