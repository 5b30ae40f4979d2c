import { beforeAll, expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { importDevices } from '../../../../shared/app/devices/import.ts';
import { sweep } from '../../../../shared/app/due/sweep.ts';
import { deletePlace, getPlace, putPlace } from '../../../../shared/app/places/places.ts';
import { listSites } from '../../../../shared/app/places/sites.ts';
import { ana } from '../../../support/records/alerts.ts';
import { giveIncident } from '../../../support/records/incidents.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { createTimeline } from '../../../support/world/timeline.ts';
import { createTestWorld } from '../../../support/world/world.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));
const { store, spent, reset } = countingStore(createMemoryStore());
const line = createTimeline(createTestWorld(store));
const { world } = line;
const of = (...groups: string[]): Bearer => ({ ...ana, groups });

beforeAll(async () => {
  const stand = (groupId: string, site: string | null, count: number) =>
    Array.from({ length: count }, (_, index) => ({ deviceId: `${groupId}-${site}-${index}`, groupId, site }));
  const devices = [
    ...stand('north', 'gbg', 3),
    ...stand('south', 'gbg', 2),
    ...stand('south', 'malmo', 1),
    ...stand('south', null, 2),
  ];
  await importDevices(world, ana, { devices }, false);
  await line.says(0, 'status', {}, { deviceId: 'north-gbg-0' });
  await line.says(0, 'status', {}, { deviceId: 'south-null-1' });
  await sweep(world);
});

async function shown(bearer: Bearer, query: object = {}): Promise<string[]> {
  const rows: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await listSites(world, bearer, { ...query, ...(pageToken ? { pageToken } : {}) }, tokens);
    rows.push(
      ...page.sites.map(({ groupId, kind, id, devices: { total, online, offline } }) =>
        [groupId, kind, id, total, online, offline].join(' '),
      ),
    );
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return rows;
}

const north = ['north site gbg 3 1 0'];
const south = ['south group south 2 1 0', 'south site gbg 2 0 0', 'south site malmo 1 0 0'];

test('sites are listed by group with what stands there, and a group where no site is said', async () => {
  expect(await shown(ana)).toEqual([...north, ...south]);
  expect(await shown(ana, { pageSize: 1 })).toEqual([...north, ...south]);
  expect(await shown(ana, { groupId: ['south'] })).toEqual(south);
});

test('who is limited to groups sees their own members only, also of a place that groups share', async () => {
  await putPlace(world, { kind: 'site', id: 'gbg' }, { name: 'Gbg C', groups: ['north', 'south'], shared: true }, null);
  expect(await shown(of('north'))).toEqual(north);
  expect(await shown(of('south'), { groupId: ['north', 'south'] })).toEqual(south);
  expect(await shown(of())).toEqual([]);
  const { sites } = await listSites(world, of('south'), {}, tokens);
  expect(sites.map(({ name, shared }) => [name, shared])).toEqual([
    [null, false],
    ['Gbg C', true],
    [null, false],
  ]);
  expect((await getPlace(world, of('south'), { kind: 'site', id: 'gbg' })).place.groups).toEqual(['south']);
  await expect(getPlace(world, of('west'), { kind: 'site', id: 'gbg' })).rejects.toMatchObject({ code: 'not-found' });
});

test('a name that is for another group is not shown for a place of the same id', async () => {
  await putPlace(world, { kind: 'site', id: 'malmo' }, { name: 'theirs', groups: ['north'], shared: false }, null);
  const { sites } = await listSites(world, ana, { groupId: ['south'] }, tokens);
  expect(sites.find(({ id }) => id === 'malmo')).toMatchObject({ name: null, shared: false });
});

test('an open incident stands at its place, for the groups that it concerns', async () => {
  const incidentId = 'a0000000-0000-4000-8000-000000000001';
  await giveIncident(world, incidentId, 'south', 'outage');
  const [stored = null] = await world.store.get('incidents', [incidentId]);
  if (!stored) throw new Error('no incident');
  const data = { ...stored.data, scope: { kind: 'site', id: 'gbg', name: null } };
  await world.store.commit([{ kind: 'replace', in: 'incidents', id: incidentId, data, revision: stored.revision }]);
  const { sites } = await listSites(world, ana, {}, tokens);
  expect(sites.filter((site) => site.incidentId !== null).map(({ groupId, id }) => `${groupId} ${id}`)).toEqual([
    'south gbg',
  ]);
});

test('a page costs one read for each place, however many devices stand there', async () => {
  reset();
  await listSites(world, ana, {}, tokens);
  expect(spent.reads + spent.queries).toBeLessThan(45);
});

test('while the platform is blind, nobody says how many are online', async () => {
  world.pass(3600);
  const { sites } = await listSites(world, of('north'), {}, tokens);
  expect(sites[0]?.devices).toEqual({ total: 3, online: null, offline: 0, unknown: null, neverSeen: 2 });
});

test('a place is forgotten by who saw its last version only', async () => {
  const name = { kind: 'switch', id: 'sw-1' };
  const { version } = await putPlace(world, name, { name: 'Switch 1', groups: ['north'], shared: false }, null);
  await putPlace(world, name, { name: 'Switch one', groups: ['north'], shared: false }, version);
  await expect(deletePlace(world, name, version)).rejects.toMatchObject({ code: 'precondition-failed' });
  await deletePlace(world, name, version + 1);
  await expect(deletePlace(world, name, null)).rejects.toMatchObject({ code: 'not-found' });
});
