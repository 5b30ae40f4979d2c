import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../shared/adapters/memory/store.ts';
import { keepLedger } from '../../../../shared/app/ledger/append.ts';
import type { Ledger } from '../../../../shared/app/ledger/objects.ts';
import { readStanding } from '../../../../shared/app/ledger/publish.ts';
import { createTiles, hashOf } from '../../../../shared/app/ledger/tree.ts';
import type { Store, World } from '../../../../shared/app/ports.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { commitmentOf, entryKey, headIdOf } from '../../../../shared/domain/ledger/entry.ts';
import { leafHash, rootOf } from '../../../../shared/domain/ledger/merkle.ts';
import { openNote } from '../../../../shared/domain/ledger/note.ts';
import { newSight, sightId } from '../../../../shared/domain/sight/sight.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { createTestObjects, origin, type TestObjects, testKey } from '../../../support/ledger/objects.ts';
import { countingStore } from '../../../support/stores/counting-store.ts';
import { createTestWorld, startOfTests, type TestWorld } from '../../../support/world/world.ts';

const minute = 60_000;

/** Stores `cameras` cameras that were seen until now, and a horizon of now. */
async function seenAt(world: TestWorld, cameras: number): Promise<void> {
  const at = world.now();
  const [sight = null] = await world.store.get('platform', [sightId]);
  if (sight) await world.store.commit([{ kind: 'delete', in: 'platform', id: sightId, revision: sight.revision }]);
  await world.store.commit([{ kind: 'create', in: 'platform', id: sightId, data: newSight(at) }]);
  for (let index = 0; index < cameras; index += 1) {
    const deviceId = `cam-${index}`;
    const sightings = { since: null, runs: [{ from: startOfTests, to: at }], losses: [] };
    const [device = null] = await world.store.get('devices', [deviceId]);
    const data = { ...newDevice(deviceId, startOfTests), sightings };
    if (device)
      await world.store.commit([{ kind: 'replace', in: 'devices', id: deviceId, data, revision: device.revision }]);
    else await world.store.commit([{ kind: 'create', in: 'devices', id: deviceId, data }]);
  }
}

/** The faults of the stored log: in every state it must contain exactly the leaves that the entries produce. */
async function faultsOf(world: World, objects: TestObjects): Promise<string[]> {
  const entries = (await world.store.find({ in: 'ledgerEntries', limit: 10_000 })).map(({ data }) => data);
  const heads = await world.store.find({ in: 'ledgerHeads', limit: 10_000 });
  const keys = new Map(heads.map(({ id, data }) => [id, data.key]));
  const leaves: Buffer[] = [];
  const faults: string[] = [];
  for (const { index, deviceId, groupId, n, body } of entries) {
    if (leaves[index]) faults.push(`leaf ${index} twice`);
    leaves[index] = leafHash(commitmentOf(entryKey(keys.get(headIdOf(deviceId, groupId)) ?? '', n), body));
  }
  for (const [deviceId, own] of Map.groupBy(entries, (entry) => entry.deviceId)) {
    for (const [position, entry] of own.toSorted((a, b) => a.n - b.n).entries()) {
      const before = own.find(({ n }) => n === position - 1);
      if (entry.n !== position || (before && before.to !== entry.from))
        faults.push(`chain of ${deviceId} at ${position}`);
    }
  }
  const notes = objects.written
    .filter(({ name }) => name === 'checkpoint')
    .map(({ bytes }) => openNote(`${bytes}`, [testKey]));
  let size = 0;
  for (const note of notes) {
    if (note.size <= size) faults.push(`size ${note.size} after ${size}`);
    size = note.size;
    if (!note.root.equals(rootOf(leaves.slice(0, note.size)))) faults.push(`another log of ${note.size} leaves`);
  }
  if (size !== entries.length) faults.push(`${size} leaves of ${entries.length} entries`);
  const standing = await readStanding({ objects, origin, keys: [testKey] });
  const read = await hashOf(createTiles(objects), { lo: 0, count: size }, size);
  if (!standing?.checkpoint.root.equals(read)) faults.push('tiles of another log');
  return faults;
}

class Killed extends Error {}

/** A world and a ledger that die at external call number `at`, before or after it takes effect. */
function mortal(
  world: TestWorld,
  objects: TestObjects,
  at: number,
  when: 'before' | 'after',
): { world: World; ledger: Ledger; calls: () => number } {
  let calls = 0;
  const dying = <Given extends unknown[], Answer>(call: (...given: Given) => Promise<Answer>) => {
    return async (...given: Given): Promise<Answer> => {
      calls += 1;
      if (calls > at || (calls === at && when === 'before')) throw new Killed();
      const answer = await call(...given);
      if (calls === at) throw new Killed();
      return answer;
    };
  };
  const { store } = world;
  const calling: Store = {
    get: dying(store.get) as Store['get'],
    getMany: dying(store.getMany) as Store['getMany'],
    commit: dying(store.commit),
    find: dying(store.find) as Store['find'],
    count: dying(store.count) as Store['count'],
    tail: dying(store.tail) as Store['tail'],
  };
  const ledger = { origin, keys: [testKey], objects: { read: dying(objects.read), write: dying(objects.write) } };
  return { world: { ...world, store: calling }, ledger, calls: () => calls };
}

/** A fleet whose ledger has some leaves already. */
async function begun(cameras: number): Promise<{ world: TestWorld; objects: TestObjects }> {
  const world = createTestWorld(createMemoryStore());
  const objects = createTestObjects();
  await seenAt(world, cameras);
  for (let sweep = 0; sweep < 3; sweep += 1) await keepLedger(world, { objects, origin, keys: [testKey] });
  world.pass(36 * 3600);
  await seenAt(world, cameras);
  await keepLedger(world, { objects, origin, keys: [testKey] });
  world.pass(36 * 3600);
  await seenAt(world, cameras);
  return { world, objects };
}

test('the time of each camera is recorded each day, in one chain, and the log grows with it', async () => {
  const { world, objects } = await begun(5);
  expect(await keepLedger(world, { objects, origin, keys: [testKey] })).toBe(6);
  expect(await faultsOf(world, objects)).toEqual([]);
  const entries = await world.store.find({ in: 'ledgerEntries', limit: 100 });
  // The entries of the cameras and of the service itself.
  expect(entries).toHaveLength(12);
  const last = entries.map(({ data }) => data).find(({ deviceId, n }) => deviceId === 'cam-3' && n === 1);
  expect(JSON.parse(last?.body ?? '')).toMatchObject({
    deviceId: 'cam-3',
    from: plus(startOfTests, 36 * 60 * minute),
    to: world.now(),
    intervals: [],
  });
  expect(await keepLedger(world, { objects, origin, keys: [testKey] })).toBe(0);
});

test('a log of many tiles is that of its leaves, whatever the size of each batch', async () => {
  const { world, objects } = await begun(301);
  await keepLedger(world, { objects, origin, keys: [testKey] });
  expect(await faultsOf(world, objects)).toEqual([]);
  expect(objects.names()).toEqual(expect.arrayContaining(['tile/0/000', 'tile/0/001', 'tile/1/000.p/2']));
});

describe.each(['before', 'after'] as const)('a run that dies %s a call to the outside', (when) => {
  test('leaves a log that the next run continues, with nothing twice, lost or forked', async () => {
    let died = 0;
    for (let at = 1; ; at += 1) {
      const { world, objects } = await begun(3);
      const dying = mortal(world, objects, at, when);
      const isDead = await keepLedger(dying.world, dying.ledger).then(
        () => false,
        (error) => error instanceof Killed,
      );
      await keepLedger(world, { objects, origin, keys: [testKey] });
      expect(await faultsOf(world, objects), `killed at call ${at}`).toEqual([]);
      expect(await world.store.find({ in: 'ledgerEntries', limit: 100 })).toHaveLength(8);
      if (!isDead) break;
      died += 1;
    }
    expect(died).toBeGreaterThan(15);
  });
});

test('the ledger of 100 cameras costs at most 2 % of what their reports cost', async () => {
  const cameras = 100;
  const { world, objects } = await begun(cameras);
  const { store, spent, reset } = countingStore(world.store);
  const ledger = { objects, origin, keys: [testKey] };
  await keepLedger(world, ledger);
  reset();
  for (let minutes = 0; minutes < 24 * 60; minutes += 1) {
    if (minutes % 60 === 0) await seenAt(world, cameras);
    await keepLedger({ ...world, store, now: world.now }, ledger);
    world.pass(60);
  }
  const ofReports = cameras * 24 * 60 * 1.5;
  expect(spent.reads + spent.writes + spent.deletes).toBeLessThan(0.02 * ofReports);
  expect((await world.store.find({ in: 'ledgerEntries', limit: 1000 })).length).toBeGreaterThan(2.8 * cameras);
});

test('two runs at once make one log', async () => {
  const { world, objects } = await begun(250);
  const ledger = { objects, origin, keys: [testKey] };
  await Promise.allSettled([keepLedger(world, ledger), keepLedger(world, ledger), keepLedger(world, ledger)]);
  await keepLedger(world, ledger);
  expect(await faultsOf(world, objects)).toEqual([]);
  expect(await world.store.find({ in: 'ledgerEntries', limit: 1000 })).toHaveLength(502);
});

test('a log that has lost its end, or holds another tile, is never written on', async () => {
  const { world, objects } = await begun(3);
  const shorn: Ledger = { origin, keys: [testKey], objects: createTestObjects() };
  await expect(keepLedger(world, shorn)).rejects.toThrow('The end of the ledger is missing: 0 of 4 leaves');
  const other = createTestObjects();
  const checkpoint = await objects.read('checkpoint');
  for (const name of objects.names()) {
    const found = await objects.read(name);
    await other.write(
      name,
      name === 'checkpoint' ? (checkpoint?.bytes ?? Buffer.of()) : (found?.bytes ?? Buffer.of()),
      null,
    );
  }
  await other.write('tile/0/000.p/8', Buffer.alloc(8 * 32), null);
  await expect(keepLedger(world, { ...shorn, objects: other })).rejects.toThrow(
    'The ledger contains a different tile/0/000.p/8',
  );
});
