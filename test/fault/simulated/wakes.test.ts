import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { createDispatcher } from '../../../shared/app/deliveries/deliver.ts';
import { sweep } from '../../../shared/app/due/sweep.ts';
import { endpoint, failure, storeDelivery, success } from '../../support/records/deliveries.ts';
import { ledger, sizeOf } from '../../support/score/score.ts';
import { createVirtualClock, withVirtualTimers } from '../../support/simulation/clock.ts';
import { createTasks } from '../../support/simulation/cloud.ts';
import { createInstance, type Instance, type Weather } from '../../support/simulation/instances.ts';
import { createRandom } from '../../support/world/random.ts';

const seed = Number(process.env['FAULT_SEED'] ?? 1);
const minute = 60_000;
const events = sizeOf(100, 1000);
const endpoints = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'].map((webhookId) =>
  endpoint({ webhookId, maxAttempts: 3 }),
);

type Sent = { deliveryId: string; attempt: number; startedAt: number; endedAt: number };

/** The delays of the contract before each attempt, by its number, milliseconds. */
const delays = [0, 0, 30_000, 120_000];

test('with refused, lost, late and duplicate wakes, each event still has one chain of attempts for each endpoint', {
  timeout: 600_000,
}, async () => {
  const random = createRandom(seed);
  const clock = createVirtualClock();
  const weather: Weather = {
    ...{ storeFaults: 0, outages: [], killEvery: Number.POSITIVE_INFINITY, wakeFaults: 0.3, copies: 0, onTheWay: 0 },
    calmFrom: clock.ms() + 6 * 60 * minute,
  };
  const sent: Sent[] = [];
  const store = createMemoryStore();
  await withVirtualTimers(clock, random.next, async () => {
    const send = async ({ deliveryId }: { deliveryId: string }, attempt: number) => {
      const one: Sent = { deliveryId, attempt, startedAt: clock.ms(), endedAt: Number.POSITIVE_INFINITY };
      sent.push(one);
      await clock.sleep(5 + random.below(300));
      one.endedAt = clock.ms();
      return random.chance(0.3) ? failure : success;
    };
    const tasks = createTasks({ clock, random, weather }, async ({ id }) => {
      const { dispatcher } = random.pick(processes);
      await dispatcher.attempt(id);
    });
    const processes = [1, 2].map(() => {
      const instance: Instance = createInstance({ store, waker: tasks, clock, random, weather });
      return { instance, dispatcher: createDispatcher(instance.world, { webhook: { send } }, clock.ms) };
    });
    for (let event = 0; event < events; event += 1) {
      clock.after(random.below(60 * minute), async () => {
        for (const hook of endpoints) {
          const { deliveryId: id, version } = await storeDelivery(store, `s-${event}`, hook);
          const dueAt = clock.now();
          await tasks
            .wake([{ in: 'deliveries', id, version, dueAt, target: hook.webhookId, webhookId: hook.webhookId }])
            .catch(() => {});
        }
      });
    }
    const each = () => {
      void sweep(random.pick(processes).instance.world);
      clock.after(minute, each);
    };
    clock.after(minute, each);
    await clock.runUntil(weather.calmFrom);
  });
  const deliveries = (await store.find({ in: 'deliveries', limit: 1_000_000 })).map(({ data }) => data);
  const lost = deliveries
    .filter(({ status }) => status !== 'delivered' && status !== 'failed')
    .map(({ deliveryId }) => deliveryId);
  const wrong: string[] = [];
  const doubled: string[] = [];
  const chains = Map.groupBy(sent, ({ deliveryId }) => deliveryId);
  for (const { deliveryId, status, attempts } of deliveries) {
    const chain = chains.get(deliveryId) ?? [];
    if (chain.some(({ attempt }, index) => attempt !== index + 1)) doubled.push(deliveryId);
    if (attempts.length !== chain.length || (status === 'failed' && chain.length !== 3)) wrong.push(deliveryId);
    for (const [index, { attempt, startedAt }] of chain.entries()) {
      const before = chain[index - 1];
      if (before && startedAt - before.endedAt < (delays[attempt] ?? 0)) wrong.push(`${deliveryId} too early`);
    }
  }
  const what = `deliveries, ${sent.length} attempts, wakes refused, lost, late, doubled (seed ${seed})`;
  ledger('R5', what, { tried: deliveries.length, lost: lost.length, wrong: wrong.length, doubled: doubled.length });
  expect({ lost, wrong, doubled }).toEqual({ lost: [], wrong: [], doubled: [] });
  expect(deliveries.length).toBe(2 * events);
  expect(sent.length).toBeGreaterThan(deliveries.length);
});
