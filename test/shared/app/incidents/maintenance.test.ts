import { expect, test } from 'vitest';
import { bodyOf } from '../../../../shared/app/events/body.ts';
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

test('cameras that are lost in maintenance are recorded and make no outage, and nobody is notified', async () => {
  const { world, live, lose, plan } = await planned({ sites: ['a'] }, 120);
  await plan();
  world.pass(1);
  await lose(dark);
  await live(30, b1);
  expect(await incidentsOf(world)).toEqual([]);
  const alerts = await openAlerts(world);
  expect(alerts).toHaveLength(10);
  expect(alerts.every(({ maintenance, isJudged }) => maintenance === windowId && isJudged)).toBe(true);
  await live(4, all);
  expect(await openAlerts(world)).toEqual([]);
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
  await live(5, [...a2, ...b1]);
  expect((await openingsOf(world)).filter((line) => line.includes('Outage'))).toEqual([
    '[CRITICAL] Outage behind switch a-1',
  ]);
  expect((await openingsOf(world)).filter((line) => !line.includes('Outage'))).toEqual([]);
  await live(4, all);
  expect((await notifiedOf(world)).at(-1)).toMatch(/Outage.*: over/);
  expect((await eventsOf(world)).filter((each) => !each.startsWith('updated'))).toEqual([
    'opened null',
    'resolved null',
  ]);
});

test('a camera that is lost beside those in maintenance stands alone', async () => {
  const { world, live, lose, plan } = await planned({ devices: dark.slice(1) }, 120);
  await plan();
  world.pass(1);
  await lose(dark);
  await live(10, b1);
  expect(await incidentsOf(world)).toEqual([]);
  expect(await openingsOf(world)).toEqual(['[CRITICAL] a / a.1[.]cam-0 offline']);
});

test('an outage names what is dark beside it in maintenance, and counts it neither as dark nor as of the place', async () => {
  const { world, live, lose, plan } = await planned({ devices: a1.slice(0, 2) }, 120);
  await plan();
  world.pass(1);
  await lose(dark);
  await live(6, b1);
  const [outage] = await incidentsOf(world);
  expect(outage?.members).toMatchObject({ now: 8 });
  const [first] = (await world.store.find({ in: 'windows', limit: 1 })).map(({ data }) => data);
  const ends = first?.lastsTo.slice(11, 16);
  expect(outage?.message).toBe(`8 of 8 cameras at a are dark. 2 more are in maintenance until ${ends}.`);
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
