import type { OrderedKind, Position } from '../../app/commit-order.ts';
import {
  Conflict,
  type Filter,
  type Ids,
  type Kind,
  type Query,
  type RecordsByKind,
  Refused,
  type Revision,
  type Store,
  type Stored,
  type Sums,
  type Tail,
  type TailPage,
  type Write,
} from '../../app/ports.ts';
import { byOrder, compare, compareKeys, signsOf } from '../order.ts';
import { faultOfRecord } from '../record-limits.ts';
import { withinLimits } from '../store-limits.ts';
import { type CommitLog, createCommitLog } from './commit-log.ts';
import { createTable, type Row, type Table } from './table.ts';

/**
 * The in-process twin of the Firestore store, with the same contract and nothing to install. Its state is lost with the process unless a
 * snapshot is saved.
 */
export type MemoryStore = Store & {
  /** Everything as JSON text. */
  snapshot(): string;
  restore(text: string): void;
};

/** @param nowMs the clock of the store, which orders its commits */
export function createMemoryStore(nowMs: () => number = Date.now): MemoryStore {
  const log = createCommitLog(nowMs);
  const tables = new Map<string, Table>();
  let revision = 0;
  const table = (kind: string) => {
    const found = tables.get(kind) ?? createTable();
    tables.set(kind, found);
    return found;
  };

  const unchecked: MemoryStore = {
    async get(kind, ids) {
      return ids.map((id) => stored(id, table(kind).rows.get(id)));
    },
    async getMany<K extends Kind>(ids: Ids<K>) {
      const found = Object.entries<readonly string[]>(ids).map(([kind, of]) => [
        kind,
        of.map((id) => stored(id, table(kind).rows.get(id))),
      ]);
      return Object.fromEntries(found) as RecordsByKind<K>;
    },
    async commit(writes) {
      const next = outcomeOf(writes, (kind, id) => table(kind).rows.get(id));
      revision += 1;
      for (const { in: kind, id, data } of next) {
        if (data) table(kind).set(id, { data: Object.freeze(data), revision });
        else table(kind).delete(id);
      }
      log.note(writes.filter(({ kind }) => kind === 'create'));
      return writes.map(({ kind }) => (kind === 'create' || kind === 'replace' ? revisionOf(revision) : undefined));
    },
    find: async (query) => pageOf(table(query.in), query),
    count: async (query) => [...positioned(table(query.in), query, [])].length,
    tail: async (tail) => tailOf(table(tail.in), log, tail),
    snapshot() {
      const kept = [...tables].map(([kind, { rows }]) => [kind, [...rows].map(([id, { data }]) => [id, data])]);
      return JSON.stringify({ tables: kept, order: log.positions() });
    },
    restore(text) {
      tables.clear();
      revision += 1;
      const saved = JSON.parse(text) as Snapshot;
      log.restore(saved.order);
      for (const [kind, rows] of saved.tables) {
        tables.set(kind, createTable(rows.map(([id, data]) => [id, { data: frozen(data), revision }])));
      }
    },
  };
  return withinLimits(unchecked);
}

type Snapshot = { tables: [string, [string, Row['data']][]][]; order: [string, Position[]][] };

/** The one twin of a process, shared by all functions that run in it. */
export const memoryStore: MemoryStore = createMemoryStore();

type Entry = [id: string, row: Row];

function isMatch<K extends Kind>(data: Row['data'], where: readonly Filter<K>[]): boolean {
  for (const filter of where) if (!fits(data[filter.field], filter)) return false;
  return true;
}

function pageOf<K extends Kind>(table: Table, query: Query<K>): Stored<K>[] {
  const order = query.orderBy ?? [];
  const signs = signsOf(order);
  const found = firstOf(positioned(table, query, signs), query.limit, byOrder(order, signs));
  return found.flatMap(([id, row]) => stored<K>(id, row) ?? []);
}

/** Yields rows that match, have all fields of the order and come after `after`. The caller soon drops most of them. */
function* positioned<K extends Kind>(
  table: Table,
  { where = [], orderBy = [], after }: Pick<Query<K>, 'where'> & Partial<Query<K>>,
  signs: readonly number[],
): Generator<Entry> {
  const keyOf = ([id, { data }]: Entry) => [...orderBy.map(([field]) => data[field]), id];
  for (const entry of table.narrow(where)) {
    const { data } = entry[1];
    if (!isMatch(data, where) || !orderBy.every(([field]) => data[field] !== undefined)) continue;
    if (!after || compareKeys(keyOf(entry), after, signs) > 0) yield entry;
  }
}

/** Commits of this store are visible in their order at once, so `ahead` is always empty. */
function tailOf<K extends OrderedKind>({ rows }: Table, log: CommitLog, tail: Tail<K>): TailPage<K> {
  const isWanted = (id: string) => {
    const row = rows.get(id);
    return row !== undefined && (tail.where ?? []).every((filter) => fits(row.data[filter.field], filter));
  };
  const { ids, end } = log.after(tail, isWanted);
  const found = ids.flatMap(({ id, position }) => {
    const each = stored<K>(id, rows.get(id));
    return each ? [{ ...each, position }] : [];
  });
  return { found, ahead: [], end };
}

/** The first `limit` items in order without sorting all: an item that comes after the last one of a full page is dropped at once. */
function firstOf<T>(items: Iterable<T>, limit: number, order: (a: T, b: T) => number): T[] {
  const kept: T[] = [];
  let last: T | undefined;
  for (const item of items) {
    if (last !== undefined && order(item, last) > 0) continue;
    kept.push(item);
    if (kept.length <= 2 * limit) continue;
    kept.sort(order).splice(limit);
    last = kept.at(-1);
  }
  return kept.sort(order).slice(0, limit);
}

function stored<K extends Kind>(id: string, row: Row | undefined): Stored<K> | null {
  if (!row) return null;
  return { id, data: row.data as never, revision: revisionOf(row.revision) };
}

/** A new object for each read, as from Firestore's client. Code that compares revisions with `===` fails here too. */
const revisionOf = (number: number) => ({ number }) as unknown as Revision;

/**
 * A deep copy that cannot be changed. A read can then return the stored row itself, and code that changes it gets a `TypeError`. A frozen value is
 * not copied again.
 */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozen)) as T;
  const copy = { ...value };
  for (const member in copy) {
    const held = copy[member];
    if (typeof held === 'object' && held !== null) copy[member] = frozen(held);
  }
  return Object.freeze(copy);
}

type RowChange = { in: Kind; id: string; data: Row['data'] | null };

/**
 * The result of a commit for each record that it writes, or null where it deletes one. Each write sees the writes before it.
 * @throws Conflict, Refused
 */
function outcomeOf(writes: readonly Write[], rowOf: (kind: Kind, id: string) => Row | undefined): Iterable<RowChange> {
  const outcome = new Map<string, RowChange>();
  for (const write of writes) {
    const key = `${write.in}/${write.id}`;
    const row = rowOf(write.in, write.id);
    const before = outcome.get(key) ?? { data: row?.data ?? null };
    require(before.data, row, write);
    const data = write.kind === 'delete' ? null : applied(before.data, write);
    const isPart = write.kind === 'patch' || write.kind === 'accrue';
    const { fault } = data && isPart ? faultOfRecord(write.in, write.id, data) : { fault: null };
    if (fault !== null) throw new Refused(`${write.kind} ${key}: ${fault}`);
    outcome.set(key, { in: write.in, id: write.id, data });
  }
  return outcome.values();
}

function require(before: Row['data'] | null, row: Row | undefined, write: Write): void {
  const holds =
    write.kind === 'create'
      ? before === null
      : write.kind === 'patch'
        ? before !== null
        : write.kind === 'accrue' || row?.revision === (write.revision as unknown as { number: number }).number;
  if (!holds) throw new Conflict(`${write.kind} ${write.in}/${write.id}`);
}

function applied(before: Row['data'] | null, write: Exclude<Write, { kind: 'delete' }>): Row['data'] {
  switch (write.kind) {
    case 'patch': {
      const data = { ...before, ...frozen(write.set) } as Row['data'];
      for (const [field, amount] of Object.entries(write.add ?? {}))
        data[field] = Number(data[field] ?? 0) + Number(amount);
      return data;
    }
    case 'accrue':
      return added({ ...before, ...frozen(write.set) }, write.add);
    default:
      return frozen(write.data) as Row['data'];
  }
}

function added(data: Row['data'], sums: Sums): Row['data'] {
  const next = { ...data };
  for (const [member, sum] of Object.entries(sums)) {
    const value = next[member];
    next[member] =
      typeof sum === 'number' ? Number(value ?? 0) + sum : added((value as Row['data'] | undefined) ?? {}, sum);
  }
  return Object.freeze(next);
}

function fits<K extends Kind>(value: unknown, { is, value: wanted }: Filter<K>): boolean {
  switch (is) {
    case '==':
      return value === wanted;
    case 'in':
      return (wanted as unknown[]).includes(value);
    case 'array-contains':
      return Array.isArray(value) && value.includes(wanted);
    case 'array-contains-any':
      return Array.isArray(value) && (wanted as unknown[]).some((each) => value.includes(each));
    default:
      // Firestore compares only values of the same type, and null is a type of its own.
      if (typeof value !== typeof wanted || value === null) return false;
      return inequalities[is](compare(value, wanted));
  }
}

const inequalities = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
};
