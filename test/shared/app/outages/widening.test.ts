import { expect, test } from 'vitest';
import { putPlace } from '../../../../shared/app/places/places.ts';
import type { Write } from '../../../../shared/app/ports.ts';
import { aroundCalls } from '../../../support/stores/around-calls.ts';
import { lateFleet } from '../../../support/world/late-fleet.ts';
import { behind, openingsOf } from '../../../support/world/living-fleet.ts';
import { incidentsOf } from '../../../support/world/places.ts';
import { openAlerts } from '../../../support/world/ways.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const outagesOf = (world: TestWorld) => openingsOf(world).filter((line) => line.startsWith('[CRITICAL] Outage'));

test('a provider of which twelve sites were told ends ten of them in its commit and the others in the next', async () => {
  const sites = Array.from({ length: 14 }, (_, index) => behind(`s${index}`, '1', 4));
  const world = createTestWorld();
  const { darken, minutes } = await lateFleet(sites.flat(), undefined, world);
  await darken(sites.slice(0, 12).flat());
  await minutes(9);
  expect(await incidentsOf(world)).toHaveLength(12);

  /** How many outages each commit lets end as part of a wider one. */
  const joined: number[] = [];
  const { store } = world;
  world.store = aroundCalls(store, (name, act, given) => {
    const writes = name === 'commit' ? (given as Write[]) : [];
    const ends = writes.filter(
      (write) => write.in === 'incidents' && 'data' in write && 'joinedTo' in write.data && write.data.joinedTo,
    );
    if (ends.length > 0) joined.push(ends.length);
    return act();
  });
  await darken(sites.slice(12, 13).flat());
  await minutes(9);
  const [wide, ...others] = (await incidentsOf(world)).filter(({ endedAt }) => endedAt === null);
  expect(others).toEqual([]);
  expect(wide).toMatchObject({ title: 'Outage behind uplink u-1', members: { now: 52 } });
  const parts = (await incidentsOf(world)).filter(({ joinedTo }) => joinedTo === wide?.incidentId);
  expect(parts).toHaveLength(12);
  expect(joined).toEqual([10, 2]);
  expect((await openAlerts(world)).every(({ incidentId }) => incidentId === wide?.incidentId)).toBe(true);
  expect(outagesOf(world).filter((line) => line.includes('u-1'))).toEqual([
    '[CRITICAL] Outage behind uplink u-1: wider than reported before',
  ]);
});

test('an outage of which fewer than a tenth are still dark ends at once, names them, and each is told alone', async () => {
  const [site, others] = [behind('a', '1', 30), behind('b', '1', 30)];
  const { world, darken, light, minutes } = await lateFleet([...site, ...others]);
  await darken(site);
  await minutes(12);
  await light(site.slice(2));
  await minutes(4);
  const [outage] = await incidentsOf(world);
  expect(outage).toMatchObject({
    status: 'resolved',
    resolution: 'automatic',
    members: { now: 2, peak: 30, back: 28 },
  });
  expect(outage?.message).toMatch(/^28 of 30 back after \d+ min, 2 still dark: a\.1\.cam-0, a\.1\.cam-1\.$/);
  const open = await openAlerts(world);
  expect(open.map(({ deviceId, isMember, announcedAt }) => [deviceId, isMember, announcedAt !== null])).toEqual(
    site.slice(0, 2).map((camera) => [camera, false, true]),
  );
});

test('with a tenth of its cameras dark an outage does not end for a while, because they may come back', async () => {
  const [site, others] = [behind('a', '1', 30), behind('b', '1', 30)];
  const { world, darken, light, minutes } = await lateFleet([...site, ...others]);
  await darken(site);
  await minutes(12);
  await light(site.slice(3));
  await minutes(4);
  expect(await incidentsOf(world)).toMatchObject([{ endedAt: null, members: { now: 3, back: 27 } }]);
  await minutes(11);
  expect(await incidentsOf(world)).toMatchObject([{ status: 'resolved', members: { now: 3, back: 27 } }]);
});

test('an outage whose place gets another name while it lasts ends under the name that people were told', async () => {
  const cameras = behind('a', '1', 6);
  const { world, darken, light, minutes } = await lateFleet(cameras);
  await putPlace(world, { kind: 'site', id: 'a' }, { name: 'Depot', groups: ['north'], shared: false }, null);
  await darken(cameras);
  await minutes(9);
  await putPlace(world, { kind: 'site', id: 'a' }, { name: 'Yard', groups: ['north'], shared: false }, null);
  await minutes(3);
  await light(cameras);
  await minutes(4);
  expect(outagesOf(world)).toEqual(['[CRITICAL] Outage at Depot', '[CRITICAL] Outage at Depot: over']);
});
