import { describe, expect, test } from 'vitest';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { Conflict, type Sender, type Store } from '../../../../shared/app/ports.ts';
import { redelivered } from '../../../../shared/domain/delivery/decision.ts';
import type { Delivery, SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { msBetween } from '../../../../shared/domain/time.ts';
import { endpoint, failure, storeDelivery, success } from '../../../support/records/deliveries.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

/** A dispatcher whose receiver answers as configured and records what it was sent. */
function dispatcher(world: TestWorld, answer: (attempt: number) => SendOutcome | Promise<SendOutcome>) {
  const sent: { deliveryId: string; attempt: number; at: string }[] = [];
  const sender: Sender = {
    async send({ deliveryId }, attempt) {
      sent.push({ deliveryId, attempt, at: world.now() });
      return answer(attempt);
    },
  };
  return { sent, ...createDispatcher(world, { webhook: sender }, () => performance.now()) };
}

async function read(store: Store, { deliveryId }: Delivery): Promise<Delivery> {
  const [stored] = await store.get('deliveries', [deliveryId]);
  if (!stored) throw new Error('the delivery is gone');
  return stored.data;
}

/** Advances the clock to each time at which the delivery is due, until it is no longer pending. */
async function runToEnd(world: TestWorld, made: ReturnType<typeof dispatcher>, delivery: Delivery): Promise<Delivery> {
  for (let round = 0; round < 60; round += 1) {
    const { dueAt, status } = await read(world.store, delivery);
    if (status !== 'pending' || !dueAt) break;
    world.pass(Math.max(0, msBetween(world.now(), dueAt)) / 1000);
    await made.attempt(delivery.deliveryId);
  }
  return read(world.store, delivery);
}

describe('the schedule', () => {
  test.each([1, 2, 3, 4, 5])(
    'of %i attempts is kept to, and then the delivery waits for a person',
    async (maxAttempts) => {
      const world = createTestWorld();
      const delivery = await storeDelivery(world.store, 's-1', endpoint({ maxAttempts }));
      const made = dispatcher(world, () => failure);
      const done = await runToEnd(world, made, delivery);
      expect(done).toMatchObject({ status: 'failed', attemptCount: maxAttempts, dueAt: null, leasedUntil: null });
      const gaps = made.sent.slice(1).map(({ at }, index) => msBetween(made.sent[index]?.at ?? '', at) / 1000);
      for (const [index, delay] of [30, 120, 600, 3600].slice(0, maxAttempts - 1).entries()) {
        expect(gaps[index]).toBeGreaterThanOrEqual(delay);
        expect(gaps[index]).toBeLessThanOrEqual(delay * 1.1 + 1);
      }
      expect(made.sent.map(({ attempt }) => attempt)).toEqual(done.attempts.map(({ number }) => number));
      expect(new Set(made.sent.map(({ deliveryId }) => deliveryId)).size).toBe(1);
    },
  );

  test('ends with the first success', async () => {
    const world = createTestWorld();
    const delivery = await storeDelivery(world.store, 's-1');
    const made = dispatcher(world, (attempt) => (attempt === 3 ? success : failure));
    const done = await runToEnd(world, made, delivery);
    expect(done).toMatchObject({ status: 'delivered', attemptCount: 3, heldReason: null });
    expect(done.attempts.map(({ errorClass }) => errorClass)).toEqual(['http_status', 'http_status', null]);
    expect(await made.attempt(delivery.deliveryId)).toBe('idle');
    expect(made.sent).toHaveLength(3);
  });

  test('is lengthened by what the receiver asks for', async () => {
    const world = createTestWorld();
    const delivery = await storeDelivery(world.store, 's-1');
    await dispatcher(world, () => ({ ...failure, retryAfterMs: 300_000 })).attempt(delivery.deliveryId);
    const { dueAt } = await read(world.store, delivery);
    expect(msBetween(world.now(), dueAt ?? '')).toBeGreaterThanOrEqual(300_000);
  });

  test('begins anew with a redelivery, whose attempts are counted on', async () => {
    const world = createTestWorld();
    const delivery = await storeDelivery(world.store, 's-1', endpoint({ maxAttempts: 2 }));
    const made = dispatcher(world, () => failure);
    const failed = await runToEnd(world, made, delivery);
    const [stored] = await world.store.get('deliveries', [delivery.deliveryId]);
    const again = redelivered(failed, 'ana', world.now());
    if (!stored || !again) throw new Error('not failed');
    await world.store.commit([
      { kind: 'replace', in: 'deliveries', id: stored.id, data: again, revision: stored.revision },
    ]);
    const done = await runToEnd(world, made, delivery);
    expect(done).toMatchObject({ status: 'failed', attemptCount: 4 });
    expect(made.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });
});

describe('a wake', () => {
  test('that rings early, twice or late sends nothing twice', async () => {
    const world = createTestWorld();
    const delivery = await storeDelivery(world.store, 's-1');
    const made = dispatcher(world, () => failure);
    const results = await Promise.all([1, 2, 3].map(() => made.attempt(delivery.deliveryId)));
    expect(results.toSorted()).toEqual(['idle', 'idle', 'retried']);
    expect(await made.attempt(delivery.deliveryId)).toBe('idle');
    expect(made.sent).toHaveLength(1);
    world.pass(10_000);
    await Promise.all([1, 2, 3].map(() => made.attempt(delivery.deliveryId)));
    expect(made.sent).toHaveLength(2);
  });

  test('that is lost is made good by the sweep, under another name', async () => {
    const world = createTestWorld();
    const delivery = await storeDelivery(world.store, 's-1');
    world.pass(59);
    expect(await sweep(world)).toMatchObject({ deliveries: 0 });
    world.pass(2);
    expect(await sweep(world)).toMatchObject({ deliveries: 1 });
    expect(world.wakes).toMatchObject([{ in: 'deliveries', id: delivery.deliveryId, target: delivery.webhookId }]);
    expect(world.wakes[0]?.version).toBeGreaterThan(delivery.version);
  });

  test('that finds another process at work rings again at the end of its lease', async () => {
    const world = createTestWorld();
    const delivery = await storeDelivery(world.store, 's-1');
    // A process that dies during its request: nothing is written after the lease.
    void dispatcher(world, () => new Promise(() => {})).attempt(delivery.deliveryId);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { leasedUntil } = await read(world.store, delivery);
    const made = dispatcher(world, () => success);
    expect(await made.attempt(delivery.deliveryId)).toBe('idle');
    expect(world.wakes.at(-1)).toMatchObject({ id: delivery.deliveryId, dueAt: leasedUntil });
    world.pass(21);
    expect(await made.attempt(delivery.deliveryId)).toBe('delivered');
    expect(made.sent.map(({ attempt }) => attempt)).toEqual([1]);
  });
});

test('a wake that rings a moment before the end of a lease waits for it: a wake of its name could not be set again', async () => {
  const world = createTestWorld();
  const delivery = await storeDelivery(world.store, 's-1');
  void dispatcher(world, () => new Promise(() => {})).attempt(delivery.deliveryId);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { leasedUntil } = await read(world.store, delivery);
  world.pass(19.95);
  setTimeout(() => world.pass(0.05), 20);
  const made = dispatcher(world, () => success);
  expect(leasedUntil && leasedUntil > world.now()).toBe(true);
  expect(await made.attempt(delivery.deliveryId)).toBe('delivered');
});

test('a fault of ours costs no attempt: the call fails, and its repeat sends', async () => {
  const world = createTestWorld();
  const delivery = await storeDelivery(world.store, 's-1');
  const broken = dispatcher(world, () => {
    throw new Error('no key to open a secret with');
  });
  await expect(broken.attempt(delivery.deliveryId)).rejects.toThrow('no key');
  const made = dispatcher(world, () => success);
  expect(await made.attempt(delivery.deliveryId)).toBe('delivered');
  expect(made.sent).toMatchObject([{ attempt: 1 }]);
});

test('a lease whose answer was lost leaves a wake behind', async () => {
  const world = createTestWorld();
  const delivery = await storeDelivery(world.store, 's-1');
  let isFirst = true;
  const lossy: Store = {
    ...world.store,
    async commit(writes) {
      const written = await world.store.commit(writes);
      if (!isFirst) return written;
      isFirst = false;
      throw new Conflict('answer lost');
    },
  };
  const made = dispatcher({ ...world, store: lossy }, () => success);
  expect(await made.attempt(delivery.deliveryId)).toBe('idle');
  expect(world.wakes).toHaveLength(1);
  world.pass(21);
  expect(await made.attempt(delivery.deliveryId)).toBe('delivered');
});

test('an endpoint that is disabled is sent nothing: its deliveries are held', async () => {
  const world = createTestWorld();
  const delivery = await storeDelivery(world.store, 's-1', endpoint({ isEnabled: false }));
  expect(delivery).toMatchObject({ status: 'held', dueAt: null });
  const before = await storeDelivery(world.store, 's-2', endpoint());
  const made = dispatcher(world, () => success);
  expect(await made.attempt(before.deliveryId)).toBe('held');
  expect(made.sent).toEqual([]);
  expect(await read(world.store, before)).toMatchObject({ status: 'held', heldReason: 'The endpoint is disabled.' });
});

test('410 disables the endpoint, holds the delivery, and tells operations once', async () => {
  const world = createTestWorld();
  const [first, second] = [await storeDelivery(world.store, 's-1'), await storeDelivery(world.store, 's-2')];
  const made = dispatcher(world, () => ({ ...failure, statusCode: 410, isGone: true }));
  expect(await made.attempt(first.deliveryId)).toBe('held');
  expect(await made.attempt(second.deliveryId)).toBe('held');
  expect(made.sent).toHaveLength(1);
  const [webhook] = await world.store.get('webhooks', [first.webhookId ?? '']);
  expect(webhook?.data).toMatchObject({ isEnabled: false, disabledReason: 'It answered 410 Gone.' });
  const notices = await world.store.find({ in: 'notices', limit: 10 });
  expect(notices.map(({ data }) => data.text)).toEqual([expect.stringContaining('hooks.example.com was disabled')]);
});

test('after five failures in a row the circuit opens: the others wait without losing an attempt, and one tries again', async () => {
  const world = createTestWorld();
  const deliveries = await Promise.all(Array.from({ length: 8 }, (_, n) => `s-${n}`).map(async (id) => id));
  const stored: Delivery[] = [];
  for (const id of deliveries) stored.push(await storeDelivery(world.store, id));
  let isWell = false;
  const made = dispatcher(world, () => (isWell ? success : failure));
  const results: string[] = [];
  for (const { deliveryId } of stored) results.push(await made.attempt(deliveryId));
  expect(results).toEqual([...Array(5).fill('retried'), ...Array(3).fill('postponed')]);
  const waiting = await read(world.store, stored[7] as Delivery);
  expect(waiting).toMatchObject({ status: 'pending', attemptCount: 0, leasedUntil: null });
  const waits = await Promise.all(
    stored.slice(5).map(async (each) => msBetween(world.now(), (await read(world.store, each)).dueAt ?? '')),
  );
  // They spread over the half pause that follows the pause.
  for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(30_000);
  for (const wait of waits) expect(wait).toBeLessThanOrEqual(45_000);
  expect(new Set(waits).size).toBe(waits.length);
  isWell = true;
  world.pass(50);
  for (const { deliveryId } of stored) await made.attempt(deliveryId);
  const done = await Promise.all(stored.map((each) => read(world.store, each)));
  expect(done.map(({ status }) => status)).toEqual(Array(8).fill('delivered'));
  const [health] = await world.store.get('endpointHealth', [endpoint().webhookId]);
  expect(health?.data).toMatchObject({ failuresInRow: 0, openUntil: null });
});

test.each([
  ['test', true],
  ['challenge', true],
  ['detection', false],
] as const)(
  'while the circuit is open, an event of type %s is sent, since a person asked and waits for the answer: %s',
  async (eventType, isSent) => {
    const world = createTestWorld();
    let isWell = false;
    const made = dispatcher(world, () => (isWell ? success : failure));
    for (let n = 0; n < 5; n += 1) await made.attempt((await storeDelivery(world.store, `s-${n}`)).deliveryId);
    isWell = true;
    const { deliveryId: id } = await storeDelivery(world.store, 'asked for');
    await world.store.commit([{ kind: 'patch', in: 'deliveries', id, set: { eventType } }]);
    await made.attempt(id);
    expect(made.sent.some(({ deliveryId }) => deliveryId === id)).toBe(isSent);
  },
);

test('at most four requests to one endpoint are in flight, and those beyond cost no attempt', async () => {
  const world = createTestWorld();
  const stored: Delivery[] = [];
  for (let n = 0; n < 40; n += 1) stored.push(await storeDelivery(world.store, `s-${n}`));
  let isSlow = true;
  let inFlight = 0;
  let most = 0;
  const made = dispatcher(world, async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    if (isSlow) await new Promise((resolve) => setTimeout(resolve, 600));
    inFlight -= 1;
    return success;
  });
  const results = await Promise.all(stored.map(({ deliveryId }) => made.attempt(deliveryId)));
  expect(most).toBe(4);
  expect(results.filter((result) => result === 'delivered').length).toBeGreaterThanOrEqual(4);
  expect(new Set(results)).toEqual(new Set(['delivered', 'postponed']));
  isSlow = false;
  for (const delivery of stored) await runToEnd(world, made, delivery);
  const done = await Promise.all(stored.map((each) => read(world.store, each)));
  expect(done.every(({ status, attemptCount }) => status === 'delivered' && attemptCount === 1)).toBe(true);
});

test('healthy traffic writes nothing that deliveries share', async () => {
  const world = createTestWorld();
  const writes: string[] = [];
  const counted: Store = {
    ...world.store,
    commit(each) {
      writes.push(...each.map((write) => write.in));
      return world.store.commit(each);
    },
  };
  const made = dispatcher({ ...world, store: counted }, () => success);
  for (let n = 0; n < 20; n += 1) await made.attempt((await storeDelivery(world.store, `s-${n}`)).deliveryId);
  expect(writes).toEqual(Array(40).fill('deliveries'));
});

test('a channel that is not set up ends its delivery with the reason', async () => {
  const world = createTestWorld();
  const delivery = await storeDelivery(world.store, 's-1');
  const { attempt } = createDispatcher(world, {}, () => performance.now());
  expect(await attempt(delivery.deliveryId)).toBe('failed');
  expect((await read(world.store, delivery)).attempts).toMatchObject([{ errorClass: 'not_configured' }]);
});
