import { expect, test } from 'vitest';
import { bodyOf } from '../../../../shared/app/events/body.ts';
import { actOnIncident } from '../../../../shared/app/incidents/actions.ts';
import { explainIncident, getIncident } from '../../../../shared/app/incidents/incidents.ts';
import { createWindow, deleteWindow } from '../../../../shared/app/maintenance/windows.ts';
import { plus } from '../../../../shared/domain/time.ts';
import type { MaintenanceScope } from '../../../../shared/schema/maintenance/window.ts';
import { ana, messagesOf, uuidOf } from '../../../support/records/alerts.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { behind, hangs, livingFleet, openingsOf } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';
import { openAlerts } from '../../../support/world/ways.ts';
import type { TestWorld } from '../../../support/world/world.ts';

const windowId = uuidOf(778);
const [a1, a2, b1] = [behind('a', '1', 5), behind('a', '2', 5), behind('b', '1', 10)];
const all = [...a1, ...a2, ...b1];
const dark = [...a1, ...a2];

/** A fleet, and `plan`, which creates a maintenance window that begins now. */
async function planned(scope: MaintenanceScope, minutes: number) {
  const living = await livingFleet(all, hangs);
  const { world } = living;
  const plan = () => {
    const [startsAt, endsAt] = [world.now(), plus(world.now(), minutes * 60_000)];
    return createWindow(world, ana, { name: 'New switch', scope, startsAt, endsAt }, windowId);
  };
  return { ...living, plan };
}

test('an outage all of whose members are in maintenance is recorded, and announced to nobody', async () => {
  const { world, live, lose, plan } = await planned({ sites: ['a'] }, 120);
  await plan();
  world.pass(1);
  await lose(dark);
  await live(30, b1);
  const [incident] = await incidentsOf(world);
  expect(incident).toMatchObject({ maintenance: windowId, status: 'active', notifiedVersions: [], respondBy: null });
  const id = incident?.incidentId ?? '';
  expect((await getIncident(world, ana, id)).incident).toMatchObject({ maintenance: windowId, endedAt: null });
  const { notNotified, next } = await explainIncident(world, ana, id);
  expect(notNotified).toContainEqual(expect.objectContaining({ because: 'maintain', reason: 'maintenance' }));
  expect(next[0]?.what).toContain('maintenance ends');
  expect((await openAlerts(world)).every(({ maintenance }) => maintenance === windowId)).toBe(true);
  await live(4, all);
  expect(await incidentsOf(world)).toMatchObject([{ status: 'resolved', maintenance: windowId }]);
  expect(await notifiedOf(world)).toEqual([]);
});

/** The incident events that endpoints got, as `change maintenance`. */
const eventsOf = async (world: TestWorld) => {
  const sent = (await messagesOf(world)).filter(({ eventType }) => eventType === 'incident');
  const bodies = await Promise.all(sent.map((delivery) => bodyOf(world, delivery)));
  return bodies.map((body) => {
    const { change, incident } = JSON.parse(body ?? '');
    return `${change} ${incident.maintenance}`;
  });
};

test('endpoints get the events of an outage in a window as they happen, with the window in them', async () => {
  const { world, live, lose, plan } = await planned({ sites: ['a'] }, 120);
  const hook = endpoint({ events: ['incident'] });
  await world.store.commit([{ kind: 'create', in: 'webhooks', id: hook.webhookId, data: hook }]);
  await plan();
  world.pass(1);
  await lose(dark);
  await live(12, b1);
  expect(await eventsOf(world)).toEqual([`opened ${windowId}`]);
  const [{ incidentId } = { incidentId: '' }] = await incidentsOf(world);
  await actOnIncident(world, ana, incidentId, { kind: 'acknowledge' }, null);
  await live(4, all);
  expect((await eventsOf(world)).filter((each) => !each.startsWith('updated'))).toEqual([
    `opened ${windowId}`,
    `acknowledged ${windowId}`,
    `resolved ${windowId}`,
  ]);
  expect(await notifiedOf(world)).toEqual([]);
});

test('an outage that lasts longer than its window is announced at its end, once, and its clock starts', async () => {
  const { world, live, lose, plan } = await planned(
    { parents: [{ kind: 'switch', id: 'a-1' }], groups: ['north'] },
    30,
  );
  const hook = endpoint({ events: ['incident'] });
  await world.store.commit([{ kind: 'create', in: 'webhooks', id: hook.webhookId, data: hook }]);
  await plan();
  world.pass(1);
  await lose(a1);
  await live(28, [...a2, ...b1]);
  expect(await notifiedOf(world)).toEqual([]);
  await live(3, [...a2, ...b1]);
  expect((await openingsOf(world)).filter((line) => line.includes('Outage'))).toEqual([
    '[CRITICAL] Outage behind switch a-1: open after maintenance',
  ]);
  expect((await openingsOf(world)).filter((line) => !line.includes('Outage'))).toEqual([]);
  await live(4, all);
  expect((await notifiedOf(world)).at(-1)).toMatch(/Outage.*: over/);
  expect((await eventsOf(world)).filter((each) => !each.startsWith('updated'))).toEqual([
    `opened ${windowId}`,
    `resolved ${windowId}`,
  ]);
});

test('one member that is not in maintenance is enough for an outage to be announced', async () => {
  const { world, live, lose, plan } = await planned({ devices: dark.slice(1) }, 120);
  await plan();
  world.pass(1);
  await lose(dark);
  await live(10, b1);
  expect(await incidentsOf(world)).toMatchObject([{ maintenance: null, announcedAt: expect.any(String) }]);
  expect(await openingsOf(world)).toEqual(['[CRITICAL] Outage at a']);
});

test('one that joins later, and is not in maintenance, has the outage announced', async () => {
  const { world, live, lose, plan } = await planned({ parents: [{ kind: 'switch', id: 'a-1' }] }, 120);
  await plan();
  world.pass(1);
  await lose(a1);
  await live(10, [...a2, ...b1]);
  expect(await notifiedOf(world)).toEqual([]);
  await lose(a2);
  await live(12, b1);
  expect((await openingsOf(world)).filter((line) => line.includes('Outage'))).toHaveLength(1);
});

test('an outage that was announced before the window is not escalated within it', async () => {
  const { world, live, lose, plan } = await planned({ sites: ['a'] }, 300);
  world.pass(1);
  await lose(dark);
  await live(7, b1);
  const [open] = await incidentsOf(world);
  expect(open).toMatchObject({ status: 'active' });
  await plan();
  await live(120, b1);
  expect((await notifiedOf(world)).filter((line) => /escalated|reminder|still open/i.test(line))).toEqual([]);
  expect(await incidentsOf(world)).toMatchObject([{ maintenance: windowId, escalatedAt: null }]);
});

test('a window that is ended early lets go of the outage that it kept quiet', async () => {
  const { world, live, lose, plan } = await planned({ sites: ['a'] }, 300);
  await plan();
  world.pass(1);
  await lose(dark);
  await live(12, b1);
  expect(await notifiedOf(world)).toEqual([]);
  await deleteWindow(world, ana, windowId, null);
  await live(4, b1);
  expect((await openingsOf(world)).filter((line) => line.includes('Outage'))).toHaveLength(1);
});
