import { beforeEach, expect, test } from 'vitest';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { importDevices } from '../../../../shared/app/devices/import.ts';
import { explainDevice } from '../../../../shared/app/devices/why.ts';
import { ana } from '../../../support/records/alerts.ts';
import { giveSight } from '../../../support/records/sight.ts';
import { at, createTimeline, minute } from '../../../support/world/timeline.ts';

const here = [1, 2, 3, 4].map((number) => `gbg-${number}`);
const there = ['mal-1', 'mal-2'];

let line: ReturnType<typeof createTimeline>;

const report = (seconds: number, ids: readonly string[]) =>
  Promise.all(ids.map((deviceId) => line.arrives(seconds, 'status', { memory: { usedPercent: 20 } }, { deviceId })));
const lose = (seconds: number, deviceId: string, reason?: string) =>
  line.says(seconds, 'connection', { status: 'offline', ...(reason ? { reason } : {}) }, { deviceId });
const why = (deviceId: string, bearer: Bearer = ana) => explainDevice(line.world, bearer, deviceId);

beforeEach(async () => {
  line = createTimeline();
  const on = (deviceId: string, site: string, uplink: string, groupId = 'north') => ({
    ...{ deviceId, groupId, site },
    parents: [{ kind: 'uplink', id: uplink }],
  });
  const devices = [
    ...here.map((deviceId) => on(deviceId, 'gbg', 'terminal-2')),
    ...there.map((deviceId) => on(deviceId, 'malmo', 'ring-1')),
    { deviceId: 'lone', groupId: 'lone', site: 'hut' },
  ];
  await importDevices(line.world, ana, { devices }, false);
  await report(0, [...here, ...there, 'lone']);
});

test('a camera that was lost with all its neighbours points at what they share', async () => {
  for (const [index, deviceId] of here.entries()) await lose(30 + index, deviceId, 'keepalive_timeout');
  await line.until(2 * minute);
  const { sentence, since, neighbours, evidence, state } = await why('gbg-2');
  expect(sentence).toBe(
    'Its connection was lost (keepalive timeout); so were all 3 other cameras at gbg within about a minute: probably the power or the network of the site, not the camera.',
  );
  expect([since, state]).toEqual([at(31), 'offline']);
  expect(neighbours).toEqual([
    { kind: 'uplink', id: 'terminal-2', name: null, others: 3, dark: 3, together: 3 },
    { kind: 'site', id: 'gbg', name: null, others: 3, dark: 3, together: 3 },
  ]);
  expect(evidence[0]).toEqual({ at: at(31), text: 'Its connection was lost: keepalive timeout' });
});

test('names the uplink where the site beyond it is not dark', async () => {
  const beside = ['gbg-5', 'gbg-6', 'gbg-7'];
  const devices = beside.map((deviceId) => ({ deviceId, groupId: 'north', site: 'gbg' }));
  await importDevices(line.world, ana, { devices }, false);
  await report(1, beside);
  for (const deviceId of here) await lose(30, deviceId);
  await line.until(minute);
  expect((await why('gbg-1')).sentence).toMatch(
    /^Its connection was lost; so were all 3 other cameras behind uplink terminal-2 .*: probably the uplink, not the camera\.$/,
  );
});

test('a camera whose neighbours are fine points at itself', async () => {
  await lose(30, 'gbg-1');
  await line.until(minute);
  expect((await why('gbg-1')).sentence).toBe(
    'Its connection was lost. The 3 other cameras behind uplink terminal-2 are not dark: probably the camera, its cable or its power.',
  );
});

test('one of two neighbours that was lost with it is no proof', async () => {
  for (const deviceId of ['gbg-1', 'gbg-2']) await lose(30, deviceId);
  await line.until(minute);
  expect((await why('gbg-1')).sentence).toContain('; so was 1 of 3 other cameras at gbg: whether it is the camera');
});

test('two cameras that were lost together are too few to tell', async () => {
  for (const deviceId of there) await lose(30, deviceId);
  await line.until(minute);
  expect((await why('mal-1')).sentence).toContain('; so was the other camera at malmo: whether it is the camera');
});

test('a neighbour that had been dark for an hour says nothing about this loss', async () => {
  await lose(30, 'mal-1');
  await report(60 * minute, ['mal-2']);
  await line.until(60 * minute);
  await lose(61 * minute, 'mal-2');
  await line.until(62 * minute);
  expect((await why('mal-2')).sentence).toBe(
    'Its connection was lost. The other camera behind uplink ring-1 had been dark before it.',
  );
});

test('a camera whose reports only stopped is not said to have been disconnected', async () => {
  await line.until(20 * minute);
  await giveSight(line.world);
  const { sentence, since } = await why('lone');
  expect(sentence).toBe(
    'Its reports stopped, and nothing told that its connection was lost. No other camera hangs where it does, so nothing shows whether it is the camera.',
  );
  expect(since).toBe(at(0));
});

test('of a camera that reports, and of one that never did, nothing more is said', async () => {
  await importDevices(line.world, ana, { devices: [{ deviceId: 'new', groupId: 'north' }] }, false);
  await line.until(30);
  expect(await why('gbg-1')).toMatchObject({ sentence: 'It is connected and reports.', since: null, neighbours: [] });
  expect(await why('new')).toMatchObject({ state: 'never-seen', since: null, neighbours: [] });
});

test('a bearer of other groups is told that there is no such camera', async () => {
  await expect(why('gbg-1', { ...ana, groups: ['south'] })).rejects.toThrow('gbg-1');
});

test('names the outage that the loss belongs to', async () => {
  for (const deviceId of here) await lose(30, deviceId);
  await line.sweptUntil(10 * minute);
  expect((await why('gbg-1')).incident?.title).toContain('gbg');
});
