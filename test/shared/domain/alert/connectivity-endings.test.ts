import { expect, test } from 'vitest';
import { changeDevice } from '../../../../shared/app/devices/register.ts';
import { putSettings } from '../../../../shared/app/settings/settings.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { ana, giveTeam, occasionsOf } from '../../../support/records/alerts.ts';
import { endpoint, sentDeliveries } from '../../../support/records/deliveries.ts';
import { detection } from '../../../support/records/detections.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';
import { createWays, names, openAlerts } from '../../../support/world/ways.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const offline = { status: 'offline' };
const online = (seconds: number) => ({ status: 'online', connectedAt: at(seconds) });
type Timeline = ReturnType<typeof createTimeline>;

async function notified() {
  const line = createTimeline();
  await giveTeam(line.world, 'operations', { emails: ['ops@example.com'] });
  return { ...line, notified: () => occasionsOf(line.world) };
}

test('a camera that is offline three quarters of the time is announced once, stays open and is escalated', async () => {
  const line = await notified();
  await line.says(0, 'connection', online(0));
  for (let seconds = minute; seconds < 3 * hour; seconds += 20 * minute) {
    await line.says(seconds, 'connection', offline);
    await line.sweptUntil(seconds + 15 * minute);
    await line.says(seconds + 15 * minute + 1, 'connection', online(seconds + 15 * minute + 1));
    await line.sweptUntil(seconds + 20 * minute - 1);
  }
  const [alert] = (await line.alerts()).filter(({ code }) => code === 'CONN_001');
  expect(alert).toMatchObject({ flapping: true, isOpen: true, status: 'escalated', timestamp: at(6 * minute) });
  const occasions = await line.notified();
  expect(occasions.filter((each) => each === 'flapping CONN_001')).toHaveLength(1);
  expect(occasions.filter((each) => each === 'reminded CONN_001').length).toBeGreaterThan(1);
});

test('of a lost connection that a person has reopened nobody is notified that it is restored', async () => {
  const line = createTimeline();
  await line.says(0, 'connection', online(0));
  await line.says(minute, 'connection', offline);
  await line.sweptUntil(8 * minute);
  await line.acts('CONN_001', { kind: 'resolve' });
  await line.acts('CONN_001', { kind: 'reopen' });
  await line.says(9 * minute, 'connection', online(9 * minute));
  await line.says(10 * minute, 'connection', offline);
  await line.sweptUntil(17 * minute);
  await line.says(18 * minute, 'connection', online(18 * minute));
  expect((await line.alerts()).map(({ code, status }) => `${code} ${status}`)).toEqual(['CONN_001 resolved']);
});

test('what a person has resolved stays so while the camera is away, though its guardian talks and its will comes again', async () => {
  const line = createTimeline();
  await line.says(0, 'connection', online(0));
  await line.says(minute, 'connection', offline);
  await line.sweptUntil(8 * minute);
  await line.acts('CONN_001', { kind: 'resolve' });
  for (let hours = 1; hours < 5; hours += 1) {
    await line.says(hours * hour, 'guardian', guardianAlert('drift', ['clientId'], at(hours * hour)));
    await line.says(hours * hour + minute, 'connection', offline);
    await line.sweptUntil(hours * hour + 30 * minute);
  }
  expect((await line.alerts()).filter(({ code }) => code === 'CONN_001')).toMatchObject([{ status: 'resolved' }]);
});

test('reconnects stay many until nothing of their hour can be missing', async () => {
  const world = createTestWorld();
  const ways = createWays(world);
  const others = names(4, 'other');
  for (let count = 0; count < 5; count += 1) {
    await ways.connect('cam-0');
    await ways.live(1, ['cam-0', ...others]);
  }
  expect(await openAlerts(world)).toMatchObject([{ code: 'CONN_002' }]);
  await ways.live(50, ['cam-0', ...others]);
  ways.state.ingest = false;
  await ways.live(20, ['cam-0', ...others]);
  expect(await openAlerts(world)).toMatchObject([{ code: 'CONN_002' }]);
  await ways.openIngest();
  await ways.live(6, ['cam-0', ...others]);
  expect(await openAlerts(world)).toEqual([]);
});

test('of twelve drifts that healed none is escalated, and none announced', async () => {
  const line = await notified();
  for (let count = 0; count < 12; count += 1) {
    const [deviceId, seconds] = [`cam-${count}`, count * 7];
    const given = { deviceId };
    await line.says(seconds, 'guardian', guardianAlert('drift', ['broker.port'], at(seconds)), given);
    await line.says(seconds + 5, 'guardian', guardianAlert('heal', ['broker.port'], at(seconds + 5)), given);
  }
  await line.sweptUntil(10 * minute);
  await line.until(24 * hour + 10 * minute);
  const isNotified = (subject: string) => / CFG_/.test(subject);
  const found = await line.world.store.find({ in: 'alerts', limit: 1000 });
  const ids = new Set(found.flatMap(({ data }) => (data.category === 'configuration' ? [data.alertId] : [])));
  const trail = (await line.world.store.find({ in: 'audit', limit: 1000 })).filter(({ data }) => ids.has(data.alertId));
  expect(ids.size).toBe(24);
  expect(new Set(trail.map(({ data }) => data.action))).toEqual(new Set(['open', 'end']));
  expect((await line.notified()).filter(isNotified)).toEqual([]);
});

test.each([300, 600])(
  'a camera that may be silent for %i s is an alert within 2 + 2 minutes more of the horizon',
  async (seconds) => {
    const world = createTestWorld();
    const ways = createWays(world);
    const reporting = { periodSeconds: 60, silentAfterSeconds: seconds };
    await putSettings(world, { ...defaultSettings, reporting }, null);
    const others = names(4, 'other');
    await ways.live(5, ['cam-0', ...others]);
    const minutes = seconds / 60;
    await ways.live(minutes, others);
    expect(await openAlerts(world)).toEqual([]);
    await ways.live(4, others);
    expect(await openAlerts(world)).toMatchObject([{ deviceId: 'cam-0', code: 'CONN_001' }]);
  },
);

test('nothing of a camera reaches the group that it has left', async () => {
  const line = createTimeline();
  const hook = endpoint({ filter: { groups: ['north'] }, events: ['alert', 'detection', 'guardian'] });
  await line.world.store.commit([{ kind: 'create', in: 'webhooks', id: hook.webhookId, data: hook }]);
  await giveTeam(line.world, 'operations', {});
  await line.says(0, 'status', { memory: { usedPercent: 95 }, groupId: 'north' });
  await changeDevice(line.world, ana, 'cam-1', { groupId: 'south' });
  const before = await events(line);
  expect(before).toEqual(['opened', 'resolved']);
  await line.says(hour, 'status', { memory: { usedPercent: 20 }, groupId: 'north' });
  await line.says(2 * hour, 'status', { memory: { usedPercent: 95 }, groupId: 'north' });
  const device = { id: 'cam-1', groupId: 'north' };
  await line.says(2 * hour + 1, 'detection', detection('s-1', { timestamp: at(2 * hour), device }));
  await line.says(2 * hour + 2, 'guardian', guardianAlert('conflict', ['clientId'], at(2 * hour)));
  await line.until(4 * hour);
  expect(await events(line)).toEqual(before);
});

async function events({ world }: Timeline): Promise<string[]> {
  const found = await sentDeliveries(world.store);
  return found.flatMap(({ webhookId, body }) => (webhookId === null ? [] : [JSON.parse(body).change])).toSorted();
}
