import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { createConcurrencyLimiter } from '../../../../shared/app/deliveries/dispatch-guards.ts';
import type { World } from '../../../../shared/app/ports.ts';
import { endpoint, storeDelivery, success } from '../../../support/records/deliveries.ts';
import { createVirtualClock, type VirtualClock } from '../../../support/simulation/clock.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const timersOf = (clock: VirtualClock): World['after'] => {
  return (ms, call) => {
    const alarm = clock.after(ms, call);
    return {
      stop() {
        alarm.ring = () => {};
      },
    };
  };
};

/** An endpoint that takes `takesMs` for each request, and a queue that dispatches due wakes at a limited rate. */
function queueTo(takesMs: number) {
  const clock = createVirtualClock();
  const { store, spent } = countingStore(createMemoryStore());
  const world = { ...createTestWorld(store), now: clock.now, after: timersOf(clock) };
  const taken: { deliveryId: string; at: number }[] = [];
  let [inFlight, most] = [0, 0];
  const send = async ({ deliveryId }: { deliveryId: string }) => {
    most = Math.max(most, ++inFlight);
    await clock.sleep(takesMs);
    inFlight -= 1;
    taken.push({ deliveryId, at: clock.ms() });
    return success;
  };
  const dispatcher = createDispatcher(world, { webhook: { send } }, clock.ms);
  let freeAt = 0;
  /** The queues of deliveries dispatch at most 200 wakes a second (terraform/deadlines.tf). */
  const wake = (deliveryId: string, dueAt: string) => {
    freeAt = Math.max(freeAt + 5, Date.parse(dueAt), clock.ms());
    clock.after(freeAt - clock.ms(), () => void dispatcher.attempt(deliveryId, endpoint().webhookId));
  };
  const sleepers: { id: string; dueAt: string }[] = [];
  world.waker = {
    async wake(wakes) {
      for (const { id, dueAt } of wakes) {
        sleepers.push({ id, dueAt });
        clock.after(Date.parse(dueAt) - clock.ms(), () => wake(id, dueAt));
      }
    },
  };
  return {
    clock,
    spent,
    taken,
    mostInFlight: () => most,
    /** Publishes an event now. Returns the id of its delivery. */
    async publish(eventId: string, deviceId: string): Promise<string> {
      const { deliveryId } = await storeDelivery(store, eventId, endpoint(), clock.now(), null, deviceId);
      wake(deliveryId, clock.now());
      return deliveryId;
    },
    /** From the creation of a delivery until the endpoint had taken it, milliseconds. */
    async delayOf(deliveryId: string) {
      const [stored] = await store.get('deliveries', [deliveryId]);
      const at = taken.find((each) => each.deliveryId === deliveryId)?.at ?? Number.POSITIVE_INFINITY;
      return at - Date.parse(stored?.data.createdAt ?? '');
    },
  };
}

test.each([
  { takesMs: 100, floods: 1500, withinMs: 1500 },
  { takesMs: 2000, floods: 200, withinMs: 8000 },
])(
  '$floods detections of one camera in 15 s at an endpoint that takes $takesMs ms hold up none of another',
  async (given) => {
    const { clock, publish, delayOf, taken, mostInFlight } = queueTo(given.takesMs);
    const others: string[] = [];
    for (let second = 0; second < 15; second += 1) {
      for (let n = 0; n < given.floods / 15; n += 1) {
        await publish(`flood ${second} ${n}`, 'cam-1');
        await clock.runUntil(clock.ms() + 15_000 / given.floods);
      }
      if (second % 5 === 4)
        for (const deviceId of ['cam-2', 'cam-3']) others.push(await publish(`good ${second}`, deviceId));
    }
    await clock.runUntil(clock.ms() + 3_600_000);
    const delays = await Promise.all(others.map(delayOf));
    expect(Math.max(...delays)).toBeLessThan(given.withinMs);
    expect(mostInFlight()).toBe(4);
    expect(new Set(taken.map(({ deliveryId }) => deliveryId)).size).toBe(taken.length);
    expect(taken.length).toBeGreaterThanOrEqual(given.floods);
  },
);

test('detections of one camera alone use all places of an endpoint', async () => {
  const { clock, publish, taken } = queueTo(100);
  for (let n = 0; n < 200; n += 1) await publish(`s-${n}`, 'cam-1');
  const from = clock.ms();
  await clock.runUntil(from + 60_000);
  expect(taken).toHaveLength(200);
  // Four places of 100 ms each take 40 a second.
  expect(Math.max(...taken.map(({ at }) => at)) - from).toBeLessThan(7000);
});

test('an alert of a camera does not wait behind its detections', async () => {
  const clock = createVirtualClock();
  const limiter = createConcurrencyLimiter({ after: timersOf(clock) }, clock.ms);
  const flights = [];
  for (let n = 0; n < 4; n += 1) flights.push(await limiter.enter('hook', 'detection cam-1', 4));
  const waits: Promise<unknown>[] = [];
  for (let n = 0; n < 30; n += 1) waits.push(limiter.enter('hook', 'detection cam-1', 4));
  const alert = limiter.enter('hook', 'alert cam-1', 4);
  await clock.runUntil(clock.ms() + 20);
  const [first] = flights;
  if (first?.kind === 'admitted') first.leave();
  expect(await alert).toMatchObject({ kind: 'admitted' });
});

test('many cameras that come at once return one by one, at the pace of the endpoint', async () => {
  const clock = createVirtualClock();
  const limiter = createConcurrencyLimiter({ after: timersOf(clock) }, clock.ms);
  const asked = Array.from({ length: 404 }, (_, n) => limiter.enter('hook', `detection cam-${n}`, 4));
  await clock.runUntil(clock.ms() + 400);
  const waits = (await Promise.all(asked)).flatMap((admission) =>
    admission.kind === 'busy' ? [admission.waitMs] : [],
  );
  expect(waits.length).toBeGreaterThan(350);
  expect(new Set(waits).size).toBeGreaterThan(waits.length * 0.9);
});
