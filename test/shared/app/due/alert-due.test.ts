import { expect, test } from 'vitest';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import { handleDue } from '../../../../shared/app/due/due.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { see } from '../../../../shared/app/due/sweep-sight.ts';
import { putSettings } from '../../../../shared/app/settings/settings.ts';
import { noCanaries } from '../../../../shared/app/sight/send-canaries.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { alertOf, ana, giveRule, giveTeam, messagesOf, openTestAlert } from '../../../support/records/alerts.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

async function teamed(): Promise<TestWorld> {
  const world = createTestWorld();
  await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
  return world;
}

test('an alert that nobody acknowledges is escalated when its response time is over, and not before', async () => {
  const world = await teamed();
  const alertId = await openTestAlert(world);
  const wake = world.wakes.find((each) => each.in === 'alerts');
  expect(wake).toMatchObject({ id: alertId, dueAt: '2026-11-20T10:05:00.000Z' });
  world.pass(299);
  await handleDue(world, 'alerts', alertId);
  expect(await alertOf(world, alertId)).toMatchObject({ status: 'active' });
  world.pass(1);
  await handleDue(world, 'alerts', alertId);
  await handleDue(world, 'alerts', alertId);
  expect(await alertOf(world, alertId)).toMatchObject({
    status: 'escalated',
    team: 'operations',
    escalatedAt: '2026-11-20T10:05:00.000Z',
  });
});

test('response times are those of the settings at the birth of the alert', async () => {
  const world = await teamed();
  const first = await openTestAlert(world, { code: 'SEC_003' });
  const responseSeconds = { ...defaultSettings.responseSeconds, ERROR: 60 };
  await putSettings(world, { ...defaultSettings, responseSeconds }, null);
  const second = await openTestAlert(world, { code: 'SEC_003' });
  const third = await openTestAlert(world, { code: 'RES_003' });
  const due = await Promise.all([first, second, third].map(async (id) => (await alertOf(world, id)).respondBy));
  expect(due).toEqual(['2026-11-20T11:00:00.000Z', '2026-11-20T10:01:00.000Z', '2026-11-21T10:00:00.000Z']);
});

test('a lost wake is found by the sweep after its grace, and no earlier', async () => {
  const world = await teamed();
  const alertId = await openTestAlert(world);
  world.pass(300);
  expect((await sweep(world)).alerts).toBe(0);
  world.pass(1);
  await sweep(world);
  expect(await alertOf(world, alertId)).toMatchObject({ status: 'escalated' });
});

test('an escalated alert reminds on every half hour for four hours, then every four, until it is acknowledged', async () => {
  const world = await teamed();
  const alertId = await openTestAlert(world);
  const other = await openTestAlert(world, { code: 'SEC_001' });
  world.pass(300);
  await Promise.all([alertId, other].map((id) => handleDue(world, 'alerts', id)));
  world.pass(1800);
  await Promise.all([alertId, other].map((id) => handleDue(world, 'alerts', id)));
  await actOnAlert(world, ana, other, { kind: 'acknowledge' }, null);
  for (let count = 0; count < 20; count += 1) {
    world.pass(1800);
    await Promise.all([alertId, other].map((id) => handleDue(world, 'alerts', id)));
    await handleDue(world, 'alerts', alertId);
    await sweep(world);
  }
  // Reminders at the half hours 1 to 9, and at 17, four hours later.
  expect(await alertOf(world, alertId)).toMatchObject({ reminders: 10, remindAt: '2026-11-20T22:30:00.000Z' });
  const sent = (await messagesOf(world)).filter((each) => each.alertId === alertId);
  expect(sent.filter(({ message }) => message?.occasion === 'reminded')).toHaveLength(10);
  expect(await alertOf(world, other)).toMatchObject({ status: 'acknowledged', reminders: 1, dueAt: null });
});

test('a snooze holds the response time; at its end one reminder goes out and the time starts anew', async () => {
  const world = await teamed();
  const alertId = await openTestAlert(world);
  world.pass(60);
  await actOnAlert(world, ana, alertId, { kind: 'snooze', minutes: 20 }, null);
  world.pass(600);
  await handleDue(world, 'alerts', alertId);
  expect(await alertOf(world, alertId)).toMatchObject({ status: 'active', snoozedUntil: '2026-11-20T10:21:00.000Z' });
  world.pass(600);
  await handleDue(world, 'alerts', alertId);
  await handleDue(world, 'alerts', alertId);
  expect(await alertOf(world, alertId)).toMatchObject({
    status: 'active',
    snoozedUntil: null,
    respondBy: '2026-11-20T10:26:00.000Z',
  });
  expect((await messagesOf(world)).map(({ message }) => message?.occasion)).toEqual(['opened', 'snooze-ended']);
});

test('wakes that all were lost for a day do what is due once they come', async () => {
  const world = await teamed();
  const alertId = await openTestAlert(world);
  await actOnAlert(world, ana, alertId, { kind: 'snooze', minutes: 5 }, null);
  world.pass(24 * 3600);
  await handleDue(world, 'alerts', alertId);
  expect(await alertOf(world, alertId)).toMatchObject({ status: 'active', respondBy: '2026-11-21T10:05:00.000Z' });
});

test('a held alert tells nobody if it ends in time, and else tells when the time is over', async () => {
  const world = await teamed();
  const notifyAfter = '2026-11-20T10:01:00.000Z';
  const alertId = await openTestAlert(world, { code: 'CFG_001', notifyAfter });
  expect(await messagesOf(world)).toEqual([]);
  const healed = await openTestAlert(world, { code: 'CFG_001', notifyAfter });
  await actOnAlert(world, ana, healed, { kind: 'resolve' }, null);
  world.pass(60);
  await handleDue(world, 'alerts', alertId);
  // A heal from that minute may still be in transit, because no sweep has moved the horizon yet.
  expect(await messagesOf(world)).toEqual([]);
  await see(world, noCanaries);
  await handleDue(world, 'alerts', alertId);
  await handleDue(world, 'alerts', healed);
  expect((await messagesOf(world)).map((message) => message.alertId)).toEqual([alertId]);
  expect(await alertOf(world, alertId)).toMatchObject({
    status: 'active',
    announcedAt: notifyAfter,
    respondBy: '2026-11-20T10:06:00.000Z',
  });
});

test('an alert that is back while somebody has it is held once, and announced to no person', async () => {
  const world = await teamed();
  const alertId = await openTestAlert(world, { code: 'CFG_001' });
  await actOnAlert(world, ana, alertId, { kind: 'acknowledge' }, null);
  world.pass(120);
  await handleDue(world, 'alerts', alertId);
  const notified = (await messagesOf(world)).length;
  // The condition has ended and returned. A drift is held for a minute, because it may heal.
  const [stored = null] = await world.store.get('alerts', [alertId]);
  if (!stored) throw new Error('there is no alert');
  const held = world.now();
  const data = { ...stored.data, occurrences: 2, flapping: true, notifyAfter: held, dueAt: held };
  await world.store.commit([{ kind: 'replace', in: 'alerts', id: alertId, data, revision: stored.revision }]);
  await handleDue(world, 'alerts', alertId);
  expect(await alertOf(world, alertId)).toMatchObject({ status: 'acknowledged', notifyAfter: null, dueAt: null });
  expect(await messagesOf(world)).toHaveLength(notified);
});

test.each([
  ['after its grace', '2026-11-20T10:01:00.000Z'],
  ['at its opening', null],
])(
  'a rule that escalates at once %s does not override the snooze that a new alert takes over',
  async (_, notifyAfter) => {
    const world = await teamed();
    await giveRule(world, { name: 'up', condition: { code: 'CFG_001' }, action: { escalate_to: 'operations' } });
    const snooze = { notifyAfter, snoozedUntil: '2026-11-20T10:20:00.000Z' };
    const alertId = await openTestAlert(world, { code: 'CFG_001', ...snooze });
    world.pass(60);
    await see(world, noCanaries);
    await handleDue(world, 'alerts', alertId);
    expect(await alertOf(world, alertId)).toMatchObject({ status: 'active', isSnoozed: true, escalatedAt: null });
    expect(await messagesOf(world)).toEqual([]);
    world.pass(19 * 60);
    await see(world, noCanaries);
    await handleDue(world, 'alerts', alertId);
    expect(await alertOf(world, alertId)).toMatchObject({ status: 'active', respondBy: '2026-11-20T10:25:00.000Z' });
  },
);

test('a step that a policy gets after reminders has reminders of its own', async () => {
  const world = await teamed();
  const alertId = await openTestAlert(world);
  world.pass(300);
  await handleDue(world, 'alerts', alertId);
  for (let hours = 0; hours < 6; hours += 0.5) {
    world.pass(1800);
    await handleDue(world, 'alerts', alertId);
  }
  expect((await alertOf(world, alertId)).reminders).toBeGreaterThan(8);
  const steps = [{ afterMinutes: 0 }, { afterMinutes: 30 }].map((step) => ({ ...step, escalationTeam: true as const }));
  await putSettings(world, { ...defaultSettings, escalation: { steps } }, null);
  world.pass(4 * 3600);
  await handleDue(world, 'alerts', alertId);
  expect(await alertOf(world, alertId)).toMatchObject({ reminders: 0, step: { number: 2, of: 2 } });
});
