import { expect, test } from 'vitest';
import { putSettings } from '../../../../shared/app/settings/settings.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { giveTeam, messagesOf, occasionsOf } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';

const memory = (usedPercent: number) => ({ groupId: 'north', memory: { usedPercent } });
/** The tests begin at 10:00: 23:00 of that day, and the morning after it. */
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
  return { ...line, events, told: () => occasionsOf(line.world) };
}

test('a warning of the night is told in the morning; machines hear at once, and what is critical does not wait', async () => {
  const line = await started();
  await line.says(night, 'status', memory(82));
  expect(await line.told()).toEqual([]);
  expect(await line.events()).toBe(1);
  expect(await line.alerts()).toMatchObject([{ code: 'RES_002', quietUntil: at(morning), dueAt: at(morning) }]);
  const [entry] = await line.trail('RES_002');
  expect(entry?.notTold).toContainEqual(
    expect.objectContaining({ reason: 'quiet-hours', detail: expect.stringContaining('07:00') }),
  );
  const attempt = { type: 'unauthorized_broker_attempt', timestamp: at(night + minute), attemptedHost: 'a.example' };
  await line.says(night + minute, 'event', attempt);
  expect(await line.told()).toEqual(['opened SEC_002']);
  await line.until(morning - 1);
  expect((await line.told()).filter((each) => each.endsWith('RES_002'))).toEqual([]);
  await line.until(morning);
  expect((await line.told()).filter((each) => each.endsWith('RES_002'))).toEqual(['opened RES_002']);
  expect((await line.alerts()).find(({ code }) => code === 'RES_002')).toMatchObject({ quietUntil: null });
});

test.each<[string, (line: Awaited<ReturnType<typeof started>>) => Promise<unknown>]>([
  ['is over', (line) => line.says(night + hour, 'status', memory(20))],
  ['has somebody', (line) => line.until(night + hour).then(() => line.acts('RES_002', { kind: 'acknowledge' }))],
])('what by the morning %s is told to nobody', async (_, happens) => {
  const line = await started();
  await line.says(night, 'status', memory(82));
  await happens(line);
  await line.until(morning + hour);
  expect((await line.told()).filter((each) => each.endsWith('RES_002'))).toEqual([]);
});

test('what was escalated in the night is told as that in the morning, once', async () => {
  const line = await started({ ...defaultSettings.responseSeconds, WARNING: 3600 });
  await line.says(night, 'status', memory(82));
  await line.until(morning - 1);
  expect(await line.states()).toEqual(['RES_002 escalated']);
  expect(await line.told()).toEqual([]);
  await line.until(morning + 29 * minute);
  expect((await line.told()).slice(0, 1)).toEqual(['escalated RES_002']);
});
