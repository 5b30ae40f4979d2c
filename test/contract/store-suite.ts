import { expect, test } from 'vitest';
import type { Position } from '../../shared/app/commit-order.ts';
import { Conflict, Refused, type Revision, type Store, type Write } from '../../shared/app/ports.ts';
import { seedAlert } from '../../shared/domain/alert/alert.ts';
import { type Device, newDevice } from '../../shared/domain/device/device.ts';
import { proveOrder } from '../support/feed/readers.ts';
import { startOfTests } from '../support/world/world.ts';
import { nested, prepare, refusals } from './refusals.ts';

/**
 * What every store must do. `empty` creates a store without records; `events`: how many events are written concurrently to a store that
 * `emptyForWriters` creates.
 */
export function describeStore(
  empty: () => Promise<Store>,
  { events = 400, emptyForWriters = empty }: { events?: number; emptyForWriters?: () => Promise<Store> } = {},
): void {
  const device = (id: string, given: object = {}) => ({ ...newDevice(id, startOfTests), ...given });
  const create = (id: string, given: object = {}): Write => ({
    kind: 'create',
    in: 'devices',
    id,
    data: device(id, given),
  });

  test('get returns records in the order of the ids, and null for a missing one', async () => {
    const store = await empty();
    const measures = { memory: { baseLevel: 'normal', recent: [] } };
    await store.commit([create('a', { measures, dueAt: startOfTests }), create('b')]);
    const [b, none, a] = await store.get('devices', ['b', 'none', 'a']);
    expect(b?.data).toEqual(device('b'));
    expect(none).toBeNull();
    expect(a?.data).toEqual(device('a', { measures, dueAt: startOfTests }));
  });

  test('records of several kinds are read together, each kind in the order of the given ids', async () => {
    const store = await empty();
    const notice = {
      noticeId: 'a',
      team: 'operations',
      kind: 'k',
      text: 't',
      at: startOfTests,
      dueAt: null,
      expireAt: startOfTests,
    };
    await store.commit([create('a'), create('b'), { kind: 'create', in: 'notices', id: 'a', data: notice }]);
    const found = await store.getMany({ devices: ['b', 'none', 'a'], notices: ['a'], alerts: [], trends: ['a'] });
    expect(found.devices.map((each) => each?.data ?? null)).toEqual([device('b'), null, device('a')]);
    expect(found.notices.map((each) => each?.data)).toEqual([notice]);
    expect([found.alerts, found.trends]).toEqual([[], [null]]);
    const [read = null] = found.devices;
    if (!read) throw new Error('not there');
    await store.commit([{ kind: 'replace', in: 'devices', id: 'b', data: device('b'), revision: read.revision }]);
    expect(await store.getMany({ devices: [] })).toEqual({ devices: [] });
  });

  test('creating what exists is a conflict and writes nothing of the commit', async () => {
    const store = await empty();
    await store.commit([create('a')]);
    await expect(store.commit([create('b'), create('a')])).rejects.toBeInstanceOf(Conflict);
    expect(await store.get('devices', ['b'])).toEqual([null]);
  });

  test('a value that Firestore cannot store is refused with one error, and nothing is written', async () => {
    const store = await empty();
    await prepare(store);
    const amiss: string[] = [];
    for (const { what, ask } of refusals) {
      const error = await ask(store).catch((thrown: unknown) => thrown);
      const isNotified = error instanceof Refused && error.message.length < 500 && error.message.isWellFormed();
      if (!isNotified) amiss.push(`${what}: ${String(error).slice(0, 200)}`);
    }
    expect(amiss).toEqual([]);
    expect([await store.count({ in: 'devices' }), await store.count({ in: 'trends' })]).toEqual([1, 0]);
  });

  test('a commit that is larger than a request is refused', async () => {
    const store = await empty();
    const writes = Array.from({ length: 11 }, (_, index) => create(`d${index}`, { more: 'x'.repeat(1_000_000) }));
    await expect(store.commit(writes)).rejects.toBeInstanceOf(Refused);
    expect(await store.count({ in: 'devices' })).toBe(0);
  });

  const edges: [what: string, id: string, more: object][] = [
    ['an id of 1,500 bytes', 'x'.repeat(1500), {}],
    ['an id of three dots, one of two underscores, and one with a space', '...', { other: '__' }],
    ['a name of 1,494 bytes, with its path 1,500', 'a', { paths: { ['x'.repeat(1494)]: 1 } }],
    ['20 levels', 'a', { more: nested(20) }],
    ['a map of names with dots, quotes and spaces', 'a', { more: { 'a.b': 1, '`': 2, ' ': 3, '..': 4, __a: 5 } }],
    ['a list of maps with lists', 'a', { more: [{ a: [1] }] }],
    ['a record of 1 MiB', 'a', { more: 'x'.repeat(1_000_000), expireAt: null }],
    ['39,000 index entries', 'a', { more: Array.from({ length: 38_900 }, (_, index) => index) }],
    ['an indexed text of more bytes than an index entry', 'a', { name: 'é'.repeat(5000) }],
    ['letters of every plane', 'a', { name: 'aé\uffff😀\u{10ffff}\u0000' }],
  ];
  test.each(edges)('%s is accepted', async (_, id, more) => {
    const store = await empty();
    await store.commit([create(id, more)]);
    expect((await store.get('devices', [id]))[0]?.data).toEqual(device(id, more));
  });

  test('a commit of 500 writes is accepted, even with two writes to one record', async () => {
    const store = await empty();
    await store.commit(Array.from({ length: 499 }, (_, index) => create(`d${index}`)));
    await store.commit([create('e'), { kind: 'patch', in: 'devices', id: 'e', set: { name: 'patched' } }]);
    expect((await store.get('devices', ['e']))[0]?.data.name).toBe('patched');
    expect(await store.count({ in: 'devices' })).toBe(500);
  });

  test('a query with "in" and an empty list finds nothing', async () => {
    const store = await empty();
    await store.commit([create('a')]);
    const none = [{ field: 'groupId', is: 'in', value: [] } as const];
    expect(await store.find({ in: 'devices', where: none, limit: 9 })).toEqual([]);
    expect(await store.count({ in: 'devices', where: none })).toBe(0);
  });

  test('a replace fails if the record has changed since it was read', async () => {
    const store = await empty();
    await store.commit([create('a')]);
    const [read] = await store.get('devices', ['a']);
    if (!read) throw new Error('not there');
    const replace = (name: string): Write => ({
      kind: 'replace',
      in: 'devices',
      id: 'a',
      data: device('a', { name }),
      revision: read.revision,
    });
    await store.commit([replace('first')]);
    await expect(store.commit([replace('second')])).rejects.toBeInstanceOf(Conflict);
    expect((await store.get('devices', ['a']))[0]?.data.name).toBe('first');
  });

  test('a commit returns revisions that a later replace can require', async () => {
    const store = await empty();
    const [, revision] = await store.commit([create('a'), create('b')]);
    if (!revision) throw new Error('no revision');
    const replace = (name: string): Write => ({
      kind: 'replace',
      in: 'devices',
      id: 'b',
      data: device('b', { name }),
      revision,
    });
    await store.commit([replace('first')]);
    await expect(store.commit([replace('second')])).rejects.toBeInstanceOf(Conflict);
  });

  test('of ten concurrent writers that read the same state, one succeeds', async () => {
    const store = await empty();
    await store.commit([create('a')]);
    const [read] = await store.get('devices', ['a']);
    if (!read) throw new Error('not there');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) =>
        store.commit([
          {
            kind: 'replace',
            in: 'devices',
            id: 'a',
            data: device('a', { name: `n${index}` }),
            revision: read.revision,
          },
        ]),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a patch sets and adds without a read, and fails if the record does not exist', async () => {
    const store = await empty();
    await store.commit([create('a')]);
    const patch = (id: string): Write => ({
      kind: 'patch',
      in: 'devices',
      id,
      set: { name: 'new' },
      add: { version: 2 },
    });
    await store.commit([patch('a')]);
    expect((await store.get('devices', ['a']))[0]?.data).toEqual(device('a', { name: 'new', version: 2 }));
    await expect(store.commit([patch('gone')])).rejects.toBeInstanceOf(Conflict);
  });

  test('accrue creates a record with its first amount, and adds later amounts, also in members of maps', async () => {
    const store = await empty();
    const accrue = (hour: string, amount: number): Write => ({
      kind: 'accrue',
      in: 'trends',
      id: 't',
      set: { groupId: 'north' },
      add: { hours: { [hour]: { 'opened CRITICAL': amount } } },
    });
    await Promise.all([accrue('07', 1), accrue('07', 2), accrue('08', 5)].map((write) => store.commit([write])));
    expect((await store.get('trends', ['t']))[0]?.data).toEqual({
      groupId: 'north',
      hours: { '07': { 'opened CRITICAL': 3 }, '08': { 'opened CRITICAL': 5 } },
    });
  });

  test('a replaced map has only its new members', async () => {
    const store = await empty();
    await store.commit([create('a', { open: { RES_001: { alertId: 'x', since: startOfTests } } })]);
    const [read] = await store.get('devices', ['a']);
    if (!read) throw new Error('not there');
    await store.commit([{ kind: 'replace', in: 'devices', id: 'a', data: device('a'), revision: read.revision }]);
    expect((await store.get('devices', ['a']))[0]?.data.open).toEqual({});
  });

  test('a replaced record has only its new members, whether its revision is from a read or a commit', async () => {
    const store = await empty();
    const replace = (data: Device, revision: Revision | undefined): Write => {
      if (!revision) throw new Error('no revision');
      return { kind: 'replace', in: 'devices', id: 'a', data, revision };
    };
    const present = async () => (await store.get('devices', ['a']))[0];
    const [created] = await store.commit([create('a', { more: 'x', address: '192.0.2.1' })]);
    const [replaced] = await store.commit([replace(device('a', { address: '192.0.2.1' }), created)]);
    expect((await present())?.data).toEqual(device('a', { address: '192.0.2.1' }));
    await store.commit([replace(device('a'), replaced)]);
    expect((await present())?.data).toEqual(device('a'));
    await store.commit([{ kind: 'patch', in: 'devices', id: 'a', set: { more: 'x' } as object }]);
    await store.commit([replace(device('a'), (await present())?.revision)]);
    expect((await present())?.data).toEqual(device('a'));
    await store.commit([{ kind: 'accrue', in: 'devices', id: 'a', set: {}, add: { more: { days: 1 } } }]);
    const [found] = await store.find({ in: 'devices', limit: 1 });
    await store.commit([replace(device('a'), found?.revision)]);
    expect((await present())?.data).toEqual(device('a'));
    await store.commit([
      { kind: 'accrue', in: 'devices', id: 'a', set: { expireAt: startOfTests } as object, add: {} },
    ]);
    const { devices } = await store.getMany({ devices: ['a'] });
    await store.commit([replace(device('a'), devices[0]?.revision)]);
    expect((await present())?.data).toEqual(device('a'));
  });

  test('a patch and an accrue return no revision', async () => {
    const store = await empty();
    await store.commit([create('a')]);
    const [read] = await store.get('devices', ['a']);
    if (!read) throw new Error('not there');
    const patch: Write = { kind: 'patch', in: 'devices', id: 'a', set: { name: 'changed' } };
    const accrue: Write = { kind: 'accrue', in: 'trends', id: 't', set: {}, add: { count: 1 } };
    expect(await store.commit([create('b'), patch, accrue])).toEqual([expect.anything(), undefined, undefined]);
  });

  test('a delete fails if the record has changed since it was read', async () => {
    const store = await empty();
    await store.commit([create('a')]);
    const [read] = await store.get('devices', ['a']);
    if (!read) throw new Error('not there');
    await store.commit([{ kind: 'patch', in: 'devices', id: 'a', set: { name: 'changed' } }]);
    await expect(
      store.commit([{ kind: 'delete', in: 'devices', id: 'a', revision: read.revision }]),
    ).rejects.toBeInstanceOf(Conflict);
    const [fresh] = await store.get('devices', ['a']);
    if (!fresh) throw new Error('not there');
    await store.commit([{ kind: 'delete', in: 'devices', id: 'a', revision: fresh.revision }]);
    expect(await store.get('devices', ['a'])).toEqual([null]);
  });

  test('expireAt is read as the same text that was written', async () => {
    const store = await empty();
    const notice = {
      noticeId: 'n',
      team: 'operations',
      kind: 'test',
      text: 'x',
      at: startOfTests,
      dueAt: null,
      expireAt: '2027-01-01T00:00:00.000Z',
    };
    await store.commit([{ kind: 'create', in: 'notices', id: 'n', data: notice }]);
    expect((await store.get('notices', ['n']))[0]?.data).toEqual(notice);
  });

  test('queries filter, sort, use the id for equal values, and continue after a position', async () => {
    const store = await empty();
    await store.commit(
      ['e', 'd', 'c', 'b', 'a'].map((id, index) =>
        create(id, { groupId: index < 4 ? 'north' : 'south', dueAt: index % 2 === 0 ? 't1' : 't2' }),
      ),
    );
    const query = {
      in: 'devices',
      where: [{ field: 'groupId', is: '==', value: 'north' }],
      orderBy: [['dueAt', 'desc']],
      limit: 3,
    } as const;
    const read = async (after?: unknown[]) => {
      const { where, orderBy, ...rest } = query;
      const found = await store.find({
        ...rest,
        where: [...where],
        orderBy: [['dueAt', 'desc']],
        ...(after ? { after } : {}),
      });
      void orderBy;
      return found.map(({ id }) => id);
    };
    expect(await read()).toEqual(['d', 'b', 'e']);
    expect(await read(['t1', 'e'])).toEqual(['c']);
  });

  test('ranges exclude null, "in" matches any of its values, and count gives the same number', async () => {
    const store = await empty();
    await store.commit([create('a', { dueAt: null }), create('b', { dueAt: 't1' }), create('c', { dueAt: 't3' })]);
    const due = [{ field: 'dueAt', is: '<=', value: 't2' } as const];
    expect(
      (await store.find({ in: 'devices', where: due, orderBy: [['dueAt', 'asc']], limit: 9 })).map(({ id }) => id),
    ).toEqual(['b']);
    expect(await store.count({ in: 'devices', where: due })).toBe(1);
    expect(await store.count({ in: 'devices', where: [{ field: 'deviceId', is: 'in', value: ['a', 'c', 'x'] }] })).toBe(
      2,
    );
    expect(await store.count({ in: 'devices' })).toBe(3);
  });

  test('a repeated query finds the present records, and not those that no longer match', async () => {
    const store = await empty();
    const read = async () => {
      const south = await store.find({
        in: 'devices',
        where: [
          { field: 'groupId', is: '==', value: 'south' },
          { field: 'isOnline', is: '==', value: true },
        ],
        limit: 9,
      });
      return south.map(({ id }) => id);
    };
    const south = { groupId: 'south', isOnline: true };
    await store.commit([create('a', south), create('b', south), create('c', { groupId: 'north', isOnline: true })]);
    expect(await read()).toEqual(['a', 'b']);
    const [a, b] = await store.get('devices', ['a', 'b']);
    if (!a || !b) throw new Error('not there');
    await store.commit([
      { kind: 'replace', in: 'devices', id: 'a', data: { ...a.data, groupId: 'north' }, revision: a.revision },
      { kind: 'delete', in: 'devices', id: 'b', revision: b.revision },
      { kind: 'patch', in: 'devices', id: 'c', set: { groupId: 'south' } },
      create('d', south),
      create('e', { ...south, isOnline: false }),
    ]);
    expect(await read()).toEqual(['c', 'd']);
    await store.commit([{ kind: 'patch', in: 'devices', id: 'c', set: { isOnline: false } }]);
    expect(await read()).toEqual(['d']);
  });

  test('a record is found by a value in its list until the value is removed', async () => {
    const store = await empty();
    const seed = { deviceId: 'd', groupId: 'north', code: 'RES_001', message: 'full', context: {} } as const;
    const alert = (alertId: string, digestIds: string[]): Write => {
      return {
        kind: 'create',
        in: 'alerts',
        id: alertId,
        data: { ...seedAlert({ ...seed, alertId }, startOfTests), digestIds },
      };
    };
    const count = (value: string) =>
      store.count({ in: 'alerts', where: [{ field: 'digestIds', is: 'array-contains', value }] });
    await store.commit([alert('a', ['x', 'y']), alert('b', ['y'])]);
    expect([await count('x'), await count('y'), await count('z')]).toEqual([1, 2, 0]);
    await store.commit([{ kind: 'patch', in: 'alerts', id: 'a', set: { digestIds: ['z'] } }]);
    expect([await count('x'), await count('y'), await count('z')]).toEqual([0, 1, 1]);
  });

  test('"in" accepts more values than one Firestore query, with one order over all pages', async () => {
    const store = await empty();
    const groups = Array.from({ length: 70 }, (_, index) => `group-${index}`);
    const shards = [0, 1, 2, 3, 4, 5, 6, 7];
    const records = groups.flatMap((groupId, index) =>
      [0, 1].map((half) =>
        create(`d${(index * 37) % 70}-${half}`, { groupId, dueAt: `t${index % 9}`, shard: index % 8 }),
      ),
    );
    await store.commit([...records, create('other', { groupId: 'other', dueAt: 't1' })]);
    const inGroups = { field: 'groupId', is: 'in', value: [...groups, ...groups] } as const;
    const inShards = { field: 'shard', is: 'in', value: shards.slice(1) } as const;
    for (const direction of ['asc', 'desc'] as const) {
      const orderBy: ['dueAt', 'asc' | 'desc'][] = [['dueAt', direction]];
      const read = (where: (typeof inGroups | typeof inShards)[], limit: number, after?: unknown[]) =>
        store.find({ in: 'devices', where, orderBy, limit, ...(after ? { after } : {}) });
      const all = await read([inGroups], 500);
      expect(all).toHaveLength(140);
      expect(new Set(all.map(({ id }) => id)).size).toBe(140);
      const keys = all.map(({ data, id }) => `${data.dueAt} ${id}`);
      expect(keys).toEqual(direction === 'asc' ? keys.toSorted() : keys.toSorted().toReversed());
      const paged: string[] = [];
      for (let after: unknown[] | undefined; ; ) {
        const page = await read([inGroups], 11, after);
        paged.push(...page.map(({ data, id }) => `${data.dueAt} ${id}`));
        const last = page.at(-1);
        if (!last || page.length < 11) break;
        after = [last.data.dueAt, last.id];
      }
      expect(paged).toEqual(keys);
      const both = await read([inGroups, inShards], 500);
      expect(both.map(({ id }) => id)).toEqual(all.filter(({ data }) => data.shard > 0).map(({ id }) => id));
    }
    expect(await store.count({ in: 'devices', where: [inGroups] })).toBe(140);
  });

  const entry = (id: string, deviceId = 'cam-1'): Write => {
    const data = { recordId: id, type: 'alert', eventId: id, at: startOfTests, deviceId, body: '{}', topics: ['|'] };
    return { kind: 'create', in: 'events', id, data: { ...data, expireAt: startOfTests } };
  };

  test('tail reads records in the order of their commits, each once, and its pages do not change', async () => {
    const store = await empty();
    const from = (await store.tail({ in: 'events', after: null, limit: 1 })).end;
    // Events of one commit are in the order of their ids.
    for (const ids of [['z', 'b'], ['a'], ['y'], ['c']]) await store.commit(ids.map((id) => entry(id, `cam-${id}`)));
    const one = async (after: Position, limit: number) => {
      const { found, end } = await store.tail({ in: 'events', after, limit });
      expect(found.every(({ data }) => data.deviceId === `cam-${data.recordId}` && !('committedAt' in data))).toBe(
        true,
      );
      return { ids: found.map(({ id }) => id), end };
    };
    const all = () => one(from, 10).then(({ ids }) => ids);
    await expect.poll(all, { timeout: 8000 }).toEqual(['b', 'z', 'a', 'y', 'c']);
    const first = await one(from, 2);
    const second = await one(first.end, 2);
    expect([first.ids, second.ids, (await one(second.end, 2)).ids]).toEqual([['b', 'z'], ['a', 'y'], ['c']]);
    const [z] = (await store.tail({ in: 'events', after: from, limit: 2 })).found.slice(1);
    expect((await one(z?.position ?? from, 9)).ids).toEqual(['a', 'y', 'c']);
    const { end } = await one(second.end, 9);
    expect(await one(end, 9)).toMatchObject({ ids: [] });
    expect((await one(end, 9)).end >= end).toBe(true);
  });

  test('tail returns records as written, without members that the store adds', async () => {
    const store = await empty();
    const after = (await store.tail({ in: 'activity', after: null, limit: 1 })).end;
    const about = { entryId: 'a', deviceId: 'cam-1', groupId: 'north', kind: 'event', who: 'system' } as const;
    const data = { ...about, at: startOfTests, summary: 'x', detail: {}, expireAt: startOfTests };
    await store.commit([{ kind: 'create', in: 'activity', id: 'a', data }]);
    const read = async () => {
      const { found, ahead } = await store.tail({ in: 'activity', after, limit: 9 });
      return [...found, ...ahead].map((each) => each.data);
    };
    await expect.poll(read, { timeout: 8000 }).toEqual([data]);
    // An erasure replaces such a record. It keeps its place.
    const [stored] = await store.get('activity', ['a']);
    if (!stored) throw new Error('not there');
    const erased = { ...data, summary: '' };
    await store.commit([{ kind: 'replace', in: 'activity', id: 'a', data: erased, revision: stored.revision }]);
    expect(await read()).toEqual([erased]);
  });

  test('tail can filter, and its end advances if nothing matches', async () => {
    const store = await empty();
    const from = (await store.tail({ in: 'events', after: null, limit: 1 })).end;
    for (const id of ['a', 'b', 'c']) await store.commit([entry(id)]);
    const where = (topics: string[]) => [{ field: 'topics', is: 'array-contains-any', value: topics } as const];
    const read = (topics: string[]) => store.tail({ in: 'events', where: where(topics), after: from, limit: 9 });
    // More topics than one Firestore query accepts together with the shards.
    const many = Array.from({ length: 40 }, (_, index) => (index === 39 ? '|' : `|group-${index}`));
    await expect
      .poll(async () => (await read(many)).found.map(({ id }) => id), { timeout: 8000 })
      .toEqual(['a', 'b', 'c']);
    const none = await read(['|elsewhere']);
    expect([none.found, none.end > from]).toEqual([[], true]);
    expect((await read([])).found).toEqual([]);
  });

  test('all readers see events of concurrent writers in one order without gaps, even if they are killed and resume', async () => {
    const outcome = await proveOrder(await emptyForWriters(), { events, writers: 8, readers: 3 });
    expect(outcome).toMatchObject({ missed: 0, outOfOrder: 0, changedPages: 0 });
    expect(outcome.kills).toBeGreaterThan(0);
  });
}
