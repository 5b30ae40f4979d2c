import { beforeEach, expect, test } from 'vitest';
import { createPageTokens } from '../../../../shared/adapters/auth/page-tokens.ts';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { getDelivery, listDeliveries } from '../../../../shared/app/deliveries/deliveries.ts';
import { takeMessage } from '../../../../shared/app/intake/take-message.ts';
import { namesFor } from '../../../../shared/app/paging/paging.ts';
import { getQuarantined, listQuarantine } from '../../../../shared/app/quarantine/quarantine.ts';
import { endpoint, storeDelivery } from '../../../support/records/deliveries.ts';
import { message } from '../../../support/records/reports.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { frames } from '../../../support/world/frames.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const intake = { bridgeDialect: 'native', autoRegister: true, frames } as const;
const tokens = createPageTokens(Buffer.alloc(32));
const scopes = new Set<never>();
const everybody: Bearer = { subject: 'user:ana', scopes, groups: null };
const ofNorth: Bearer = { ...everybody, groups: ['north'] };
const nameless = { deviceName: null, site: null };

let counted: ReturnType<typeof countingStore>;
let world: TestWorld;
beforeEach(async () => {
  counted = countingStore(createMemoryStore());
  world = createTestWorld(counted.store);
  for (const [deviceId, groupId, name, site] of [
    ['cam-1', 'north', 'Gate', 'harbour'],
    ['cam-2', 'south', 'Secret', 'cellar'],
    ['cam-3', 'north', 'cam-3', null],
  ] as const) {
    await takeMessage(world, message('status', { groupId, name }, { deviceId }), intake);
    const [stored] = await world.store.get('devices', [deviceId]);
    if (!stored) throw new Error(`${deviceId} is not there`);
    const data = { ...stored.data, site };
    await world.store.commit([{ kind: 'replace', in: 'devices', id: deviceId, data, revision: stored.revision }]);
  }
  counted.reset();
});

test('cameras are named by one read of each, and those of other groups are not', async () => {
  const ids = ['cam-1', 'cam-2', 'cam-1', null, 'cam-3', 'cam-none'];
  const named = await namesFor(world, ofNorth, ids);
  expect(ids.map(named)).toEqual([
    { deviceName: 'Gate', site: 'harbour' },
    nameless,
    { deviceName: 'Gate', site: 'harbour' },
    nameless,
    nameless,
    nameless,
  ]);
  expect(counted.spent).toMatchObject({ reads: 4, queries: 0 });
  expect((await namesFor(world, everybody, ['cam-2']))('cam-2')).toEqual({ deviceName: 'Secret', site: 'cellar' });
});

test('an id that could be none is not even asked for', async () => {
  const claims = ['.', '..', 'a/b', '__id__', 'x'.repeat(2000), 'cam\u202e1', ''];
  const named = await namesFor(world, everybody, claims);
  expect(claims.map(named)).toEqual(claims.map(() => nameless));
  expect(counted.spent.reads).toBe(0);
});

test('deliveries are listed with the names of their cameras, at one read for each camera of a page', async () => {
  for (let n = 0; n < 6; n += 1) {
    await storeDelivery(world.store, `e-${n}`, endpoint(), startOfTests, null, n % 2 ? 'cam-1' : 'cam-2');
  }
  counted.reset();
  const { deliveries } = await listDeliveries(world, ofNorth, {}, tokens);
  // All deliveries are of events of the group; one of the cameras has moved to another group since.
  expect(deliveries.map(({ deviceId, deviceName, site }) => [deviceId, deviceName, site]).toSorted()).toEqual([
    ...Array(3).fill(['cam-1', 'Gate', 'harbour']),
    ...Array(3).fill(['cam-2', null, null]),
  ]);
  expect(counted.spent).toMatchObject({ reads: 6 + 2, queries: 1 });
  const [first] = deliveries.filter(({ deviceId }) => deviceId === 'cam-2');
  const shown = (bearer: Bearer) => getDelivery(world, bearer, first?.deliveryId ?? '');
  expect(await shown(ofNorth)).toMatchObject(nameless);
  expect(await shown(everybody)).toMatchObject({ deviceName: 'Secret', site: 'cellar' });
});

test('what a message in quarantine says of its camera is named by the registry, not by the message', async () => {
  const broken = (deviceId: string) => message('status', Buffer.from('{"name":"Liar"'), { deviceId });
  for (const deviceId of ['cam-1', 'cam-1', 'cam-none']) await takeMessage(world, broken(deviceId), intake);
  const { reports } = await listQuarantine(world, everybody, { status: ['all'] }, tokens);
  const notified = reports.map(({ deviceId, deviceName, site }) => [deviceId, deviceName, site]);
  expect(notified.toSorted()).toEqual([
    ['cam-1', 'Gate', 'harbour'],
    ['cam-1', 'Gate', 'harbour'],
    ['cam-none', null, null],
  ]);
  const [known] = reports.filter(({ deviceId }) => deviceId === 'cam-1');
  expect(await getQuarantined(world, everybody, known?.reportId ?? '')).toMatchObject({ deviceName: 'Gate' });
  expect((await listQuarantine(world, ofNorth, { status: ['all'] }, tokens)).reports).toEqual([]);
});
