import { describe, expect, test } from 'vitest';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { proveDevice } from '../../../../shared/app/ledger/proof.ts';
import { publish } from '../../../../shared/app/ledger/publish.ts';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { reservedDeviceId } from '../../../../shared/domain/ids.ts';
import { batchIdOf, entryIdOf, headIdOf, ledgerStateId, packed } from '../../../../shared/domain/ledger/entry.ts';
import { leafHash } from '../../../../shared/domain/ledger/merkle.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { bundleOf, day, type Line, linesOf } from '../../../support/ledger/log.ts';
import { createTestObjects, origin, testKey } from '../../../support/ledger/objects.ts';
import { ana } from '../../../support/records/alerts.ts';
import { createTestWorld, startOfTests } from '../../../support/world/world.ts';

const notDue = '2027-01-01T00:00:00.000Z';
const expireAt = '2028-01-01T00:00:00.000Z';

/** A world whose ledger holds these lines, published up to `size`. The registry contains only `cam-0`, of the group north. */
async function holding(lines: readonly Line[], size = lines.length, heads = ['cam-0']) {
  const world = createTestWorld();
  const ledger = { objects: createTestObjects(), origin, keys: [testKey] };
  const { store } = world;
  const state = { platformId: ledgerStateId, kind: 'ledger', planned: size, published: 0, recordedAt: null } as const;
  await store.commit([
    {
      ...{ kind: 'create', in: 'platform', id: ledgerStateId },
      data: { ...state, lookedAt: null, lookedTo: null, lookedBackOn: null },
    },
    { kind: 'create', in: 'devices', id: 'cam-0', data: { ...newDevice('cam-0', day(0)), groupId: 'north' } },
  ]);
  for (const deviceId of heads) {
    const own = lines.filter((line) => line.deviceId === deviceId);
    const key = Buffer.alloc(32, Number(deviceId.at(-1)) + 1 || 1).toString('base64url');
    const to = own.length > 0 ? JSON.parse(own.at(-1)?.body ?? '').to : day(0);
    const groupId = deviceId === reservedDeviceId ? null : 'north';
    const data = { deviceId, groupId, key, n: own.length, last: '', to, leafAt: notDue };
    await store.commit([{ kind: 'create', in: 'ledgerHeads', id: headIdOf(deviceId, groupId), data }]);
  }
  for (const [index, { deviceId, n, body, at }] of lines.entries()) {
    const [entryId, { from, to }] = [entryIdOf({ deviceId, groupId: 'north' }, n), JSON.parse(body)];
    const data = { entryId, deviceId, groupId: 'north', n, index, from, to, body, recordedAt: at, expireAt };
    await store.commit([{ kind: 'create', in: 'ledgerEntries', id: entryId, data }]);
  }
  const hashes = packed(lines.slice(0, size).map(({ commitment }) => leafHash(commitment)));
  const batch = { batchId: batchIdOf(0), start: 0, hashes, recordedAt: lines[size - 1]?.at ?? day(0), expireAt };
  await store.commit([{ kind: 'create', in: 'ledgerBatches', id: batch.batchId, data: batch }]);
  await publish(world, ledger, 0);
  const prove = (from: string, to: string, since?: number, deviceId = 'cam-0', bearer: Bearer = ana) =>
    proveDevice(world, ledger.objects, bearer, { deviceId, from, to, ...(since === undefined ? {} : { since }) });
  const headOf = async (deviceId = 'cam-0') =>
    (await store.get('ledgerHeads', [headIdOf(deviceId, deviceId === reservedDeviceId ? null : 'north')]))[0]?.data;
  return { world, prove, headOf };
}

/** Three cameras over four days, twelve leaves. */
const lines = linesOf(3, 4);

describe('a bundle', () => {
  test.each([
    [0, 4],
    [1, 3],
    [1, 2],
    [1.5, 2.5],
    [2, 2.001],
    [3.999, 4],
  ])(
    'from day %d to day %d has the entries that reach into it, and the hashes up to the checkpoint',
    async (from, to) => {
      const { prove } = await holding(lines);
      const { entries, nodes, ...rest } = bundleOf(lines, 'cam-0', [from, to]);
      const last = JSON.parse(entries.at(-1)?.body ?? '').to;
      expect(await prove(day(from), day(to))).toEqual({ ...rest, entries, nodes, recordedTo: last });
    },
  );

  test.each([1, 2, 5, 8, 11])('continues a checkpoint of %d leaves that the reader holds', async (since) => {
    const { prove } = await holding(lines);
    expect((await prove(day(0), day(4), since)).nodes).toEqual(bundleOf(lines, 'cam-0', [0, 4], since).nodes);
    expect((await prove(day(2), day(3), since)).nodes).toEqual(bundleOf(lines, 'cam-0', [2, 3], since).nodes);
  });

  test.each([undefined, 0, 12])('needs no further hash where the reader holds %s of twelve leaves', async (since) => {
    const { prove } = await holding(lines);
    expect((await prove(day(1), day(2), since)).nodes).toEqual(bundleOf(lines, 'cam-0', [1, 2]).nodes);
  });

  test('is refused to a reader who holds a later checkpoint', async () => {
    const { prove } = await holding(lines);
    await expect(prove(day(0), day(4), 13)).rejects.toMatchObject({
      code: 'invalid-request',
      message: '?since is later than the ledger, which has 12 leaves.',
      errors: [{ pointer: '?since', detail: 'is later than the ledger, which has 12 leaves' }],
    });
    const one = await holding(linesOf(1, 1));
    expect((await one.prove(day(0), day(1), 1)).entries).toHaveLength(1);
    await expect(one.prove(day(0), day(1), 2)).rejects.toMatchObject({ code: 'invalid-request' });
  });

  test.each([
    [10, 4, 4],
    [9, 3, 3],
    [6, 2, 2],
    [7, 3, 3],
  ])('of a log published up to %d leaves has the %d entries that are in it', async (size, count, lastDay) => {
    const { prove } = await holding(lines, size);
    const { entries, recordedTo, nodes } = await prove(day(0), day(4));
    expect([entries.map(({ index }) => index), recordedTo]).toEqual([[0, 3, 6, 9].slice(0, count), day(lastDay)]);
    expect(nodes).toEqual(bundleOf(lines.slice(0, size), 'cam-0', [0, 4]).nodes);
  });

  test('says how far the time is recorded where no entry is about the period', async () => {
    const { prove } = await holding(lines);
    expect(await prove(day(5), day(6))).toMatchObject({ entries: [], recordedTo: day(4), isPending: true });
    const none = await holding(lines, 12, []);
    expect(await none.prove(day(5), day(6))).toMatchObject({ entries: [], recordedTo: day(5), isPending: true });
  });

  test('shows nothing of a camera whose key is erased', async () => {
    const { prove } = await holding(lines, 12, []);
    expect((await prove(day(0), day(4))).entries).toEqual([]);
  });

  test('has at most a thousand entries, the earliest', async () => {
    const { world, prove } = await holding(lines);
    const asked: object[] = [];
    const { find } = world.store;
    world.store = {
      ...world.store,
      find: (query) => {
        asked.push([query.in, query.limit, query.orderBy]);
        return find(query);
      },
    };
    await prove(day(0), day(4));
    expect(asked).toContainEqual(['ledgerEntries', 1000, [['to', 'asc']]]);
  });
});

describe('a time that is not recorded yet', () => {
  const millisecondLater = plus(day(4), 1);

  test('makes the next entry of the camera due now', async () => {
    const { world, prove, headOf } = await holding(lines);
    expect([(await prove(day(0), day(4))).isPending, (await headOf())?.leafAt]).toEqual([false, notDue]);
    expect([(await prove(day(0), millisecondLater)).isPending, (await headOf())?.leafAt]).toEqual([true, world.now()]);
  });

  test('of a camera without a chain begins one with its registration', async () => {
    const { world, prove, headOf } = await holding(lines, 12, []);
    expect((await prove(day(0), day(1))).isPending).toBe(true);
    expect(await headOf()).toMatchObject({ deviceId: 'cam-0', n: 0, last: '', to: day(0), leafAt: world.now() });
  });

  test('is asked for once: an entry that is due stays due', async () => {
    const { world, prove, headOf } = await holding(lines);
    await prove(day(0), millisecondLater);
    const first = await headOf();
    world.pass(1);
    await prove(day(0), millisecondLater);
    expect(await headOf()).toEqual(first);
  });

  test('of a camera that was removed is not waited for, and its entries are proven', async () => {
    const { world, prove, headOf } = await holding(lines, 12, ['cam-1']);
    const kept = { setByHand: [], site: null, parents: [], tags: {}, coverage: [], reporting: null } as never;
    const data = { deviceId: 'cam-1', groupId: 'north', deletedAt: startOfTests, kept, version: 1, expireAt };
    await world.store.commit([{ kind: 'create', in: 'tombstones', id: 'cam-1', data }]);
    const north = { ...ana, groups: ['north'] };
    const bundle = await prove(day(0), millisecondLater, 0, 'cam-1', north);
    expect([bundle.isPending, bundle.entries.length, (await headOf('cam-1'))?.leafAt]).toEqual([false, 4, notDue]);
    const south = { ...ana, groups: ['south'] };
    await expect(prove(day(0), day(4), 0, 'cam-1', south)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a question', () => {
  test.each([
    [day(1), day(1)],
    [plus(day(1), 1), day(1)],
  ])('from %s to %s is refused', async (from, to) => {
    const { prove } = await holding(lines);
    await expect(prove(from, to)).rejects.toMatchObject({
      code: 'invalid-request',
      message: '?to must be later than `from`.',
      errors: [{ pointer: '?to', detail: 'must be later than `from`' }],
    });
    await expect(prove(day(1), plus(day(1), 1))).resolves.toMatchObject({ from: day(1), to: plus(day(1), 1) });
  });

  test('about a camera that nobody knows, or of another group, finds nothing', async () => {
    const { prove } = await holding(lines);
    const missing = { code: 'not-found', message: expect.stringContaining('device with this id') };
    await expect(prove(day(0), day(1), 0, 'cam-9')).rejects.toMatchObject(missing);
    await expect(prove(day(0), day(1), 0, 'cam-0', { ...ana, groups: ['south'] })).rejects.toMatchObject(missing);
    expect((await prove(day(0), day(1), 0, 'cam-0', { ...ana, groups: ['north'] })).entries).toHaveLength(1);
  });
});

describe('the chain of the service itself', () => {
  const auditor: Bearer = { ...ana, scopes: new Set(['audit:read']) };
  const ofService = (bearer: Bearer, heads = [reservedDeviceId]) =>
    holding(lines, 12, heads).then(async ({ prove, headOf, world }) => {
      const bundle = await prove(day(0), day(1), 0, reservedDeviceId, bearer);
      return { bundle, head: await headOf(reservedDeviceId), now: world.now() };
    });

  test('is shown to an auditor of all groups, and its next entry is asked for', async () => {
    const { bundle, head, now } = await ofService(auditor);
    expect([bundle.isPending, bundle.entries, head?.leafAt]).toEqual([true, [], now]);
  });

  test('is refused without the scope, and is not there for a limited bearer or before it begins', async () => {
    await expect(ofService(ana)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'The token lacks the scope audit:read.',
      members: { scope: 'audit:read' },
    });
    await expect(ofService({ ...auditor, groups: ['north'] })).rejects.toMatchObject({ code: 'not-found' });
    await expect(ofService(auditor, [])).rejects.toMatchObject({ code: 'not-found' });
  });
});
