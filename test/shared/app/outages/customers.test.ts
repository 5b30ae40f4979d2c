import { expect, test } from 'vitest';
import { bodyOf } from '../../../../shared/app/events/body.ts';
import { getIncident, listIncidents } from '../../../../shared/app/incidents/incidents.ts';
import { putPlace } from '../../../../shared/app/places/places.ts';
import type { HandoffDraft } from '../../../../shared/schema/settings/handoff.ts';
import { draftOf } from '../../../support/handoff/receivers.ts';
import { ana, giveTeam, messagesOf, uuidOf } from '../../../support/records/alerts.ts';
import { endpoint, giveWebhook } from '../../../support/records/deliveries.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';

const shared = { name: 'Fibre in the street', groups: ['east', 'north', 'south'], shared: true };

/** Three customers behind one provider, with an endpoint each. */
async function customers(counts: Record<string, number> = {}) {
  const cameras = shared.groups.flatMap((group) => behind(group, '1', counts[group] ?? 8));
  const fleet = await lateFleet(cameras, (deviceId) => ({
    groupId: deviceId.split('.')[0] ?? '',
    site: `site of ${deviceId.split('.')[0]}`,
    parents: [{ kind: 'provider', id: 'p-1' }],
  }));
  const { world } = fleet;
  await putPlace(world, { kind: 'provider', id: 'p-1' }, shared, null);
  const limits = [...shared.groups.map((group) => [group]), ['east', 'north']];
  for (const [index, groups] of limits.entries()) {
    const hook = endpoint({ events: ['incident'], filter: { groups } });
    await giveWebhook(world, { ...hook, webhookId: uuidOf(900 + index) });
  }
  /** The deliveries of the endpoint that takes these groups, with what they say. */
  const eventsTo = async (...groups: string[]) => {
    const webhookId = uuidOf(900 + limits.findIndex((each) => each.join() === groups.join()));
    const sent = (await messagesOf(world)).filter(
      ({ target }) => 'webhookId' in target && target.webhookId === webhookId,
    );
    return Promise.all(
      sent.map(async (each) => ({ ...JSON.parse((await bodyOf(world, each)) ?? ''), id: each.eventId })),
    );
  };
  /** The events of an endpoint, with the members that it is told of. */
  const toldTo = async (...groups: string[]) =>
    (await eventsTo(...groups)).map(
      ({ change, incident }) => `${change} ${incident.title} ${incident.status} ${incident.members.now}`,
    );
  const of = (group: string) => cameras.filter((camera) => camera.startsWith(group));
  return { ...fleet, cameras, of, toldTo, eventsTo };
}

/** The provider has been dark for 16 minutes, and the cameras of one customer are back. */
async function eastIsBack() {
  const fleet = await customers();
  const { cameras, of, darken, light, minutes } = fleet;
  await darken(cameras);
  await minutes(12);
  await light(of('east'));
  await minutes(4);
  return fleet;
}

test('of an outage at a provider each customer hears the end of his own part, and nothing of the others', async () => {
  const { world, of, toldTo, light, minutes } = await eastIsBack();
  expect(await toldTo('east')).toEqual([
    'opened Outage behind provider Fibre in the street active 8',
    'resolved Outage behind provider Fibre in the street resolved 0',
  ]);
  expect((await toldTo('north')).filter((line) => line.startsWith('resolved'))).toEqual([]);
  const [outage] = await incidentsOf(world);
  const seenBy = async (group: string) => {
    const { incident } = await getIncident(world, { ...ana, groups: [group] }, outage?.incidentId ?? '');
    return [incident.status, incident.members, incident.endedAt !== null];
  };
  expect(await seenBy('east')).toEqual(['resolved', { now: 0, peak: 8, back: 8 }, true]);
  expect(await seenBy('north')).toEqual(['escalated', { now: 8, peak: 8, back: 0 }, false]);
  await light([...of('north'), ...of('south')]);
  await minutes(4);
  expect((await toldTo('east')).filter((line) => line.startsWith('resolved'))).toHaveLength(1);
  expect((await toldTo('north')).at(-1)).toBe('resolved Outage behind provider Fibre in the street resolved 0');
});

test('a customer who is dark again while others still are hears that his part is back', async () => {
  const { of, toldTo, darken, minutes } = await eastIsBack();
  await darken(of('east'));
  await minutes(8);
  const changes = (await toldTo('east')).map((line) => line.split(' ')[0]);
  expect(changes.slice(0, 3)).toEqual(['opened', 'resolved', 'reopened']);
  expect(changes.slice(3)).not.toContain('resolved');
});

test('an endpoint that serves two customers hears of the end with the last of them, and that the first is back before', async () => {
  const { of, toldTo, light, minutes } = await eastIsBack();
  expect((await toldTo('east', 'north')).map((line) => line.split(' ')[0])).not.toContain('resolved');
  await light(of('north'));
  await minutes(4);
  expect((await toldTo('east', 'north')).at(-1)).toMatch(/^resolved .* resolved 0$/);
});

test('an event has one id for all who get the same of it and another for everybody else, and says which is newer', async () => {
  const { eventsTo } = await eastIsBack();
  const [east, north, both] = [await eventsTo('east'), await eventsTo('north'), await eventsTo('east', 'north')];
  for (const events of [east, north, both]) {
    const versions = events.map(({ incident }) => incident.version);
    expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
    for (const { id } of events) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
  }
  const ids = [...east, ...north, ...both].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(east[0].incident.version).toBe(north[0].incident.version);
});

test('a bearer of one customer reads the times, the counts and the end of his own part, and finds it open no more', async () => {
  const { world } = await eastIsBack();
  const [outage] = await incidentsOf(world);
  const seenBy = (...groups: string[]) => getIncident(world, { ...ana, groups }, outage?.incidentId ?? '');
  const { incident } = await seenBy('east');
  expect(incident.groupEnds).toEqual({ east: incident.endedAt });
  expect((await seenBy('north')).incident.groupEnds).toEqual({});
  expect((await seenBy('north', 'east')).incident).toMatchObject({
    endedAt: null,
    groupEnds: { east: incident.endedAt },
  });
  const tokens = { seal: () => '', open: () => null } as never;
  const openTo = async (group: string) =>
    (await listIncidents(world, { ...ana, groups: [group] }, {}, tokens)).incidents;
  expect(await openTo('east')).toEqual([]);
  expect(await openTo('north')).toHaveLength(1);
});

test('people hear by name which customer is back, and that he is dark again', async () => {
  const { world, of, darken, minutes } = await eastIsBack();
  const [outage] = await incidentsOf(world);
  expect(outage?.message).toContain('Over in east.');
  const title = '[CRITICAL] Outage behind provider Fibre in the street';
  expect(notifiedOf(world)).toContain(`${title}: partly back`);
  await darken(of('east'));
  await minutes(8);
  expect(notifiedOf(world).at(-1)).toBe(`${title}: wider than reported before`);
});

test('a system that serves one customer is told of the end of his part, and under the same key that it is back', async () => {
  const { world, cameras, of, darken, light, minutes } = await customers();
  const limited = (name: string, ...groups: string[]) =>
    ({ ...draftOf.pagerduty, name, filter: { groups } }) as HandoffDraft;
  await giveTeam(world, 'operations', {
    emails: ['ops@example.com'],
    handoffs: [limited('East', 'east'), limited('Both', 'east', 'north')],
  });
  await darken(cameras);
  await minutes(12);
  await light(of('east'));
  await minutes(4);
  await darken(of('east'));
  await minutes(8);
  await light(of('east'));
  await minutes(4);
  await light(of('north'));
  await minutes(4);
  const sent = (await messagesOf(world)).filter(({ channel }) => channel === 'handoff');
  const to = (name: string) => sent.filter(({ targetName }) => targetName === `operations: ${name}`);
  expect(to('East').map(({ handoff }) => handoff?.action)).toEqual(['trigger', 'resolve', 'trigger', 'resolve']);
  expect(to('Both').map(({ handoff }) => handoff?.action)).toEqual(['trigger', 'resolve']);
  expect(new Set(sent.map(({ handoff }) => handoff?.key)).size).toBe(1);
});

test('a customer of a shared provider none of whose cameras is dark hears of its outage when one is, and of its end', async () => {
  const { world, cameras, of, toldTo, darken, light, minutes } = await customers({ south: 1 });
  await darken(cameras.filter((camera) => !of('south').includes(camera)));
  await minutes(14);
  expect(await incidentsOf(world)).toMatchObject([{ title: 'Outage behind provider Fibre in the street' }]);
  expect(await toldTo('east')).not.toEqual([]);
  expect(await toldTo('south')).toEqual([]);
  await darken(of('south'));
  await minutes(8);
  await light(of('south'));
  await minutes(8);
  expect((await toldTo('south')).map((line) => line.split(' ')[0])).toEqual(['opened', 'resolved']);
});
