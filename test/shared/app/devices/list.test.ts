import { beforeAll, expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { listAlerts } from '../../../../shared/app/alerts/list.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { importDevices } from '../../../../shared/app/devices/import.ts';
import { listDevices } from '../../../../shared/app/devices/list.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import type { Device } from '../../../../shared/domain/device/device.ts';
import type { AlertsQuery } from '../../../../shared/schema/alert/alert.ts';
import type { DevicesQuery } from '../../../../shared/schema/device/device.ts';
import { ana } from '../../../support/records/alerts.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { createTimeline } from '../../../support/world/timeline.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));
const { store, spent, reset } = countingStore(createMemoryStore());
const line = createTimeline(createTestWorld(store));
const { world } = line;
const of = (...groups: string[]): Bearer => ({ ...ana, groups });

beforeAll(async () => {
  const on = (id: string) => [{ kind: 'switch', id }];
  const devices = [
    {
      deviceId: 'gbg-1',
      groupId: 'north',
      name: 'Norra entrén',
      site: 'gbg',
      parents: on('sw-1'),
      tags: { floor: '1' },
    },
    { deviceId: 'gbg-2', groupId: 'north', name: 'Garage', site: 'gbg', parents: on('sw-1'), tags: { floor: '2' } },
    { deviceId: 'gbg-3', groupId: 'south', name: 'Garage', site: 'gbg', parents: on('sw-2'), tags: { floor: '2' } },
    { deviceId: 'mal-1', groupId: 'south', site: 'malmo', parents: on('sw-1'), tags: { floor: '2', url: 'a:b' } },
  ];
  await importDevices(world, ana, { devices }, false);
  await line.says(
    0,
    'status',
    { model: 'P3245', firmware: '11.2', memory: { usedPercent: 95 } },
    { deviceId: 'gbg-2' },
  );
  await line.says(
    0,
    'status',
    { model: 'Q6135', firmware: '11.2', memory: { usedPercent: 95 } },
    { deviceId: 'mal-1' },
  );
});

async function found(query: DevicesQuery, bearer: Bearer = ana): Promise<string[]> {
  const ids: string[] = [];
  let page = query;
  for (;;) {
    const { devices, nextPageToken } = await listDevices(world, bearer, page, tokens);
    ids.push(...devices.map(({ deviceId }) => deviceId));
    if (nextPageToken === undefined) return ids;
    page = { ...query, pageToken: nextPageToken };
  }
}

const cases: [DevicesQuery, string[]][] = [
  [{ site: ['gbg'] }, ['gbg-1', 'gbg-2', 'gbg-3']],
  [{ site: ['gbg', 'malmo'], groupId: ['south'] }, ['gbg-3', 'mal-1']],
  [{ parent: 'switch:sw-1' }, ['gbg-1', 'gbg-2', 'mal-1']],
  [{ tag: 'floor:2' }, ['gbg-2', 'gbg-3', 'mal-1']],
  [{ tag: 'url:a:b' }, ['mal-1']],
  [{ tag: 'floor:2', parent: 'switch:sw-1' }, ['gbg-2', 'mal-1']],
  [{ tag: 'floor:2', parent: 'switch:sw-1', q: 'gar' }, ['gbg-2']],
  [{ q: 'GAR' }, ['gbg-2', 'gbg-3']],
  [{ q: 'entre\u0301n norra' }, ['gbg-1']],
  [{ q: 'gbg' }, ['gbg-1', 'gbg-2', 'gbg-3']],
  [{ q: 'malmo' }, ['mal-1']],
  [{ q: ' ' }, ['gbg-1', 'gbg-2', 'gbg-3', 'mal-1']],
  [{ q: 'nothing' }, []],
  [{ model: ['P3245', 'none'] }, ['gbg-2']],
  [{ firmware: ['11.2'], model: ['Q6135'] }, ['mal-1']],
  [{ state: ['online'] }, ['gbg-2', 'mal-1']],
  [{ state: ['offline'] }, []],
  [{ state: ['never-seen'] }, ['gbg-1', 'gbg-3']],
  [{ state: ['never-seen', 'offline'] }, ['gbg-1', 'gbg-3']],
  [{ state: ['never-seen', 'online'] }, ['gbg-1', 'gbg-2', 'gbg-3', 'mal-1']],
  [{ state: ['offline', 'online'], site: ['malmo'] }, ['mal-1']],
  [{ state: ['unknown'] }, []],
  [{ online: true }, ['gbg-2', 'mal-1']],
  [{ online: false }, ['gbg-1', 'gbg-3']],
  [{ online: true, state: ['offline'] }, []],
];
test.each(cases)(
  'devices are found by %j, in pages of any size, each bearer in their own groups',
  async (query, ids) => {
    expect(await found(query)).toEqual(ids);
    expect(await found({ ...query, pageSize: 1 })).toEqual(ids);
    const south = (await found(query, of('south'))).toSorted();
    expect(south).toEqual(ids.filter((id) => ['gbg-3', 'mal-1'].includes(id)));
    expect(await found(query, of())).toEqual([]);
  },
);

test('while the platform is blind, a device that is overdue is unknown, in every list', async () => {
  const blind = createTimeline(createTestWorld());
  await blind.says(0, 'status', {});
  await blind.says(0, 'status', {}, { deviceId: 'cam-2' });
  await sweep(blind.world);
  await blind.says(3500, 'status', {}, { deviceId: 'cam-2' });
  await blind.until(3600);
  const query = (state: DevicesQuery['state']) => listDevices(blind.world, ana, state ? { state } : {}, tokens);
  // No sweep has run for an hour, so the platform counts as blind.
  const states = async (state?: DevicesQuery['state']) =>
    (await query(state)).devices.map(({ deviceId, state: each }) => `${deviceId} ${each}`);
  expect(await states()).toEqual(['cam-1 unknown', 'cam-2 online']);
  expect(await states(['unknown'])).toEqual(['cam-1 unknown']);
  expect(await states(['online'])).toEqual(['cam-2 online']);
});

test('a list that looks long for what is rare ends its page early, and goes on with the next', async () => {
  const many = Array.from({ length: 250 }, (_, index) => ({
    deviceId: `zz-${String(index).padStart(3, '0')}`,
    parents: [{ kind: 'uplink', id: 'u-1' }],
    tags: { kind: index === 249 ? 'rare' : 'usual' },
  }));
  await importDevices(world, ana, { devices: many }, false);
  const query: DevicesQuery = { parent: 'uplink:u-1', tag: 'kind:rare', pageSize: 10 };
  reset();
  const first = await listDevices(world, ana, query, tokens);
  expect(first.devices).toEqual([]);
  expect(first.nextPageToken).toBeDefined();
  expect(spent.reads).toBeLessThan(20 * 11 + 20);
  expect(await found(query)).toEqual(['zz-249']);
});

const alertCases: [AlertsQuery, string[]][] = [
  [{ site: ['malmo'] }, ['mal-1']],
  [{ site: ['gbg', 'malmo'] }, ['gbg-2', 'mal-1']],
  [{ q: 'gara' }, ['gbg-2']],
  [{ q: 'gbg' }, ['gbg-2']],
  [{ q: 'res_' }, ['gbg-2', 'mal-1']],
  [{ q: 'CONN_' }, []],
  [{ q: 'RES_001', code: ['RES_002'] }, []],
  [{ q: 'gara', deviceId: ['mal-1'] }, []],
  [{ q: 'nobody' }, []],
];
test.each(alertCases)('alerts are found by %j, and counted', async (query, ids) => {
  const { alerts, counts } = await listAlerts(world, ana, query, tokens);
  expect(alerts.map(({ deviceId }) => deviceId).toSorted()).toEqual(ids);
  expect(counts?.active).toBe(ids.length);
  const south = await listAlerts(world, of('south'), query, tokens);
  expect(south.alerts.map(({ deviceId }) => deviceId)).toEqual(ids.filter((id) => id === 'mal-1'));
});

test('a search that finds too many cameras says so', async () => {
  await expect(listAlerts(world, ana, { q: 'zz' }, tokens)).rejects.toMatchObject({
    code: 'invalid-request',
    errors: [{ pointer: '?q', detail: expect.stringContaining('more than 100 devices') }],
  });
});

/** A device record from before `labels` existed. */
async function unlabelled() {
  const old = createTimeline();
  await old.says(0, 'status', { groupId: 'north' }, { deviceId: 'yard-7' });
  const [stored = null] = await old.world.store.get('devices', ['yard-7']);
  if (!stored) throw new Error('there is no device');
  const { labels: _, ...data } = stored.data;
  await old.world.store.commit([
    { kind: 'replace', in: 'devices', id: 'yard-7', data: data as Device, revision: stored.revision },
  ]);
  const found = async () => (await listDevices(old.world, ana, { q: 'yard' }, tokens)).devices.length;
  return { ...old, found };
}

test('a device that was written before there were labels is found once its next report is written', async () => {
  const { says, found } = await unlabelled();
  expect(await found()).toBe(0);
  await says(180, 'status', { groupId: 'north' }, { deviceId: 'yard-7' });
  expect(await found()).toBe(1);
});

test('one that is never heard of again is found once an import names it, though nothing else of it changes', async () => {
  const { world: old, found } = await unlabelled();
  const devices = [{ deviceId: 'yard-7' }];
  expect((await importDevices(old, ana, { devices }, false)).counts).toMatchObject({ changed: 1 });
  expect(await found()).toBe(1);
  expect((await importDevices(old, ana, { devices }, false)).counts).toMatchObject({ unchanged: 1 });
});
