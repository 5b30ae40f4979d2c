import { expect, test } from 'vitest';
import { putSettings } from '../../../../shared/app/settings/settings.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { createPost } from '../../../support/notify/post.ts';
import { giveTeam, messagesOf, occasionsOf } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';

const memory = (usedPercent: number) => ({ groupId: 'north', memory: { usedPercent } });
/** Seconds after the tests begin at 10:00: 23:00 on that day, and 07:00 on the next. */
const [night, morning] = [13 * hour, 21 * hour];

async function started(responseSeconds = defaultSettings.responseSeconds) {
  const line = createTimeline();
  const hook = endpoint({ events: ['alert'] });
  await giveTeam(line.world, 'operations', { emails: ['ops@example.com'] });
  await line.world.store.commit([{ kind: 'create', in: 'webhooks', id: hook.webhookId, data: hook }]);
  const channels = { ...defaultSettings.channels, WARNING: { ...defaultSettings.channels.WARNING, email: true } };
  await putSettings(line.world, { ...defaultSettings, channels, responseSeconds }, null);
  await line.says(0, 'status', memory(20));
  const events = async () => (await messagesOf(line.world)).filter(({ webhookId }) => webhookId !== null).length;
  return { ...line, events, notified: () => occasionsOf(line.world) };
}

test('a warning of the night is announced in the morning; machines hear at once, and what is critical does not wait', async () => {
  const line = await started();
  await line.says(night, 'status', memory(82));
  expect(await line.notified()).toEqual([]);
  expect(await line.events()).toBe(1);
  expect(await line.alerts()).toMatchObject([{ code: 'RES_002', quietUntil: at(morning), dueAt: at(morning) }]);
  const [entry] = await line.trail('RES_002');
  expect(entry?.notNotified).toContainEqual(
    expect.objectContaining({ reason: 'quiet-hours', detail: expect.stringContaining('07:00') }),
  );
  const attempt = { type: 'unauthorized_broker_attempt', timestamp: at(night + minute), attemptedHost: 'a.example' };
  await line.says(night + minute, 'event', attempt);
  expect(await line.notified()).toEqual(['opened SEC_002']);
  await line.until(morning - 1);
  expect((await line.notified()).filter((each) => each.endsWith('RES_002'))).toEqual([]);
  await line.until(morning);
  expect((await line.notified()).filter((each) => each.endsWith('RES_002'))).toEqual(['opened RES_002']);
  expect((await line.alerts()).find(({ code }) => code === 'RES_002')).toMatchObject({ quietUntil: null });
});

test.each<[string, (line: Awaited<ReturnType<typeof started>>) => Promise<unknown>]>([
  ['is over', (line) => line.says(night + hour, 'status', memory(20))],
  ['has somebody', (line) => line.until(night + hour).then(() => line.acts('RES_002', { kind: 'acknowledge' }))],
])('what by the morning %s is announced to nobody', async (_, happens) => {
  const line = await started();
  await line.says(night, 'status', memory(82));
  await happens(line);
  await line.until(morning + hour);
  expect((await line.notified()).filter((each) => each.endsWith('RES_002'))).toEqual([]);
});

test('what was escalated in the night is announced as that in the morning, once', async () => {
  const line = await started({ ...defaultSettings.responseSeconds, WARNING: 3600 });
  await line.says(night, 'status', memory(82));
  await line.until(morning - 1);
  expect(await line.states()).toEqual(['RES_002 escalated']);
  expect(await line.notified()).toEqual([]);
  await line.until(morning + 29 * minute);
  expect((await line.notified()).slice(0, 1)).toEqual(['escalated RES_002']);
});

test('all that was held leaves as one digest', async () => {
  const line = await started();
  await line.until(night);
  for (const camera of ['a', 'b', 'c', 'd', 'e'])
    await line.arrives(night, 'status', memory(82), { deviceId: `cam-${camera}` });
  const post = createPost(line.world);
  await post.pass(morning - night - 1);
  expect(post.sent.filter(({ channel }) => channel === 'email')).toEqual([]);
  await post.pass(10 * minute);
  const mails = post.sent.filter(({ channel }) => channel === 'email');
  expect(mails.map(({ text }) => text)).toEqual([expect.stringContaining('5 opened')]);
});

test('the quiet hours of the team that is notified count in place of those of the settings', async () => {
  const line = await started();
  await giveTeam(line.world, 'operations', {
    emails: ['ops@example.com'],
    quietHours: { schedule: 'outside_business_hours', hold: ['ERROR'] },
  });
  // A warning of the night is announced; an ERROR of 19:00 waits until the next working day: Monday 08:00.
  await line.says(9 * hour, 'status', memory(93));
  await line.says(night, 'status', memory(82), { deviceId: 'cam-2' });
  expect(await line.notified()).toEqual(['opened RES_002']);
  await line.until(70 * hour - 1);
  expect((await line.notified()).filter((each) => each.endsWith('RES_001'))).toEqual([]);
  await line.until(70 * hour);
  expect((await line.notified()).filter((each) => each.endsWith('RES_001'))).toHaveLength(1);
});

test('a step that waits for the morning is not passed over: the next one is counted from there', async () => {
  const line = await started({ ...defaultSettings.responseSeconds, WARNING: 3600 });
  await giveTeam(line.world, 'day', { emails: ['day@example.com'] });
  await giveTeam(line.world, 'operations', {
    emails: ['ops@example.com'],
    escalation: {
      steps: [
        { afterMinutes: 0, team: 'operations' },
        { afterMinutes: 20, team: 'day' },
      ],
    },
  });
  await line.says(night, 'status', memory(82));
  await line.until(morning + 19 * minute);
  expect(await line.notified()).toEqual(['escalated RES_002']);
  await line.until(morning + 20 * minute);
  const targets = (await messagesOf(line.world)).flatMap(({ message, targetName }) => (message ? [targetName] : []));
  expect(targets).toEqual(['operations: ops@example.com', 'day: day@example.com']);
});
