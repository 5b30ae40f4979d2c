import { expect, test } from 'vitest';
import { actOnIncident } from '../../../../shared/app/incidents/actions.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { ana } from '../../../support/records/alerts.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind, hangs, openingsOf } from '../../../support/world/living-fleet.ts';
import { incidentsOf, notifiedOf } from '../../../support/world/places.ts';
import { openAlerts } from '../../../support/world/ways.ts';
import type { TestWorld } from '../../../support/world/world.ts';

const outagesOf = (world: TestWorld) => openingsOf(world).filter((line) => line.startsWith('[CRITICAL] Outage'));
const losses = async ({ store }: TestWorld) => {
  const found = await store.find({ in: 'alerts', limit: 1000 });
  return found.map(({ data }) => data).filter(({ code }) => code === 'CONN_001');
};

test('a site that is off for 7 minutes and on for 7, for three hours, is one outage that comes and goes', async () => {
  const [site, other] = [behind('a', '1', 6), behind('b', '1', 6)];
  const { world, darken, light, minutes } = await lateFleet([...site, ...other]);
  for (let round = 0; round < 13; round += 1) {
    await darken(site);
    await minutes(7);
    await light(site);
    await minutes(7);
  }
  await minutes(35);
  expect(await incidentsOf(world)).toMatchObject([{ title: 'Outage at a', status: 'resolved', flapping: true }]);
  expect(await losses(world)).toHaveLength(6);
  expect(await openAlerts(world)).toEqual([]);
  const told = outagesOf(world);
  expect(told.filter((line) => line.includes('comes and goes'))).toHaveLength(1);
  expect(told).toEqual([
    '[CRITICAL] Outage at a again',
    '[CRITICAL] Outage at a: over',
    '[CRITICAL] Outage at a: comes and goes',
  ]);
});

test('a camera that is off for 12 minutes and on for 4 comes and goes, and is told a few times only', async () => {
  const cameras = behind('a', '1', 8);
  const [camera = ''] = cameras;
  const { world, darken, light, minutes } = await lateFleet(cameras);
  for (let round = 0; round < 11; round += 1) {
    await darken([camera]);
    await minutes(12);
    await light([camera]);
    await minutes(4);
  }
  expect(await losses(world)).toMatchObject([{ flapping: true, isOpen: true }]);
  const told = openingsOf(world).filter((line) => line.includes('offline'));
  expect(told.filter((line) => line.includes('comes and goes'))).toHaveLength(1);
  expect(told.length).toBeLessThan(6);
  await minutes(35);
  expect(await openAlerts(world)).toEqual([]);
});

test('of a provider that is back but for one site each part is told by its own name and number', async () => {
  const [a, b, c] = [behind('a', '1', 20), behind('b', '1', 20), behind('c', '1', 20)];
  const { world, darken, light, minutes } = await lateFleet([...a, ...b, ...c]);
  await darken([...a, ...b, ...c]);
  await minutes(12);
  await light([...a, ...c]);
  await minutes(6);
  const found = await incidentsOf(world);
  const first = found.find(({ endedAt }) => endedAt !== null);
  const rest = found.find(({ endedAt }) => endedAt === null);
  expect(first).toMatchObject({ title: 'Outage behind uplink u-1', status: 'resolved', members: { back: 40 } });
  expect(first?.message).toMatch(/^40 of 60 back after \d+ min, 20 still dark: 20 of 20 at b\.$/);
  expect(rest).toMatchObject({ title: 'Outage at b', endedAt: null, members: { now: 20, peak: 20 } });
  await light(b);
  await minutes(4);
  expect((await incidentsOf(world)).map(({ endedAt }) => endedAt !== null)).toEqual([true, true]);
  expect(outagesOf(world)).toEqual([
    '[CRITICAL] Outage behind uplink u-1',
    '[CRITICAL] Outage behind uplink u-1: over',
    '[CRITICAL] Outage at b: over',
  ]);
});

test('180 cameras at 60 sites of a group, dark in the same minute, are one outage', async () => {
  const cameras = Array.from({ length: 60 }, (_, site) => behind(`s${site}`, '1', 3)).flat();
  const { world, darken, minutes } = await lateFleet(cameras, (deviceId) => ({
    groupId: 'north',
    site: deviceId.split('.')[0] ?? '',
    parents: [],
  }));
  await darken(cameras);
  await minutes(9);
  expect(await incidentsOf(world)).toMatchObject([
    { title: 'Outage in group north', message: '180 of 180 cameras in group north are dark.', members: { now: 180 } },
  ]);
  expect(outagesOf(world)).toEqual(['[CRITICAL] Outage in group north']);
});

test('a site of which 30 of 50 cameras are lost evenly over 40 minutes is an outage', async () => {
  const cameras = behind('a', '1', 50);
  const { world, darken, minutes } = await lateFleet(cameras);
  for (let lost = 0; lost < 30; lost += 3) {
    await darken(cameras.slice(lost, lost + 3));
    await minutes(4);
  }
  await minutes(8);
  const [outage] = await incidentsOf(world);
  expect(outage).toMatchObject({ title: 'Outage at a', members: { now: 30 } });
  expect((await openAlerts(world)).every(({ incidentId }) => incidentId === outage?.incidentId)).toBe(true);
});

test('a switch that was snoozed for eight hours hides no provider', async () => {
  const [sw, others] = [behind('a', '1', 6), [...behind('b', '1', 12), ...behind('c', '1', 12)]];
  const { world, darken, minutes } = await lateFleet([...sw, ...others]);
  await darken(sw);
  await minutes(9);
  const [first] = await incidentsOf(world);
  const until = plus(world.now(), 8 * 3_600_000);
  await actOnIncident(world, ana, first?.incidentId ?? '', { kind: 'snooze', until }, null);
  await darken(others);
  await minutes(8);
  const wide = (await incidentsOf(world)).find(({ endedAt }) => endedAt === null);
  expect(wide).toMatchObject({ title: 'Outage behind uplink u-1', snoozedUntil: null, members: { now: 30 } });
  expect(wide?.message).toContain('30 of 30 cameras behind uplink u-1 are dark.');
  expect(outagesOf(world).at(-1)).toBe('[CRITICAL] Outage behind uplink u-1: wider than reported before');
});

test('an outage that somebody has goes on in his hands when it becomes a little wider', async () => {
  const [one, two] = [behind('a', '1', 6), behind('a', '2', 4)];
  const other = behind('b', '1', 30);
  const { world, darken, minutes } = await lateFleet([...one, ...two, ...other]);
  await darken(one);
  await minutes(9);
  const [first] = await incidentsOf(world);
  await actOnIncident(world, ana, first?.incidentId ?? '', { kind: 'acknowledge' }, null);
  await darken(two);
  await minutes(8);
  const wide = (await incidentsOf(world)).find(({ endedAt }) => endedAt === null);
  expect(wide).toMatchObject({ title: 'Outage at a', status: 'acknowledged', acknowledgedBy: ana.subject });
  expect((await openAlerts(world)).every(({ status }) => status === 'acknowledged')).toBe(true);
});

test('a site that somebody has is in his hands when the provider around it failed and is back, and is told at once', async () => {
  const [site, others] = [behind('a', '1', 6), [...behind('b', '1', 12), ...behind('c', '1', 12)]];
  const { world, darken, light, minutes } = await lateFleet([...site, ...others]);
  await darken(site);
  await minutes(9);
  const [first] = await incidentsOf(world);
  await actOnIncident(world, ana, first?.incidentId ?? '', { kind: 'acknowledge' }, null);
  const takenAt = (await incidentsOf(world))[0]?.acknowledgedAt;
  await minutes(20);
  await darken(others);
  await minutes(9);
  await light(others);
  await minutes(9);
  const rest = (await incidentsOf(world)).find(({ endedAt }) => endedAt === null);
  expect(rest).toMatchObject({
    title: 'Outage at a',
    acknowledgedBy: ana.subject,
    acknowledgedAt: takenAt,
    respondBy: null,
  });
  expect(outagesOf(world).at(-1)).toBe('[CRITICAL] Outage at a');
});

test('of two outages in one minute each is compared with what is around it, and is no part of the other', async () => {
  const far = { groupId: 'north', site: 'far', parents: [{ kind: 'uplink', id: 'u-2' }] };
  const [site, other] = [behind('a', '1', 6), behind('b', '1', 12)];
  const away = Array.from({ length: 4 }, (_, index) => `far-${index}`);
  const { world, darken, minutes } = await lateFleet([...site, ...other, ...away], (deviceId) =>
    deviceId.startsWith('far') ? far : hangs(deviceId),
  );
  await darken([...site, ...away]);
  await minutes(9);
  const evidence = Object.fromEntries((await incidentsOf(world)).map((each) => [each.title, each.evidence]));
  expect(evidence['Outage at a']?.[1]).toBe('12 of 12 elsewhere behind uplink u-1 report');
  expect(evidence['Outage at far']).toHaveLength(1);
});

test('an outage of silent cameras began when they were seen last', async () => {
  const cameras = behind('a', '1', 6);
  const { world, hush, minutes } = await lateFleet([...cameras, ...behind('b', '1', 6)]);
  const seenAt = plus(world.now(), -10_000);
  hush(cameras);
  await minutes(15);
  const [outage] = await incidentsOf(world);
  expect(outage?.timestamp && outage.timestamp <= seenAt).toBe(true);
  for (const { lostAt } of await openAlerts(world)) expect(lostAt !== null && lostAt <= seenAt).toBe(true);
});

test('with the commits of all losses refused nobody hears of an outage, and when they succeed everybody does', async () => {
  const cameras = behind('a', '1', 12);
  const { world, darken, minutes } = await lateFleet([...cameras, ...behind('b', '1', 12)]);
  const { store } = world;
  let isBroken = true;
  const broken: typeof store = {
    ...store,
    commit: async (writes) => {
      const isLoss = writes.some((write) => write.in === 'alerts' && write.kind === 'create');
      if (isBroken && isLoss) throw new Error('the store refuses losses');
      return store.commit(writes);
    },
  };
  world.store = broken;
  await darken(cameras);
  await minutes(10).catch(() => {});
  expect(await incidentsOf(world)).toEqual([]);
  expect(notifiedOf(world)).toEqual([]);
  isBroken = false;
  await minutes(4);
  expect(outagesOf(world)).toEqual(['[CRITICAL] Outage at a']);
});

test('48 cameras that are lost together count each place once, and a quiet minute costs the look two queries', async () => {
  const cameras = [...behind('a', '1', 24), ...behind('a', '2', 24)];
  const { world, darken, minutes } = await lateFleet([...cameras, ...behind('b', '1', 24)]);
  const { store } = world;
  const asked: string[] = [];
  world.store = {
    ...store,
    async find(query) {
      asked.push(`find ${query.in} ${query.where?.[0]?.field}`);
      return store.find(query);
    },
    async count(query) {
      asked.push(`count ${query.in} ${query.where?.map(({ field }) => field).join(' ')}`);
      return store.count(query);
    },
  };
  await minutes(1);
  expect(asked.filter((line) => /^find (incidents|alerts|outagePlaces) (lookUntil|isJudged)/.test(line))).toHaveLength(
    2,
  );
  expect(asked.filter((line) => line.includes(' places'))).toEqual([]);
  await darken(cameras);
  await minutes(8);
  const ofPlaces = asked.filter((line) => line.startsWith('count devices') && line.includes('places'));
  expect(await incidentsOf(world)).toMatchObject([{ title: 'Outage at a', members: { now: 48 } }]);
  // Four places of four counts each, and those of the outage in the look after.
  expect(ofPlaces.length).toBeLessThan(30);
});
