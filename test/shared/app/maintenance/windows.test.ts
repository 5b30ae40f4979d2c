import { expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { changeDevice } from '../../../../shared/app/devices/register.ts';
import { bodyOf } from '../../../../shared/app/events/body.ts';
import { previewWindow } from '../../../../shared/app/maintenance/preview.ts';
import {
  createWindow,
  deleteWindow,
  getWindow,
  listWindows,
  putWindow,
} from '../../../../shared/app/maintenance/windows.ts';
import { createAdmission } from '../../../../shared/app/writes/admission.ts';
import type { MaintenanceScope } from '../../../../shared/schema/maintenance/window.ts';
import { createPost } from '../../../support/notify/post.ts';
import { ana, giveTeam, messagesOf, occasionsOf, uuidOf } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));
const id = uuidOf(777);
const memory = (usedPercent: number) => ({ groupId: 'north', memory: { usedPercent } });
const limited = (...groups: string[]): Bearer => ({ ...ana, subject: groups.join(), groups });

async function started() {
  const line = createTimeline();
  await giveTeam(line.world, 'operations', { emails: ['ops@example.com'] });
  const notified = () => occasionsOf(line.world);
  const plan = (scope: MaintenanceScope, from: number, to: number, bearer = ana) =>
    createWindow(line.world, bearer, { name: 'New switch', scope, startsAt: at(from), endsAt: at(to) }, id);
  return { ...line, notified, plan };
}

test('what begins in a window is recorded, nobody is notified and no clock runs; at its end it is announced and its clock starts', async () => {
  const line = await started();
  await line.plan({ groups: ['north'] }, 0, 2 * hour);
  await line.says(minute, 'status', memory(95));
  expect(await line.alerts()).toMatchObject([
    { code: 'RES_001', status: 'active', maintenance: id, respondBy: null, dueAt: at(2 * hour) },
  ]);
  await line.until(2 * hour - 1);
  expect(await line.notified()).toEqual([]);
  const [entry] = await line.trail('RES_001');
  expect(entry?.notNotified).toMatchObject([{ reason: 'maintenance' }]);
  await line.until(2 * hour);
  // People hear of it in a digest, which leaves a minute later.
  expect(await line.alerts()).toMatchObject([
    { status: 'active', maintenance: id, maintenanceUntil: null, respondBy: at(3 * hour + minute) },
  ]);
  expect(await line.notified()).toEqual(['maintenance-ended RES_001']);
  await line.until(3 * hour + minute);
  expect(await line.states()).toEqual(['RES_001 escalated']);
});

test('endpoints get the events of a window as ever, with the window in them', async () => {
  const line = await started();
  const hook = endpoint({ events: ['alert'] });
  await line.world.store.commit([{ kind: 'create', in: 'webhooks', id: hook.webhookId, data: hook }]);
  await line.plan({ groups: ['north'] }, 0, 2 * hour);
  const events = async () => {
    const sent = (await messagesOf(line.world)).filter(({ webhookId }) => webhookId !== null);
    const bodies = await Promise.all(sent.map((delivery) => bodyOf(line.world, delivery)));
    return bodies.map((body) => {
      const { change, alert } = JSON.parse(body ?? '');
      return `${change} ${alert.code} ${alert.maintenance}`;
    });
  };
  await line.says(minute, 'status', memory(95));
  expect(await events()).toEqual([`opened RES_001 ${id}`]);
  await line.acts('RES_001', { kind: 'acknowledge' });
  await line.says(10 * minute, 'status', memory(20));
  // Two of the events have the same time, so their order is not defined.
  expect((await events()).toSorted()).toEqual([
    `acknowledged RES_001 ${id}`,
    `opened RES_001 ${id}`,
    `resolved RES_001 ${id}`,
  ]);
  await line.until(3 * hour);
  expect(await line.notified()).toEqual([]);
});

test('at the end what is open is announced in one digest', async () => {
  const line = await started();
  await line.plan({ groups: ['north'] }, 0, 2 * hour);
  await line.until(minute);
  const post = createPost(line.world);
  for (const camera of ['a', 'b', 'c', 'd', 'e'])
    await line.arrives(60, 'status', memory(95), { deviceId: `cam-${camera}` });
  await post.pass(2 * hour - minute - 1);
  expect(post.sent).toEqual([]);
  await post.pass(5 * minute);
  expect(post.sent.map(({ text }) => text.split('\n')[0])).toEqual([
    expect.stringContaining('Digest: 5 alerts open after maintenance'),
  ]);
});

test('what begins and ends in a window is announced to nobody, and was in maintenance', async () => {
  const line = await started();
  await line.plan({ devices: ['cam-1'] }, 0, 2 * hour);
  await line.says(minute, 'status', memory(95));
  await line.says(10 * minute, 'status', memory(20));
  await line.until(4 * hour);
  expect((await line.alerts()).find(({ code }) => code === 'RES_001')).toMatchObject({
    status: 'resolved',
    maintenance: id,
  });
  expect(await line.notified()).toEqual([]);
});

test('what returns in a window, or gets worse, is not announced, though it was announced before the window', async () => {
  const line = await started();
  await line.says(0, 'status', memory(95));
  await line.acts('RES_001', { kind: 'acknowledge' });
  await line.says(minute, 'status', memory(20));
  await line.plan({ groups: ['north'] }, 2 * minute, 2 * hour);
  await line.says(3 * minute, 'status', memory(91));
  await line.says(5 * minute, 'status', memory(99));
  expect(await line.notified()).toHaveLength(1);
  await line.until(3 * hour);
  // The alert is acknowledged, so the end of the window announces nothing.
  expect(await line.notified()).toHaveLength(1);
  expect(await line.states()).toEqual(['RES_001 acknowledged']);
});

test('an alert that was open when the window began is not escalated in it, but is after it', async () => {
  const line = await started();
  await line.says(0, 'status', memory(95));
  await line.plan({ groups: ['north'] }, 30 * minute, 2 * hour);
  await line.until(2 * hour - 1);
  expect(await line.alerts()).toMatchObject([{ status: 'active', maintenance: id, respondBy: null }]);
  await line.until(3 * hour + minute - 1);
  expect(await line.states()).toEqual(['RES_001 active']);
  await line.until(3 * hour + minute);
  expect(await line.states()).toEqual(['RES_001 escalated']);
});

test('what we hear late in a window, though it happened before, is announced to nobody until the end', async () => {
  const line = await started();
  await line.plan({ groups: ['north'] }, 10 * minute, hour);
  await line.until(20 * minute);
  await line.arrives(5 * minute, 'status', memory(95));
  expect(await line.alerts()).toMatchObject([{ maintenance: id, respondBy: null }]);
  await line.until(hour - 1);
  expect(await line.notified()).toEqual([]);
  await line.until(hour);
  expect(await line.notified()).toEqual(['maintenance-ended RES_001']);
});

test('what happened in a window and is heard after it is announced at once, as ever', async () => {
  const line = await started();
  await line.plan({ groups: ['north'] }, 0, hour);
  await line.until(hour + 10 * minute);
  await line.arrives(30 * minute, 'status', memory(95));
  await line.until(hour + 10 * minute);
  expect(await line.alerts()).toMatchObject([{ maintenance: null, status: 'active' }]);
  expect(await line.notified()).toEqual(['opened RES_001']);
});

test('security is announced all the same, unless the window names it', async () => {
  const line = await started();
  const attempt = (seconds: number, host: string) =>
    line.says(seconds, 'event', { type: 'unauthorized_broker_attempt', timestamp: at(seconds), attemptedHost: host });
  await line.says(0, 'status', memory(20));
  await line.plan({ groups: ['north'], codes: ['*'] }, 0, hour);
  await attempt(minute, 'a.example');
  expect(await line.notified()).toHaveLength(1);
  const once = { startsAt: at(0), endsAt: at(hour) };
  await putWindow(line.world, ana, id, { name: 'Pen test', scope: { codes: ['SEC_*'] }, ...once }, null);
  await line.acts('SEC_002', { kind: 'resolve' });
  await attempt(2 * minute, 'b.example');
  expect(await line.notified()).toHaveLength(1);
});

test.each<[string, MaintenanceScope, boolean]>([
  ['a site', { sites: ['gbg'] }, true],
  ['another site', { sites: ['sthlm'] }, false],
  ['what it hangs on', { parents: [{ kind: 'switch', id: 'sw-1' }] }, true],
  ['the same id of another kind', { parents: [{ kind: 'uplink', id: 'sw-1' }] }, false],
  ['a tag', { tags: { floor: ['1', '2'] } }, true],
  ['two tags, of which one does not fit', { tags: { floor: ['2'], wing: ['east'] } }, false],
  ['a site and a code that both fit', { sites: ['gbg'], codes: ['RES_*'] }, true],
  ['a site that fits and a code that does not', { sites: ['gbg'], codes: ['CONN_001'] }, false],
])('the scope of a window: %s', async (_, scope, isQuiet) => {
  const line = await started();
  await line.says(0, 'status', memory(20));
  const registry = { site: 'gbg', parents: [{ kind: 'switch', id: 'sw-1' }], tags: { floor: '2', wing: 'west' } };
  await changeDevice(line.world, ana, 'cam-1', registry);
  await line.plan(scope, 0, hour);
  await line.says(minute, 'status', memory(95));
  expect((await line.alerts())[0]?.maintenance).toBe(isQuiet ? id : null);
  expect(await line.notified()).toHaveLength(isQuiet ? 0 : 1);
});

test('a window that is ended, or cut short, lets go of what it kept quiet; one that is made longer keeps it', async () => {
  for (const change of ['end', 'shorten', 'lengthen'] as const) {
    const line = await started();
    const scope = { groups: ['north'] };
    await line.plan(scope, 0, 2 * hour);
    await line.says(minute, 'status', memory(95));
    await line.sweptUntil(10 * minute);
    const to = change === 'shorten' ? 20 * minute : 3 * hour;
    if (change === 'end') await deleteWindow(line.world, ana, id, null);
    else await putWindow(line.world, ana, id, { name: 'New switch', scope, startsAt: at(0), endsAt: at(to) }, null);
    await line.sweptUntil(30 * minute);
    const ofMemory = async () => (await line.notified()).filter((each) => each === 'maintenance-ended RES_001');
    expect(await ofMemory()).toHaveLength(change === 'lengthen' ? 0 : 1);
    await line.sweptUntil(2 * hour + 5 * minute);
    expect(await line.states()).toContain(change === 'lengthen' ? 'RES_001 active' : 'RES_001 escalated');
  }
});

test('of two windows that overlap the alert waits for the last', async () => {
  const line = await started();
  await line.plan({ groups: ['north'] }, 0, hour);
  const other = { name: 'Other', scope: { devices: ['cam-1'] }, startsAt: at(30 * minute), endsAt: at(2 * hour) };
  await createWindow(line.world, ana, other, uuidOf(778));
  await line.says(minute, 'status', memory(95));
  await line.until(2 * hour - 1);
  expect(await line.notified()).toEqual([]);
  await line.until(2 * hour);
  expect(await line.notified()).toHaveLength(1);
});

test('who is limited to groups plans for them alone, sees what is about them alone, and touches nothing else', async () => {
  const line = await started();
  const { world } = line;
  const once = { startsAt: at(0), endsAt: at(hour) };
  const north = limited('north');
  await createWindow(world, north, { name: 'All of mine', scope: { codes: ['*'] }, ...once }, id);
  expect((await getWindow(world, north, id)).window).toMatchObject({ limitedTo: ['north'], state: 'active' });
  await createWindow(world, ana, { name: 'Everywhere', scope: { codes: ['*'] }, ...once }, uuidOf(779));
  await createWindow(world, ana, { name: 'Northern', scope: { groups: ['north'] }, ...once }, uuidOf(780));
  const names = async (bearer: Bearer) =>
    (await listWindows(world, bearer, {}, tokens)).windows.map(({ name }) => name).toSorted();
  expect(await names(north)).toEqual(['All of mine', 'Northern']);
  expect(await names(limited('south'))).toEqual([]);
  for (const bearer of [limited('south'), limited()]) {
    await expect(getWindow(world, bearer, id)).rejects.toMatchObject({ code: 'not-found' });
    await expect(deleteWindow(world, bearer, id, null)).rejects.toMatchObject({ code: 'not-found' });
  }
  const called = { ...world, admission: createAdmission(world, north, 'createMaintenanceWindow') };
  await expect(
    createWindow(called, north, { name: 'Theirs', scope: { groups: ['south'] }, ...once }, uuidOf(781)),
  ).rejects.toMatchObject({ code: 'invalid-request' });
  const wider = { name: 'Wider', scope: { codes: ['*'] }, ...once };
  await expect(putWindow(world, north, uuidOf(780), wider, null)).rejects.toMatchObject({ code: 'limited-to-groups' });
  await expect(deleteWindow(world, north, uuidOf(780), null)).rejects.toMatchObject({ code: 'limited-to-groups' });
  await deleteWindow(world, ana, uuidOf(779), null);
  await deleteWindow(world, ana, uuidOf(780), null);
  await line.says(minute, 'status', { ...memory(95), groupId: 'south' });
  expect(await line.alerts()).toMatchObject([{ maintenance: null }]);
});

test('a preview counts what a window would have kept quiet', async () => {
  const line = await started();
  await line.says(0, 'status', memory(95));
  await line.says(2 * hour, 'status', memory(20));
  await line.says(26 * hour, 'status', memory(95));
  const recurrence = { weekdays: ['fri' as const], from: '09:00', to: '11:00' };
  const window = { name: 'Fridays', scope: { groups: ['north'], codes: ['RES_001'] }, recurrence };
  const seen = await previewWindow(line.world, ana, { window });
  expect(seen).toMatchObject({ devices: 1, matched: 2, quiet: 1, isComplete: true });
  expect(seen.alerts.map(({ isQuiet }) => isQuiet)).toEqual([false, true]);
  const other = await previewWindow(line.world, limited('south'), { window: { ...window, scope: { codes: ['*'] } } });
  expect(other).toMatchObject({ devices: 0, examined: 0, matched: 0, quiet: 0, alerts: [] });
});
