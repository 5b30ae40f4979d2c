import { expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { importDevices } from '../../../../shared/app/devices/import.ts';
import { listDevices } from '../../../../shared/app/devices/list.ts';
import { getFleet } from '../../../../shared/app/fleet/fleet.ts';
import { summarizeFleet } from '../../../../shared/app/fleet/summaries.ts';
import { tellOfUnheard } from '../../../../shared/app/notify/never-seen.ts';
import { listSites } from '../../../../shared/app/places/sites.ts';
import { msBetween } from '../../../../shared/domain/time.ts';
import type { DeviceState } from '../../../../shared/schema/vocabulary.ts';
import { createPost } from '../../../support/notify/post.ts';
import { ana, giveRule, giveTeam } from '../../../support/records/alerts.ts';
import { createTimeline } from '../../../support/world/timeline.ts';
import { startOfTests } from '../../../support/world/world.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));
const [hour, day] = [3600, 24 * 3600];

/** Cameras of two sites that somebody registered. */
async function registered() {
  const line = createTimeline();
  const { world } = line;
  const stand = (groupId: string, site: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ deviceId: `${site}-${index + 1}`, groupId, site }));
  await importDevices(world, ana, { devices: [...stand('north', 'gbg', 4), ...stand('south', 'malmo', 1)] }, false);
  const stateOf = async (state: DeviceState) =>
    (await listDevices(world, ana, { state: [state] }, tokens)).devices.map(({ deviceId }) => deviceId);
  const site = async () =>
    (await listSites(world, ana, { groupId: ['north'] }, tokens)).sites.map(({ devices }) => devices);
  const counts = async () => {
    await summarizeFleet(world);
    return (await getFleet(world, ana)).devices;
  };
  return { ...line, stateOf, site, counts };
}

test('a camera that was registered and never heard of is neither online nor offline, nor part of the percentage', async () => {
  const { says, sweptUntil, stateOf, site, counts } = await registered();
  expect(await stateOf('never-seen')).toEqual(['gbg-1', 'gbg-2', 'gbg-3', 'gbg-4', 'malmo-1']);
  await says(1, 'status', {}, { deviceId: 'gbg-1' });
  await says(2, 'status', {}, { deviceId: 'gbg-2' });
  await says(3, 'connection', { status: 'offline' }, { deviceId: 'gbg-2' });
  await sweptUntil(60);
  expect(await stateOf('online')).toEqual(['gbg-1']);
  expect(await stateOf('offline')).toEqual(['gbg-2']);
  expect(await stateOf('never-seen')).toEqual(['gbg-3', 'gbg-4', 'malmo-1']);
  expect(await site()).toEqual([{ total: 4, online: 1, offline: 1, unknown: 0, neverSeen: 2 }]);
  expect(await counts()).toMatchObject({ total: 5, online: 1, offline: 1, neverSeen: 3, onlinePercent: 50 });
});

test('a camera whose guardian alone is heard was there, is offline and lost, as is one of which a broker tells', async () => {
  const { world, says, sweptUntil, stateOf } = await registered();
  await says(1, 'event', { type: 'guardian_heal_failed', timestamp: startOfTests }, { deviceId: 'gbg-1' });
  await says(2, 'connection', { status: 'offline', reason: 'keepalive_timeout' }, { deviceId: 'gbg-2' });
  expect(await stateOf('never-seen')).toEqual(['gbg-3', 'gbg-4', 'malmo-1']);
  expect(await stateOf('offline')).toEqual(['gbg-1', 'gbg-2']);
  await sweptUntil(20 * 60);
  const open = await world.store.find({ in: 'alerts', limit: 10 });
  expect(open.map(({ data }) => `${data.code} ${data.deviceId}`).toSorted()).toEqual([
    'CONN_001 gbg-1',
    'CONN_001 gbg-2',
  ]);
});

/** The messages of some days, of which the beginning of each hour is looked at: who got them, after how many hours, and what they said. */
async function digests({ world }: Awaited<ReturnType<typeof registered>>, days: number) {
  const post = createPost(world);
  for (let passed = 0; passed < days * 24; passed += 1) {
    await post.pass(hour);
    await tellOfUnheard(world);
  }
  await post.pass(hour);
  expect(post.sent.every(({ channel }) => channel === 'email')).toBe(true);
  return post.sent.map(({ to, at, text }): [to: string, hours: number, text: string] => [
    to,
    msBetween(startOfTests, at) / (hour * 1000),
    text,
  ]);
}

test('each team hears once a day, from the second day on, of its cameras that were never heard of', async () => {
  const line = await registered();
  const { world, says } = line;
  await giveTeam(world, 'operations', { emails: ['ops@example.com'], phones: ['+46701234567'] });
  await giveTeam(world, 'south', { emails: ['south@example.com'] });
  await giveRule(world, { name: 'south', condition: { code: 'CONN_*', group: ['south'] }, action: { team: 'south' } });
  const first = await digests(line, 2);
  expect(first.map(([to, hours]) => [to, Math.floor(hours)])).toEqual([
    ['operations: ops@example.com', 24],
    ['south: south@example.com', 24],
    ['operations: ops@example.com', 46],
    ['south: south@example.com', 46],
  ]);
  expect(first[0]?.[2]).toContain(
    '4 cameras were registered more than a day ago and have never been heard of. gbg: gbg-1, gbg-2, gbg-3, gbg-4.',
  );
  expect(first[1]?.[2]).toContain(
    '1 camera was registered more than a day ago and has never been heard of. malmo: malmo-1.',
  );
  for (const deviceId of ['gbg-1', 'gbg-2', 'gbg-3', 'malmo-1']) {
    await says(2 * day + hour, 'status', {}, { deviceId });
  }
  const later = await digests(line, 1);
  expect(later.map(([to]) => to)).toEqual(['operations: ops@example.com']);
  expect(later[0]?.[2]).toContain(
    '1 camera was registered more than a day ago and has never been heard of. gbg: gbg-4.',
  );
});

test('a loss that a rule suppresses is missed by nobody', async () => {
  const line = await registered();
  await giveTeam(line.world, 'operations', { emails: ['ops@example.com'] });
  await giveRule(line.world, { name: 'quiet', condition: { code: '*' }, action: { suppress: true } });
  expect(await digests(line, 2)).toEqual([]);
});
