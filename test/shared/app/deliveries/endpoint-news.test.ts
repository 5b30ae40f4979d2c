import { beforeEach, describe, expect, test } from 'vitest';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { createDispatcher } from '../../../../shared/app/deliveries/deliver.ts';
import { createMetrics } from '../../../../shared/app/metrics/metrics.ts';
import { getNow } from '../../../../shared/app/now/read.ts';
import { getShift } from '../../../../shared/app/now/shift.ts';
import { changeWebhook } from '../../../../shared/app/webhooks/webhooks.ts';
import type { Delivery, SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import type { Webhook } from '../../../../shared/domain/delivery/webhook.ts';
import { createPost } from '../../../support/notify/post.ts';
import { ana, giveTeam } from '../../../support/records/alerts.ts';
import { endpoint, failure, storeDelivery, success } from '../../../support/records/deliveries.ts';
import { box } from '../../../support/world/secret-box.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const hour = 3600;
const phone = '+46700000001';
const owner = 'owner@example.com';

describe('an endpoint', () => {
  let world: TestWorld;
  let answer: (delivery: Delivery) => SendOutcome;
  let post: ReturnType<typeof createPost>;
  let count: number;
  beforeEach(async () => {
    world = createTestWorld();
    answer = () => success;
    post = createPost(world, (delivery) => (delivery.channel === 'webhook' ? answer(delivery) : success), {
      processes: 2,
    });
    count = 0;
    await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: [phone] });
  });
  const notices = () =>
    post.sent
      .filter(({ delivery }) => delivery.eventType === 'notice')
      .map(({ delivery, to }) => `${delivery.eventId.split('-')[1]} ${to.replace('operations: ', '')}`)
      .toSorted();
  const entries = async () =>
    (await world.store.find({ in: 'auditStream', limit: 50 }))
      .toSorted((a, b) => (a.data.at < b.data.at ? -1 : 1))
      .map(({ data }) => data.action);
  const events = async (number: number, webhook: Webhook) => {
    for (let n = 0; n < number; n += 1) {
      count += 1;
      const delivery = await storeDelivery(world.store, `s-${count}`, webhook, world.now());
      world.wakes.push({
        in: 'deliveries',
        target: webhook.webhookId,
        id: delivery.deliveryId,
        version: 1,
        dueAt: world.now(),
        webhookId: webhook.webhookId,
      });
    }
  };
  const critical = endpoint({ contact: owner, maxAttempts: 3 });

  test('that takes what is CRITICAL and fails is told once on every channel and to its contact, and again when it works', async () => {
    answer = () => failure;
    await events(6, critical);
    await post.pass(hour);
    const failing = ['failing +46700000001', 'failing ops@example.com', `failing ${owner}`];
    expect([notices(), await entries()]).toEqual([failing, ['endpoint.failing']]);
    await events(20, critical);
    await post.pass(6 * hour);
    expect([notices(), await entries()]).toEqual([failing, ['endpoint.failing']]);
    answer = () => success;
    await events(4, critical);
    await post.pass(hour);
    expect(notices()).toEqual([...failing, 'recovered ops@example.com', `recovered ${owner}`]);
    expect(await entries()).toEqual(['endpoint.failing', 'endpoint.recovered']);
  });

  test('is not told for two events that fail, nor for a third after a success', async () => {
    const refused: SendOutcome = { ...failure, statusCode: 400, isRetryable: false };
    answer = () => refused;
    await events(2, critical);
    await post.pass(hour);
    answer = () => success;
    await events(1, critical);
    await post.pass(hour);
    answer = () => refused;
    await events(2, critical);
    await post.pass(hour);
    expect([notices(), await entries()]).toEqual([[], []]);
    await events(1, critical);
    await post.pass(hour);
    expect(await entries()).toEqual(['endpoint.failing']);
  });

  test('that gets nothing CRITICAL tells its contact and the audit stream, and not operations', async () => {
    answer = () => failure;
    await events(3, endpoint({ contact: owner, filter: { severities: ['WARNING'] } }));
    await post.pass(hour);
    expect([notices(), await entries()]).toEqual([[`failing ${owner}`], ['endpoint.failing']]);
  });

  test('whose contact is no mail address, or a colleague of operations, is told to each address once', async () => {
    answer = () => failure;
    await events(3, endpoint({ contact: 'The desk, room 3' }));
    await events(3, endpoint({ webhookId: '22222222-2222-4222-8222-222222222222', contact: 'OPS@example.com' }));
    await post.pass(hour);
    const each = ['failing +46700000001', 'failing ops@example.com'];
    expect(notices()).toEqual([...each, ...each].toSorted());
  });

  test('is told once by instances that see it fail and work again at the same instant', async () => {
    const outcomes = [failure, failure, failure, success];
    const send = async () => ({ ...(outcomes[round] ?? success), isRetryable: false });
    const made = Array.from({ length: 4 }, () => createDispatcher(world, { webhook: { send } }, () => 0));
    let round = 0;
    for (; round < outcomes.length; round += 1) {
      const same: Delivery[] = [];
      for (const n of made.keys()) same.push(await storeDelivery(world.store, `r-${round}-${n}`, critical));
      await Promise.all(same.map(({ deliveryId }, n) => made[n]?.attempt(deliveryId, critical.webhookId)));
      world.pass(hour);
    }
    expect(await entries()).toEqual(['endpoint.failing', 'endpoint.recovered']);
  });

  test('that a person enables again is told as working with its first success', async () => {
    answer = () => ({ ...failure, statusCode: 410, isGone: true });
    await events(1, critical);
    await post.pass(hour);
    const which = { webhookId: critical.webhookId, ifVersion: null };
    await changeWebhook(world, box, ana, which, (webhook) => ({ ...webhook, isEnabled: true, disabledReason: null }));
    expect(await entries()).toEqual(['endpoint.disabled']);
    answer = () => success;
    await events(2, critical);
    await post.pass(hour);
    expect(await entries()).toEqual(['endpoint.disabled', 'endpoint.recovered']);
  });

  test('that takes what is CRITICAL and fails is named with what is wrong, on the sheet of a hand-over and in the metrics until it works, for who may see it', async () => {
    const own = endpoint({ ...critical, filter: { groups: ['north'] } });
    const lesser = endpoint({ webhookId: '22222222-2222-4222-8222-222222222222', filter: { severities: ['WARNING'] } });
    const reader: Bearer = { ...ana, scopes: new Set(['webhooks:read']) };
    const north = { ...reader, groups: ['north'] };
    const others = [
      { ...reader, groups: ['south'] },
      { ...reader, scopes: new Set<never>() },
    ];
    const named = async (bearer: Bearer) => {
      const [now, shift] = [await getNow(world, bearer, {}), await getShift(world, bearer, {})];
      expect(shift.endpoints).toEqual(now.endpoints);
      return now.endpoints.map(({ webhookId, state, reason }) => `${webhookId.slice(0, 1)} ${state} ${reason}`);
    };
    const gauge = async () => {
      const families = await createMetrics()(world, ana);
      const { samples = [] } = families.find(({ name }) => name === 'watchpost_endpoint_failing') ?? {};
      return samples.map(({ labels, value }) => `${labels['endpoint']?.slice(0, 1)} ${value}`).toSorted();
    };
    const all = async () => [await named(reader), await named(north), await gauge()];
    answer = () => failure;
    await events(3, own);
    await events(3, lesser);
    await post.pass(hour);
    expect(await all()).toEqual([['1 failing null'], ['1 failing null'], ['1 1', '2 1']]);
    expect(await Promise.all(others.map(named))).toEqual([[], []]);
    answer = ({ webhookId }) => (webhookId === own.webhookId ? success : failure);
    await events(1, own);
    await post.pass(hour);
    expect(await all()).toEqual([[], [], ['1 0', '2 1']]);
    answer = () => ({ ...failure, statusCode: 410, isGone: true });
    await events(1, own);
    await post.pass(hour);
    const disabled = '1 disabled It answered 410 Gone.';
    expect(await all()).toEqual([[disabled], [disabled], ['1 1', '2 1']]);
    const which = { webhookId: own.webhookId, ifVersion: null };
    await changeWebhook(world, box, ana, which, (webhook) => ({ ...webhook, disabledReason: null }));
    // Longer than a copy of the configuration is kept.
    world.pass(hour);
    expect(await all()).toEqual([[], [], ['1 0', '2 1']]);
  });

  test('that answers 410 is told as disabled to its contact, once', async () => {
    answer = () => ({ ...failure, statusCode: 410, isGone: true });
    await events(3, critical);
    await post.pass(hour);
    expect(notices()).toEqual(['disabled ops@example.com', `disabled ${owner}`]);
    expect(await entries()).toEqual(['endpoint.disabled']);
  });
});
