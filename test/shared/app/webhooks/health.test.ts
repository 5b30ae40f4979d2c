import { expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { createHealthList } from '../../../../shared/app/webhooks/health.ts';
import type { Attempt, Delivery, ErrorClass } from '../../../../shared/domain/delivery/delivery.ts';
import { afterFailure, soundHealth } from '../../../../shared/domain/delivery/endpoint-health.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { ana } from '../../../support/records/alerts.ts';
import { endpoint, giveWebhook, storeDelivery } from '../../../support/records/deliveries.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));
const hour = 3_600_000;

/** Stores a delivery that was created `hoursAgo` hours ago and has ended. */
async function ended(world: TestWorld, webhookId: string, hoursAgo: number, status: 'delivered' | 'failed') {
  const createdAt = plus(startOfTests, -hoursAgo * hour);
  const made = await storeDelivery(world.store, `${status}-${hoursAgo}`, endpoint({ webhookId }), createdAt);
  const set: Partial<Delivery> = { status, dueAt: null, finishedAt: plus(createdAt, 2000) };
  await world.store.commit([{ kind: 'patch', in: 'deliveries', id: made.deliveryId, set }]);
}

async function failing(world: TestWorld, webhookId: string, failures: number) {
  let data = soundHealth(webhookId);
  for (let count = 0; count < failures; count += 1) data = afterFailure(data, world.now(), world.now(), world.waits);
  await world.store.commit([{ kind: 'create', in: 'endpointHealth', id: webhookId, data }]);
  return data;
}

test('says how the deliveries of a day and of 28 days ended, and when one last arrived', async () => {
  const world = createTestWorld();
  const quiet = await giveWebhook(world);
  const busy = await giveWebhook(world);
  for (const hoursAgo of [1, 5, 23, 25, 600, 28 * 24 + 1]) await ended(world, busy, hoursAgo, 'delivered');
  for (const hoursAgo of [2, 30]) await ended(world, busy, hoursAgo, 'failed');
  const { health } = await createHealthList()(world, ana, {}, tokens);
  const sound = { circuit: 'closed', pausedUntil: null, failuresInRow: 0, failingSince: null };
  const none = { delivered: 0, failed: 0 };
  const unheard = { state: 'healthy', waiting: 0, recent: { failed: 0, of: 0, since: null } };
  expect(health.toSorted((a, b) => (a.webhookId < b.webhookId ? -1 : 1))).toEqual([
    { webhookId: quiet, ...sound, ...unheard, lastSuccessAt: null, last24h: none, last28d: none },
    {
      ...{ webhookId: busy, ...sound, ...unheard, lastSuccessAt: plus(startOfTests, 2000 - hour) },
      ...{ last24h: { delivered: 3, failed: 1 }, last28d: { delivered: 5, failed: 2 } },
    },
  ]);
});

test('says that nothing goes out, and afterwards that one delivery tests the endpoint', async () => {
  const world = createTestWorld();
  const webhookId = await giveWebhook(world);
  const { openUntil } = await failing(world, webhookId, 5);
  const list = createHealthList();
  const first = async () => (await list(world, ana, {}, tokens)).health[0];
  expect(await first()).toMatchObject({ circuit: 'open', pausedUntil: openUntil, failuresInRow: 5 });
  world.pass(world.waits.breakerFirst / 1000);
  expect(await first()).toMatchObject({ circuit: 'testing', pausedUntil: null, failingSince: startOfTests });
});

test('says by its newest attempts whether an endpoint fails, how much of them, and what waits', async () => {
  const world = createTestWorld();
  const webhookId = await giveWebhook(world);
  const list = createHealthList();
  const shown = async () => {
    const [{ state, recent, waiting } = {}] = (await list(world, ana, {}, tokens)).health;
    return { state, recent: recent && [recent.failed, recent.of], waiting };
  };
  const attempted = async (number: number, errorClasses: (ErrorClass | null)[], status: 'pending' | 'delivered') => {
    const delivery = await storeDelivery(world.store, `event-${number}`, endpoint({ webhookId }), world.now());
    const attempts = errorClasses.map((errorClass, index): Attempt => {
      const at = plus(world.now(), index * 1000);
      const said = { statusCode: null, detail: null, responseExcerpt: null };
      return { number: index + 1, round: 1, at, durationMs: 5, errorClass, ...said };
    });
    await world.store.commit([{ kind: 'patch', in: 'deliveries', id: delivery.deliveryId, set: { attempts, status } }]);
    world.pass(60);
  };
  await attempted(1, [null], 'delivered');
  expect(await shown()).toEqual({ state: 'healthy', recent: [0, 1], waiting: 0 });
  await attempted(2, ['timeout'], 'pending');
  expect(await shown()).toEqual({ state: 'failing', recent: [1, 2], waiting: 1 });
  await attempted(3, ['timeout', null], 'delivered');
  expect(await shown()).toMatchObject({ state: 'healthy', recent: [2, 4] });
  await attempted(4, ['http_status', null], 'delivered');
  // Three of the last hour failed, although the newest succeeded.
  expect(await shown()).toMatchObject({ state: 'failing', recent: [3, 6], waiting: 1 });
  world.pass(3600);
  expect(await shown()).toMatchObject({ state: 'healthy' });
  await failing(world, webhookId, 5);
  expect(await shown()).toMatchObject({ state: 'paused' });
});

test('counts again after a minute, and 28 days after five', async () => {
  const world = createTestWorld();
  const webhookId = await giveWebhook(world);
  const list = createHealthList();
  const counts = async () => {
    const [one] = (await list(world, ana, {}, tokens)).health;
    return [one?.last24h.delivered, one?.last28d.delivered];
  };
  expect(await counts()).toEqual([0, 0]);
  await ended(world, webhookId, 1, 'delivered');
  expect(await counts()).toEqual([0, 0]);
  world.pass(60);
  // The sum of a day and the days before it: never below the day.
  expect(await counts()).toEqual([1, 1]);
  await ended(world, webhookId, 25, 'delivered');
  world.pass(60);
  expect(await counts()).toEqual([1, 1]);
  world.pass(300);
  expect(await counts()).toEqual([1, 2]);
});

test('somebody limited to groups sees the endpoints of these groups, page by page', async () => {
  const world = createTestWorld();
  await giveWebhook(world, { filter: { groups: ['south'] } });
  const own = [
    await giveWebhook(world, { filter: { groups: ['north'] }, createdAt: plus(startOfTests, 1000) }),
    await giveWebhook(world, { filter: { groups: ['north'] }, createdAt: plus(startOfTests, 2000) }),
  ];
  const list = createHealthList();
  const limited = { ...ana, groups: ['north'] };
  const first = await list(world, limited, { pageSize: 1 }, tokens);
  expect(first.health.map(({ webhookId }) => webhookId)).toEqual([own[1]]);
  const pageToken = first.nextPageToken ?? '';
  const second = await list(world, limited, { pageSize: 1, pageToken }, tokens);
  expect(second.health.map(({ webhookId }) => webhookId)).toEqual([own[0]]);
  expect(second.nextPageToken).toBeUndefined();
});
