import { beforeEach, describe, expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { failingChannels } from '../../../../shared/app/deliveries/channel-failures.ts';
import { testTeam } from '../../../../shared/app/notify/test-team.ts';
import type { Delivery, SendOutcome } from '../../../../shared/domain/delivery/delivery.ts';
import { createPost } from '../../../support/notify/post.ts';
import { ana, giveTeam, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { failure, success } from '../../../support/records/deliveries.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const [first, second] = ['+46700000001', '+46700000002'];
const refused: SendOutcome = {
  ...failure,
  statusCode: 400,
  isRetryable: false,
  detail: 'The gateway answered 400 with code 21211.',
};
const hour = 3600;

describe('a channel that does not get through', () => {
  let world: TestWorld;
  let answer: (delivery: Delivery) => SendOutcome;
  let post: ReturnType<typeof createPost>;
  beforeEach(() => {
    world = createTestWorld();
    answer = () => success;
    post = createPost(world, (delivery) => answer(delivery));
  });
  const ofSms = (outcome: SendOutcome, to?: string) => (delivery: Delivery) =>
    delivery.channel === 'sms' && (to === undefined || delivery.targetName.includes(to)) ? outcome : success;
  const notices = () => post.sent.filter(({ delivery }) => delivery.eventType === 'notice');
  const alarm = (given = {}) => openTestAlert(world, { code: 'SEC_001', ...given });

  test('is told on the others once, and again when it works', async () => {
    await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: [first, second] });
    answer = ofSms(failure);
    await alarm();
    await alarm();
    await post.pass(hour / 4);
    expect(
      notices().map(({ channel, text }) => [channel, text.includes('SMS does not get through since 10:0')]),
    ).toEqual([['email', true]]);
    expect(await failingChannels(world, ana)).toMatchObject([{ channel: 'sms', detail: failure.detail }]);
    await alarm();
    await post.pass(hour);
    expect(notices()).toHaveLength(1);
    answer = () => success;
    await alarm();
    await post.pass(60);
    expect(notices().map(({ text }) => text.includes('SMS works again'))).toEqual([false, true]);
    expect(await failingChannels(world, ana)).toEqual([]);
  });

  test('is said of mail on the phone too, which takes no other notice', async () => {
    await giveTeam(world, 'operations', { emails: ['a@example.com', 'b@example.com'], phones: [first] });
    answer = ({ channel }) => (channel === 'email' ? failure : success);
    await alarm();
    await alarm();
    await post.pass(24 * hour);
    expect(notices().map(({ channel, to }) => `${channel} ${to}`)).toEqual([`sms operations: ${first}`]);
  });

  test('leaves at once what is still true when it works again, the newest about each alert', async () => {
    await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: [first, second] });
    answer = ofSms(failure);
    const ids = [await alarm({ deviceId: 'cam-1' }), await alarm({ deviceId: 'cam-2' })];
    await post.pass(hour / 2);
    await actOnAlert(world, ana, ids[1] ?? '', { kind: 'resolve' }, null);
    await post.pass(hour / 3);
    answer = () => success;
    await alarm({ deviceId: 'cam-3' });
    await post.pass(300);
    const texts = post.sent
      .filter(({ channel, to }) => channel === 'sms' && to.includes(first))
      .map(({ text }) => text);
    expect(texts.filter((text) => text.includes('cam-1'))).toHaveLength(1);
    const ofSecond = texts.filter((text) => text.includes('cam-2'));
    expect(ofSecond.map((text) => text.includes(': closed by ana, '))).toEqual([true]);
  });

  test('is not told of where one receiver fails: that one is named, without its address', async () => {
    await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: [first, second] });
    answer = ofSms(failure, first);
    for (let count = 0; count < 3; count += 1) {
      await alarm();
      await post.pass(hour);
    }
    const [notice, ...others] = notices();
    expect(others).toEqual([]);
    expect(notice?.text).toContain('SMS to operations: +46…01 does not get through');
    expect(notice?.text).not.toContain(first);
    expect(await failingChannels(world, ana)).toMatchObject([
      { channel: 'sms', failingSince: null, receivers: [{ name: `operations: ${first}`, isRefused: false }] },
    ]);
  });

  test('names at once a receiver that the channel refuses for good, until a message gets through', async () => {
    await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: [first, second] });
    answer = ofSms(refused, first);
    await alarm();
    await post.pass(60);
    expect(notices()[0]?.text).toContain('code 21211');
    answer = () => success;
    await alarm();
    await post.pass(60);
    expect(notices()).toHaveLength(2);
    expect(await failingChannels(world, ana)).toEqual([]);
  });

  test('shows a bearer of some groups the channel, and no receiver', async () => {
    const north: Bearer = { ...ana, groups: ['north'] };
    await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: [first, second] });
    answer = ofSms(failure, first);
    for (let count = 0; count < 3; count += 1) {
      await alarm();
      await post.pass(hour);
    }
    expect(await failingChannels(world, north)).toEqual([]);
    answer = ofSms(failure);
    await alarm();
    await alarm();
    await post.pass(hour);
    const [shown] = await failingChannels(world, north);
    expect(shown).toMatchObject({ channel: 'sms', detail: null, receivers: [] });
    expect(shown?.failingSince).not.toBeNull();
  });

  test('does not count what a person tries', async () => {
    await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
    await giveTeam(world, 'night', { phones: [first, second] });
    answer = ofSms(refused);
    await testTeam(world, ana, 'night', {}, uuidOf(800));
    await post.pass(hour);
    expect(notices()).toEqual([]);
  });
});
