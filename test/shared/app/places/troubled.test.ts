import { beforeEach, expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { actOnAlert } from '../../../../shared/app/alerts/actions.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { importDevices } from '../../../../shared/app/devices/import.ts';
import { createWindow } from '../../../../shared/app/maintenance/windows.ts';
import { listTroubledSites } from '../../../../shared/app/places/troubled.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { ana, openTestAlert, uuidOf } from '../../../support/records/alerts.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { createTestWorld, type TestWorld } from '../../../support/world/world.ts';

const tokens = createPageTokens(Buffer.alloc(32, 1));
const of = (...groups: string[]): Bearer => ({ ...ana, groups });
let world: TestWorld;
beforeEach(async () => {
  world = createTestWorld();
  const stand = (groupId: string, site: string | null, count: number) =>
    Array.from({ length: count }, (_, index) => ({ deviceId: `${groupId}-${site}-${index}`, groupId, site }));
  const devices = [...stand('north', 'gbg', 3), ...stand('south', 'gbg', 2), ...stand('south', null, 2)];
  await importDevices(world, ana, { devices }, false);
});

const open = (groupId: string, site: string | null, code: 'CONN_001' | 'RES_001' | 'RES_002' = 'CONN_001') =>
  openTestAlert(world, { deviceId: `${groupId}-${site}-0`, groupId, site, code });

test('only places with open alerts are listed, each with its cameras, who waits longest and who has some', async () => {
  const first = await open('north', 'gbg', 'RES_002');
  world.pass(60);
  await open('north', 'gbg');
  const taken = await open('north', 'gbg', 'RES_001');
  await actOnAlert(world, { ...ana, subject: 'user:ana' }, taken, { kind: 'acknowledge' }, null);
  const over = await open('south', 'gbg');
  await actOnAlert(world, ana, over, { kind: 'resolve' }, null);
  const { sites } = await listTroubledSites(world, ana, {}, tokens);
  expect(sites).toHaveLength(1);
  expect(sites[0]).toMatchObject({
    ...{ kind: 'site', id: 'gbg', groupId: 'north', takenBy: 'user:ana' },
    devices: { total: 3 },
    alerts: { CRITICAL: 1, ERROR: 1, WARNING: 1, INFO: 0 },
    oldestUnanswered: { alertId: first },
  });
  // The response time of the critical alert ends first, although it began last.
  const critical = await world.store.find({
    in: 'alerts',
    where: [
      { field: 'severity', is: '==', value: 'CRITICAL' },
      { field: 'groupId', is: '==', value: 'north' },
    ],
    limit: 1,
  });
  expect(sites[0]?.respondBy).toBe(critical[0]?.data.respondBy);
  expect(sites[0]?.respondBy).not.toBeNull();
});

test('a group is the place of those without a site; one who is limited to groups sees only theirs, page by page', async () => {
  await open('north', 'gbg');
  await open('south', 'gbg');
  await open('south', null);
  const rows = async (bearer: Bearer, query = {}) => {
    const { sites, nextPageToken } = await listTroubledSites(world, bearer, query, tokens);
    return { rows: sites.map(({ groupId, kind, id }) => [groupId, kind, id].join(' ')), nextPageToken };
  };
  const south = ['south group south', 'south site gbg'];
  expect((await rows(ana)).rows).toEqual(['north site gbg', ...south]);
  expect((await rows(of('south'))).rows).toEqual(south);
  expect((await rows(of())).rows).toEqual([]);
  expect((await rows(ana, { groupId: ['north'] })).rows).toEqual(['north site gbg']);
  const page = await rows(ana, { pageSize: 2 });
  expect((await rows(ana, { pageSize: 2, pageToken: page.nextPageToken })).rows).toEqual(['south site gbg']);
});

test('what a maintenance window keeps quiet troubles nobody', async () => {
  const times = { startsAt: world.now(), endsAt: plus(world.now(), 3_600_000) };
  await createWindow(world, ana, { name: 'Works', scope: { sites: ['gbg'] }, ...times }, uuidOf(9));
  world.pass(1);
  await open('north', 'gbg');
  expect((await listTroubledSites(world, ana, {}, tokens)).sites).toEqual([]);
});

test('quiet places cost nothing, however many they are', async () => {
  const { store, spent, reset } = countingStore(createMemoryStore());
  const quiet = createTestWorld(store);
  const devices = Array.from({ length: 30 }, (_, at) => ({ deviceId: `cam-${at}`, groupId: 'north', site: `s-${at}` }));
  await importDevices(quiet, ana, { devices }, false);
  reset();
  await listTroubledSites(quiet, ana, {}, tokens);
  expect(spent.reads).toBeLessThanOrEqual(4);
});
