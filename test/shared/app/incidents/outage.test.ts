import { expect, test } from 'vitest';
import { actOnIncident } from '../../../../shared/app/incidents/actions.ts';
import { ana } from '../../../support/records/alerts.ts';
import { answerWakes, behind, livingFleet as fleet, hangs, openingsOf } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';
import { openAlerts } from '../../../support/world/ways.ts';

test('a site without power is one incident, announced once when it begins and once when it is over', async () => {
  const [dark, lit] = [[...behind('a', '1', 6), ...behind('a', '2', 6)], behind('b', '1', 12)];
  const { world, live, lose } = await fleet([...dark, ...lit], hangs);
  world.pass(1);
  await lose(dark);
  await live(9, lit);
  expect(await incidentsOf(world)).toMatchObject([
    { kind: 'outage', scope: { kind: 'site', id: 'a' }, title: 'Outage at a', members: { now: 12, peak: 12, back: 0 } },
  ]);
  expect((await openAlerts(world)).every(({ isMember, respondBy }) => isMember && respondBy === null)).toBe(true);
  expect(notifiedOf(world)).toEqual(['[CRITICAL] Outage at a']);
  const [open] = await incidentsOf(world);
  expect(open?.evidence).toEqual([
    '12 of 12 cameras at a dark within 0 s',
    '12 of 12 elsewhere behind uplink u-1 report',
  ]);
  await live(3, [...dark, ...lit]);
  expect(await openAlerts(world)).toEqual([]);
  const [ended] = await incidentsOf(world);
  expect(ended).toMatchObject({ status: 'resolved', members: { now: 0, peak: 12, back: 12 } });
  expect(ended?.message).toMatch(/^12 of 12 back after \d+ min\.$/);
  expect(openingsOf(world)).toEqual(['[CRITICAL] Outage at a', '[CRITICAL] Outage at a: over']);
});

const [a1, a2, b1, b2] = [behind('a', '1', 5), behind('a', '2', 5), behind('b', '1', 5), behind('b', '2', 5)];
const all = [...a1, ...a2, ...b1, ...b2];
const without = (lost: readonly string[]) => all.filter((camera) => !lost.includes(camera));

test.each<[what: string, dark: readonly string[], scope: object]>([
  ['a switch', a1, { kind: 'switch', id: 'a-1' }],
  ['a site', [...a1, ...a2], { kind: 'site', id: 'a' }],
  ['a site of which a part has power of its own', [...a1, ...a2.slice(0, 3)], { kind: 'site', id: 'a' }],
  ['an uplink', all, { kind: 'uplink', id: 'u-1' }],
])('%s that goes dark is announced by its name, with or without last wills', async (_what, dark, scope) => {
  for (const hasWills of [true, false]) {
    const { world, live, lose } = await fleet(all, hangs);
    world.pass(1);
    if (hasWills) await lose(dark);
    await live(12, without(dark));
    expect(await incidentsOf(world)).toMatchObject([{ scope, members: { now: dark.length, peak: dark.length } }]);
    expect(openingsOf(world)).toHaveLength(1);
  }
});

test('one camera of many is announced by itself with the next look', async () => {
  const { world, live, lose } = await fleet(all, hangs);
  world.pass(1);
  await lose(all.slice(0, 1));
  await live(8, all.slice(1));
  expect(await incidentsOf(world)).toEqual([]);
  expect(await openAlerts(world)).toMatchObject([
    { isMember: false, incidentId: null, announcedAt: expect.any(String) },
  ]);
  expect(notifiedOf(world)).toHaveLength(1);
});

test('what is over before it was announced is announced to nobody', async () => {
  const { world, ways, live, lose } = await fleet(all, hangs);
  world.pass(1);
  await lose(a1);
  await live(6, without(a1));
  await ways.live(1, without(a1));
  expect(await incidentsOf(world)).toHaveLength(1);
  for (const camera of a1) await ways.report(camera);
  await ways.sweep();
  await live(5, all);
  expect(await incidentsOf(world)).toMatchObject([{ status: 'resolved', announcedAt: null }]);
  expect(notifiedOf(world)).toEqual([]);
});

test('a second site behind the same uplink widens the outage of the first', async () => {
  const { world, live, lose } = await fleet(all, hangs);
  world.pass(1);
  await lose([...a1, ...a2]);
  await live(9, [...b1, ...b2]);
  expect(await incidentsOf(world)).toMatchObject([{ scope: { kind: 'site', id: 'a' } }]);
  await lose([...b1, ...b2]);
  await live(9, []);
  const found = await incidentsOf(world);
  const wide = found.find(({ endedAt }) => endedAt === null);
  expect(found).toHaveLength(2);
  expect(wide).toMatchObject({ scope: { kind: 'uplink' }, members: { now: 20 } });
  expect(found).toContainEqual(expect.objectContaining({ title: 'Outage at a', joinedTo: wide?.incidentId }));
  expect(openingsOf(world)).toEqual([
    '[CRITICAL] Outage at a',
    '[CRITICAL] Outage behind uplink u-1: wider than reported before',
  ]);
});

test('cameras that are still dark when it is over are announced, once, and have clocks of their own', async () => {
  const { world, live, lose } = await fleet(all, hangs);
  world.pass(1);
  await lose(all);
  await live(9, []);
  const left = all.slice(0, 1);
  await live(12, without(left));
  expect(await incidentsOf(world)).toMatchObject([
    { status: 'resolved', message: expect.stringMatching(/^19 of 20 back after \d+ min, 1 still dark: a.1.cam-0\.$/) },
  ]);
  expect(await openAlerts(world)).toMatchObject([{ isMember: false, deviceId: left[0], status: 'escalated' }]);
  expect(openingsOf(world).toSorted()).toEqual([
    '[CRITICAL] Outage behind uplink u-1',
    '[CRITICAL] Outage behind uplink u-1: over',
    '[CRITICAL] a / a.1[.]cam-0 offline',
  ]);
});

test('cameras that come back while an outage is evaluated are not named as still dark', async () => {
  const cameras = behind('a', '1', 12);
  const { world, ways, live, lose } = await fleet(cameras, hangs);
  world.pass(1);
  await lose(cameras);
  await live(9, []);
  await live(10, cameras.slice(5));
  const { store } = world;
  world.store = {
    ...store,
    find: async (query) => {
      if (query.in === 'alerts' && query.limit === 400)
        for (const camera of cameras.slice(1)) await ways.report(camera);
      return store.find(query);
    },
  };
  await live(1, cameras.slice(5));
  const [ended] = await incidentsOf(world);
  expect(ended?.message).toMatch(/^11 of 12 back after \d+ min, 1 still dark: a.1.cam-0\.$/);
});

test('in a small place one camera that stays dark is hidden no longer than ten minutes after the others are back', async () => {
  const three = behind('a', '1', 3);
  const { world, live, lose } = await fleet(three, hangs);
  world.pass(1);
  await lose(three);
  await live(9, []);
  await live(13, three.slice(1));
  expect(await incidentsOf(world)).toMatchObject([{ status: 'resolved' }]);
  expect(await openAlerts(world)).toMatchObject([{ isMember: false, announcedAt: expect.any(String) }]);
});

test('when all but a part of it is back, it ends under its own name, and that part is an outage of its own, in one message', async () => {
  const { world, live, lose } = await fleet(all, hangs);
  world.pass(1);
  await lose(all);
  await live(9, []);
  await live(5, without(b2));
  const [first, rest] = await incidentsOf(world);
  expect(first).toMatchObject({ title: 'Outage behind uplink u-1', status: 'resolved', members: { now: 5, back: 15 } });
  expect(first?.message).toMatch(/^15 of 20 back after \d+ min, 5 still dark: 5 of 5 behind switch b-2\.$/);
  expect(rest).toMatchObject({
    title: 'Outage behind switch b-2',
    endedAt: null,
    members: { now: 5, peak: 5, back: 0 },
  });
  expect(rest?.timestamp).toBe(first?.timestamp);
  expect(rest?.outage?.continues?.incidentId).toBe(first?.incidentId);
  expect((await openAlerts(world)).every(({ incidentId }) => incidentId === rest?.incidentId)).toBe(true);
  await live(3, all);
  expect(openingsOf(world)).toEqual([
    '[CRITICAL] Outage behind uplink u-1',
    '[CRITICAL] Outage behind uplink u-1: over',
    '[CRITICAL] Outage behind switch b-2: over',
  ]);
});

test('who acknowledges it acknowledges its members, also those that come later; who knows of it hears that of the incident alone', async () => {
  const { world, ways, live, lose } = await fleet(all, hangs);
  world.pass(1);
  await lose([...a1, ...a2.slice(0, 4)]);
  await live(8, [...a2.slice(4), ...b1, ...b2]);
  const [incident] = await incidentsOf(world);
  expect(notifiedOf(world)).toEqual(['[CRITICAL] Outage at a']);
  await actOnIncident(world, ana, incident?.incidentId ?? '', { kind: 'acknowledge' }, null);
  await answerWakes(world);
  await ways.lose(a2[4] ?? '');
  await live(8, [...b1, ...b2]);
  const who = `incident:${incident?.incidentId}`;
  const alerts = await openAlerts(world);
  expect(alerts).toHaveLength(10);
  expect(
    alerts.filter(({ status, acknowledgedBy }) => status === 'acknowledged' && acknowledgedBy === who),
  ).toHaveLength(10);
  expect(notifiedOf(world)).toEqual(['[CRITICAL] Outage at a', '[CRITICAL] Outage at a: ana has it']);
});

test('resolved by hand it resolves its members, stays where it is while they are dark, and is not raised again', async () => {
  const { world, live, lose } = await fleet(all, hangs);
  world.pass(1);
  await lose([...a1, ...a2]);
  await live(9, [...b1, ...b2]);
  const [incident] = await incidentsOf(world);
  await actOnIncident(world, ana, incident?.incidentId ?? '', { kind: 'resolve' }, null);
  await live(9, [...b1, ...b2]);
  expect(await openAlerts(world)).toEqual([]);
  expect(await incidentsOf(world)).toMatchObject([{ status: 'resolved', endedAt: null }]);
  await live(3, all);
  expect(await incidentsOf(world)).toMatchObject([{ status: 'resolved', endedAt: expect.any(String) }]);
  world.pass(1);
  await lose(a1);
  await live(8, without(a1));
  expect(await incidentsOf(world)).toHaveLength(2);
});

test('a security alert of a camera in an outage is announced by itself', async () => {
  const { world, ways, live, lose } = await fleet(all, hangs);
  world.pass(1);
  await lose(a1);
  await live(8, without(a1));
  const attempt = { type: 'unauthorized_broker_attempt', timestamp: world.now(), attemptedHost: 'evil.example.com' };
  await ways.say(a1[0] ?? '', { kind: 'event', body: attempt });
  const alone = (await openAlerts(world)).filter(({ isMember }) => !isMember);
  expect(alone).toMatchObject([{ code: 'SEC_002', incidentId: null }]);
  await answerWakes(world);
  expect(notifiedOf(world).at(-1)).toContain('cam-0 foreign broker attempt');
});
