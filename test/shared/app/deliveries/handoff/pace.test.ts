import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../../../shared/adapters/memory/store.ts';
import { createPace } from '../../../../../shared/app/deliveries/handoff/pace.ts';
import { isGood } from '../../../../../shared/domain/delivery/handoff/pace.ts';
import { createReceivers, draftOf, senderTo } from '../../../../support/handoff/receivers.ts';
import { createPost } from '../../../../support/notify/post.ts';
import { giveTeam, openTestAlert } from '../../../../support/records/alerts.ts';
import { createTestWorld, type TestWorld } from '../../../../support/world/world.ts';

const minute = 60_000;

/** The highest number in any minute. */
function mostInMinute(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + minute).length));
}

/** Four processes of `deliver`, and PagerDuty, which refuses more than 120 requests a minute. */
async function pagerduty(names: readonly string[] = ['Pager']) {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { handoffs: names.map((name) => ({ ...draftOf.pagerduty, name })) });
  const receivers = createReceivers(() => Date.parse(world.now()));
  const handoff = senderTo(world.store, world.now, async (request) => receivers.take(request));
  const post = createPost(world, undefined, { processes: 4, senders: { handoff } });
  const most = () => mostInMinute(receivers.requests.map(({ at }) => at));
  const refused = () => receivers.requests.filter(({ answer: { statusCode } }) => statusCode !== 202).length;
  const open = () => receivers.standIns.pagerduty.openAt(Date.parse(world.now())).size;
  return { world, post, receivers, most, refused, open };
}

async function openMany(world: TestWorld, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await openTestAlert(world);
}

test('300 alerts at once are announced by four processes, none refused, at the pace of the key', async () => {
  const { world, post, receivers, most, refused, open } = await pagerduty();
  await openMany(world, 300);
  await post.pass(2);
  // After a pause, the first messages leave at once.
  expect(receivers.requests.length).toBeGreaterThan(4);
  await post.pass(4 * 60);
  expect([most() <= 120, refused(), open()]).toEqual([true, 0, 300]);
  const record = await world.store.find({ in: 'paces', limit: 10 });
  expect(record).toHaveLength(1);
  expect(JSON.stringify(record)).not.toContain(draftOf.pagerduty.credential);
});

test('wakes that were lost for minutes are no reason to send more at once', async () => {
  const { world, post, most, refused, open } = await pagerduty();
  await openMany(world, 150);
  await post.pass(10);
  const lost = world.wakes.splice(0);
  await openMany(world, 100);
  await post.pass(90);
  world.wakes.push(...lost.map((wake) => ({ ...wake, dueAt: world.now() })));
  await post.pass(5 * 60);
  expect([most() <= 120, refused(), open()]).toEqual([true, 0, 250]);
});

test('two hand-offs with one key share its pace', async () => {
  const { world, post, receivers, most, refused } = await pagerduty(['Pager', 'Second']);
  await openMany(world, 120);
  await post.pass(4 * 60);
  expect(receivers.requests).toHaveLength(240);
  expect([most() <= 120, refused()]).toEqual([true, 0]);
});

test('one alert in quiet times leaves at once', async () => {
  const { world, post, receivers } = await pagerduty();
  await openMany(world, 1);
  await post.pass(0);
  expect(receivers.requests).toHaveLength(1);
});

test('processes that ask at the same moment get times of their own', async () => {
  const world = createTestWorld(createMemoryStore());
  const paces = Array.from({ length: 5 }, () => createPace(world));
  const slots = await Promise.all(paces.flatMap((pace) => Array.from({ length: 40 }, () => pace.slot('key', 100))));
  expect(new Set(slots).size).toBe(slots.length);
  expect(mostInMinute(slots.map((at) => Date.parse(at)))).toBeLessThanOrEqual(100);
});

test.each([
  [0, true],
  [4999, true],
  [5000, false],
  [-1, false],
])('a time that was %i ms ago may be used: %s', (ago, isUsed) => {
  expect(isGood('2026-11-20T10:00:00.000Z', new Date(Date.parse('2026-11-20T10:00:00.000Z') + ago).toISOString())).toBe(
    isUsed,
  );
});
