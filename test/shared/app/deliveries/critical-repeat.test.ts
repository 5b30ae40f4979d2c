import { beforeEach, describe, expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import type { Delivery, SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { msBetween } from '../../../../shared/domain/time.ts';
import { createPost } from '../../../support/notify/post.ts';
import { ana, giveTeam, messagesOf, openTestAlert } from '../../../support/records/alerts.ts';
import { failure, success } from '../../../support/records/deliveries.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const phone = '+46700000001';
const refused: SendOutcome = { ...failure, statusCode: 400, isRetryable: false };
const silence: SendOutcome = { ...failure, statusCode: null, errorClass: 'timeout' };
const minute = 60;

describe('a message to people about something CRITICAL', () => {
  let world: TestWorld;
  let post: ReturnType<typeof createPost>;
  let outcome: SendOutcome;
  const tried: { at: string; delivery: Delivery }[] = [];
  beforeEach(() => {
    world = createTestWorld();
    outcome = failure;
    tried.length = 0;
    post = createPost(world, (delivery) => {
      if (delivery.channel !== 'sms') return success;
      tried.push({ at: world.now(), delivery });
      return outcome;
    });
  });
  const opening = async () =>
    (await messagesOf(world)).find(({ channel, message }) => channel === 'sms' && message?.occasion === 'opened');
  const triesOf = (id: string | undefined) =>
    tried.filter(({ delivery }) => delivery.deliveryId === id).map(({ at }) => at);

  test('is tried each 5 min after its attempts, until it is overtaken', async () => {
    await giveTeam(world, 'operations', { phones: [phone] });
    const alertId = await openTestAlert(world, { code: 'SEC_001' });
    await post.pass(60 * minute);
    const id = (await opening())?.deliveryId;
    const times = triesOf(id);
    expect(times.length).toBeGreaterThanOrEqual(10);
    const gaps = times.slice(3).map((at, index) => msBetween(times[index + 2] ?? at, at) / 1000);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(5 * minute);
    for (const gap of gaps) expect(gap).toBeLessThan(5 * minute + 30);
    expect(await opening()).toMatchObject({ status: 'pending', attemptCount: times.length });
    await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
    await post.pass(10 * minute);
    expect(await opening()).toMatchObject({ status: 'dismissed', dismissedReason: 'overtaken' });
    expect(triesOf(id)).toHaveLength(times.length);
  });

  test('leaves with its next try when the channel takes it', async () => {
    await giveTeam(world, 'operations', { phones: [phone] });
    await openTestAlert(world, { code: 'SEC_001' });
    await post.pass(3 * minute);
    outcome = success;
    await post.pass(5 * minute);
    expect(await opening()).toMatchObject({ status: 'delivered', attemptCount: 4 });
  });

  test('is repeated at most twice where nobody knows whether it arrived', async () => {
    await giveTeam(world, 'operations', { phones: [phone] });
    outcome = silence;
    await openTestAlert(world, { code: 'SEC_001' });
    await post.pass(60 * minute);
    const delivery = await opening();
    expect(delivery).toMatchObject({ status: 'failed' });
    expect(triesOf(delivery?.deliveryId)).toHaveLength(3);
  });

  test('ends where the channel says never, and reaches the person on another channel instead', async () => {
    const people = [
      { personId: 'bo', name: 'Bo', email: 'bo@example.com', phone },
      { personId: 'eva', name: 'Eva', email: 'eva@example.com' },
    ];
    const escalation = { steps: [{ afterMinutes: 0, personId: 'bo' }], repeatMinutes: 240 };
    await giveTeam(world, 'operations', { phones: [phone], people, escalation });
    outcome = refused;
    await openTestAlert(world, { code: 'SEC_001' });
    await post.pass(2 * minute);
    const delivery = await opening();
    expect(delivery).toMatchObject({ status: 'failed', attemptCount: 1 });
    const mails = post.sent.filter(
      ({ channel, delivery: { message } }) => channel === 'email' && message?.occasion === 'opened',
    );
    expect(mails.map(({ to }) => to)).toEqual(['operations: Bo bo@example.com']);
  });

  test('is not told twice on the other channel', async () => {
    const people = [{ personId: 'bo', name: 'Bo', email: 'bo@example.com', phone }];
    await giveTeam(world, 'operations', { people });
    outcome = refused;
    await openTestAlert(world, { code: 'SEC_001' });
    await post.pass(2 * minute);
    const mails = post.sent.filter(
      ({ channel, delivery: { message } }) => channel === 'email' && message?.occasion === 'opened',
    );
    expect(mails).toHaveLength(1);
  });
});

test('a message about something less is given up after its attempts', async () => {
  const world = createTestWorld();
  const post = createPost(world, () => failure);
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  await openTestAlert(world, { code: 'RES_001' });
  await post.pass(3 * 60 * minute);
  const [delivery] = await messagesOf(world);
  expect(delivery).toMatchObject({ status: 'failed', attemptCount: 5 });
});
