import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { handleWake } from '../../../../shared/app/due/handle-wake.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { summarizeFleet } from '../../../../shared/app/fleet/summaries.ts';
import { getNow } from '../../../../shared/app/now/read.ts';
import { refreshNow } from '../../../../shared/app/now/refresh.ts';
import { createPost } from '../../../support/notify/post.ts';
import { ana, giveTeam, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { failure, success } from '../../../support/records/deliveries.ts';
import { giveIncident } from '../../../support/records/incidents.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { behind, livingFleet } from '../../../support/world/living-fleet.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const of = (...groups: string[]): Bearer => ({ ...ana, groups });
const rows = async (world: TestWorld, bearer = ana, query = {}) => (await getNow(world, bearer, query)).causes;
const settle = (world: TestWorld) => handleWake(world, 'fleetCounters', '*', false);

describe('what is wrong now', () => {
  let world: TestWorld;
  beforeEach(async () => {
    world = createTestWorld();
    await sweep(world);
  });

  test('puts the site that is dark above older alerts of single cameras, however many they are', async () => {
    const dark = behind('a', 'sw', 8);
    const fleet = await livingFleet([...dark, ...behind('b', 'sw', 30)]);
    for (let site = 0; site < 15; site += 1) {
      await openTestAlert(fleet.world, { deviceId: `old-${site}`, site: `s-${site}`, code: 'SEC_001' });
    }
    await fleet.live(2, [...dark, ...behind('b', 'sw', 30)]);
    await fleet.lose(dark);
    await fleet.live(8, behind('b', 'sw', 30));
    const [first, second, ...others] = await rows(fleet.world);
    expect(first).toMatchObject({ incident: { kind: 'outage' }, cameras: 8, of: 8, told: { accepted: 1 } });
    expect(first?.spells).toMatchObject([{ litAt: null }]);
    expect(second).toMatchObject({ code: 'SEC_001', cameras: 15, places: 15, place: null });
    expect(second?.among).toHaveLength(15);
    expect(others).toEqual([]);
  });

  test('names the camera, its place and the clock of a lone alert within 5 s', async () => {
    await giveTeam(world, 'operations', { emails: ['ops@example.com'] });
    const alertId = await openTestAlert(world, { deviceId: 'cam-1', deviceName: 'Gate 2', site: 'gbg' });
    expect(await rows(world)).toEqual([]);
    await settle(world);
    const [row] = await rows(world);
    expect(row).toMatchObject({
      ...{ code: 'CONN_001', severity: 'CRITICAL', status: 'active', places: 1, cameras: 1 },
      alert: { alertId, deviceId: 'cam-1', deviceName: 'Gate 2' },
      place: { kind: 'site', id: 'gbg', groupId: 'north' },
    });
    expect(row?.respondBy).not.toBeNull();
    await actOnAlert(world, ana, alertId, { kind: 'acknowledge' }, null);
    await settle(world);
    expect((await rows(world))[0]).toMatchObject({ status: 'acknowledged', acknowledgedBy: 'ana' });
    await actOnAlert(world, ana, alertId, { kind: 'resolve' }, null);
    await settle(world);
    expect(await rows(world)).toEqual([]);
    expect(await world.store.get('now', ['north'])).toEqual([null]);
  });

  test('leaves out what is snoozed and what a person need not answer', async () => {
    const snoozed = await openTestAlert(world, { deviceId: 'cam-1' });
    await openTestAlert(world, { deviceId: 'cam-2', code: 'RES_004' });
    await actOnAlert(world, ana, snoozed, { kind: 'snooze', minutes: 60 }, null);
    await settle(world);
    expect(await rows(world)).toEqual([]);
  });

  test('is as old as the last sweep, and unknown before the first', async () => {
    expect((await getNow(createTestWorld(), ana, {})).generatedAt).toBeNull();
    const sweptAt = world.now();
    world.pass(120);
    expect((await getNow(world, ana, {})).generatedAt).toBe(sweptAt);
    expect((await getNow(world, of('north'), {})).generatedAt).toBe(sweptAt);
    await sweep(world);
    expect((await getNow(world, of('north'), {})).generatedAt).toBe(world.now());
  });

  test('says who was told by the outcomes of the messages, never by the intention', async () => {
    const people = [{ personId: 'bo', name: 'Bo', email: 'bo@example.com', phone: '+46700000001' }];
    await giveTeam(world, 'operations', { people });
    let isUp = false;
    const post = createPost(world, () => (isUp ? success : failure));
    await openTestAlert(world, { deviceId: 'cam-1' });
    await settle(world);
    const told = async () => (await rows(world))[0]?.told;
    expect(await told()).toEqual({ accepted: 0, pending: 1, digest: false });
    await post.pass(3 * 3600);
    await sweep(world);
    expect((await rows(world))[0]).toMatchObject({ status: 'escalated', told: { accepted: 0 } });
    isUp = true;
    await openTestAlert(world, { deviceId: 'cam-2', code: 'SEC_001' });
    await post.pass(60);
    await sweep(world);
    // A mail and an SMS to one person are one person who was told.
    const row = (await rows(world)).find(({ code }) => code === 'SEC_001');
    expect(row?.told).toMatchObject({ accepted: 1, pending: 0 });
  });

  test('merges the groups of a bearer, and shows nothing of others', async () => {
    for (const group of ['north', 'south', 'west']) {
      for (const site of ['a', 'b']) {
        await openTestAlert(world, { deviceId: `${group}-${site}`, groupId: group, site, code: 'SEC_001' });
      }
      await giveIncident(world, uuidOf(['north', 'south', 'west'].indexOf(group) + 500), group, `outage of ${group}`);
    }
    await settle(world);
    const text = JSON.stringify(await rows(world, of('north', 'south')));
    expect(text).not.toContain('west');
    const codes = (await rows(world, of('north', 'south'))).filter(({ code }) => code !== null);
    expect(codes.map(({ places, cameras }) => [places, cameras])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ]);
    expect((await rows(world)).find(({ code }) => code !== null)).toMatchObject({ places: 6, cameras: 6, place: null });
    expect((await rows(world, ana, { groupId: ['west'] })).map(({ place }) => place?.groupId)).toEqual([
      'west',
      'west',
      'west',
    ]);
    expect(await rows(world, of('north'), { groupId: ['west'] })).toEqual([]);
    expect(await rows(world, of())).toEqual([]);
  });
});

test('a quiet minute costs three operations for the whole fleet, whatever is open and however many groups there are', async () => {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  for (let group = 0; group < 40; group += 1) await openTestAlert(world, { groupId: `g-${group}` });
  await sweep(world);
  expect(await rows(world)).toHaveLength(1);
  world.pass(60);
  reset();
  await refreshNow(world);
  expect(spent).toMatchObject({ reads: 2, writes: 1, deletes: 0, queries: 1 });
});

test('a change costs its own group only, and one record of each other group with something wrong', async () => {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const world = createTestWorld(store);
  for (let group = 0; group < 40; group += 1) await openTestAlert(world, { groupId: `g-${group}` });
  await sweep(world);
  await openTestAlert(world, { groupId: 'g-7', code: 'SEC_001', site: 'a' });
  await settle(world);
  world.pass(60);
  await openTestAlert(world, { groupId: 'g-7', code: 'RES_001', site: 'a' });
  await summarizeFleet(world);
  reset();
  await refreshNow(world);
  // A mark and a text for the fleet, and a text for the group; what is read of others is one record of each group with something wrong.
  expect(spent.writes).toBe(3);
  expect(spent.reads).toBeLessThanOrEqual(40 + 12);
});
