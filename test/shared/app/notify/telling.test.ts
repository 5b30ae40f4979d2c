import { expect, test } from 'vitest';
import { getSettings, putSettings } from '../../../../shared/app/settings/settings.ts';
import { msBetween } from '../../../../shared/domain/time.ts';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import { postOf } from '../../../support/notify/post.ts';
import { giveRule, giveTeam } from '../../../support/records/alerts.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind } from '../../../support/world/living-fleet.ts';
import type { TestWorld } from '../../../support/world/world.ts';

/* Timelines in which each wake comes 30 ms to 2 s late. */

const phone = '+46701234567';
const people = { emails: ['ops@example.com'], phones: [phone] };

const titleOf = (text: string) => text.split('\n')[0] ?? '';
/** What left by a channel, as `minutes since the start title`. */
function told(
  world: TestWorld,
  channel: 'email' | 'sms',
  from: string,
): { minutes: number; title: string; text: string }[] {
  const own = postOf(world).sent.filter((each) => each.channel === channel && each.at >= from);
  return own.map(({ at, text }) => ({ minutes: msBetween(from, at) / 60_000, title: titleOf(text), text }));
}

async function change(world: TestWorld, act: (settings: Settings) => Settings): Promise<void> {
  await putSettings(world, act((await getSettings(world)).settings), null);
}

test('the response time starts when people are told, and an escalation says the minutes since then', async () => {
  const cameras = behind('a', '1', 6);
  const { world, darken, minutes } = await lateFleet(cameras);
  await giveTeam(world, 'operations', people);
  const from = world.now();
  await darken([cameras[0] ?? '']);
  await minutes(20);
  const [opened, escalated] = told(world, 'email', from);
  expect(opened?.title).toMatch(/offline since/);
  expect(escalated?.title).toMatch(/escalated to/);
  const passed = (escalated?.minutes ?? 0) - (opened?.minutes ?? 0);
  expect(passed).toBeGreaterThan(4.9);
  expect(passed).toBeLessThan(5.2);
  expect(escalated?.text).toContain('Nobody has answered for 5 min.');
});

test('where the first message is a digest, the response time starts when its window leaves', async () => {
  const cameras = [...behind('a', '1', 40)];
  const { world, darken, minutes } = await lateFleet(cameras);
  const from = world.now();
  await darken(cameras.slice(0, 8));
  await minutes(20);
  const { store } = world;
  const alerts = (await store.find({ in: 'alerts', limit: 100 })).map(({ data }) => data);
  const lost = alerts.filter(({ code }) => code === 'CONN_001');
  const mails = told(world, 'email', from);
  const direct = mails.filter(({ title }) => /offline since/.test(title) && !/escalated/.test(title));
  const digest = mails.find(({ title }) => /^\[CRITICAL\] Digest/.test(title));
  expect(direct).toHaveLength(3);
  const waits = lost.map(({ escalatedAt }) => msBetween(from, escalatedAt ?? '') / 60_000);
  // Three were told directly, five a minute later.
  const late = waits.filter((at) => at >= (digest?.minutes ?? 99) + 4.9);
  expect([late.length, waits.length]).toEqual([5, 8]);
});

test('what quiet hours hold escalates with the fact that nobody was told', async () => {
  const cameras = behind('a', '1', 6);
  const { world, darken, minutes } = await lateFleet(cameras);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
  const day = { periods: [{ days: [...days], from: '08:00', to: '19:00' }] };
  await change(world, (settings) => ({ ...settings, schedules: { day } }));
  await giveTeam(world, 'duty', { emails: ['duty@example.com'], quietHours: { schedule: 'day', hold: [] } });
  await change(world, (settings) => ({
    ...settings,
    escalationTeam: 'duty',
    quietHours: { schedule: 'day', hold: ['CRITICAL'] },
  }));
  const from = world.now();
  await darken([cameras[0] ?? '']);
  await minutes(20);
  const [escalated, ...others] = told(world, 'email', from);
  expect(others).toEqual([]);
  expect(escalated?.title).toMatch(/escalated to duty/);
  expect(escalated?.text).toContain('Nobody was told (quiet hours until 19:00).');
  expect(escalated?.text).not.toContain('Nobody has answered');
});

test('reminders of what was escalated at different times leave together from the second on, however late each wake', async () => {
  const cameras = behind('a', '1', 6);
  const { world, darken, minutes } = await lateFleet(cameras);
  const from = world.now();
  for (const camera of cameras.slice(0, 2)) {
    await darken([camera]);
    await minutes(11);
  }
  await minutes(200);
  const reminders = told(world, 'email', from).filter(({ title }) => /reminder|without an answer/.test(title));
  const halfHours = Map.groupBy(reminders, ({ minutes: at }) =>
    Math.floor((at + msBetween('2026-11-20T00:00:00.000Z', from) / 60_000) / 30),
  );
  const most = [...halfHours.values()].map(({ length }) => length);
  expect(most.slice(2)).toEqual(most.slice(2).map(() => 1));
});

test('a camera that is lost alone at a large site is told by mail at once, and by phone only after half an hour without an answer', async () => {
  const [large, small] = [behind('a', '1', 20), behind('b', '1', 19)];
  const { world, darken, minutes } = await lateFleet([...large, ...small]);
  await giveTeam(world, 'operations', people);
  const from = world.now();
  await darken([large[0] ?? '']);
  await minutes(70);
  expect(told(world, 'email', from)[0]?.minutes).toBeLessThan(8);
  const first = told(world, 'sms', from)[0];
  const mail = told(world, 'email', from)[0];
  expect((first?.minutes ?? 0) - (mail?.minutes ?? 0)).toBeGreaterThanOrEqual(29.9);
  const later = world.now();
  await darken([small[0] ?? '']);
  await minutes(8);
  expect(told(world, 'sms', later)[0]?.title).toMatch(/b \/ .* offline since/);
});

test('several cameras of a large site that are lost within minutes are no lone cameras', async () => {
  const cameras = behind('a', '1', 20);
  const { world, darken, minutes } = await lateFleet(cameras);
  await giveTeam(world, 'operations', people);
  const from = world.now();
  await darken(cameras.slice(0, 4));
  await minutes(8);
  expect(told(world, 'sms', from)[0]?.minutes).toBeLessThan(8);
});

test('0 in the settings lets a lone camera be told by phone at once', async () => {
  const cameras = behind('a', '1', 20);
  const { world, darken, minutes } = await lateFleet(cameras);
  await giveTeam(world, 'operations', people);
  await change(world, (settings) => ({ ...settings, telling: { loneCamera: { placeOf: 0, smsAfterMinutes: 30 } } }));
  const from = world.now();
  await darken([cameras[0] ?? '']);
  await minutes(8);
  expect(told(world, 'sms', from)[0]?.title).toMatch(/offline since/);
});

test('a lone camera whose team has only phones is told by phone at once', async () => {
  const cameras = behind('a', '1', 20);
  const { world, darken, minutes } = await lateFleet(cameras);
  await giveTeam(world, 'operations', { phones: [phone] });
  const from = world.now();
  await darken([cameras[0] ?? '']);
  await minutes(8);
  expect(told(world, 'sms', from)[0]?.title).toMatch(/offline since/);
});

test('an outage is told to the team to which a rule gives the losses of its group, by phone too', async () => {
  const cameras = behind('a', '1', 6);
  const { world, darken, light, minutes } = await lateFleet(cameras);
  await giveTeam(world, 'customer', { emails: ['north@example.com'], phones: ['+46709999999'] });
  await giveRule(world, {
    name: 'north',
    condition: { code: 'CONN_*', group: ['north'] },
    action: { team: 'customer' },
  });
  const from = world.now();
  await darken(cameras);
  await minutes(10);
  await light(cameras);
  await minutes(6);
  const own = postOf(world).sent.filter(({ at, to }) => at >= from && to.startsWith('customer:'));
  const titles = own.filter(({ channel }) => channel === 'sms').map(({ text }) => text);
  expect(titles[0]).toMatch(/^CRIT Outage at a since/);
  expect(titles.at(-1)).toMatch(/^CRIT Outage at a: over/);
});
