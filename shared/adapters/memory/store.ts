import {
  Conflict,
  type Filter,
  type Found,
  type Ids,
  type Kind,
  type Query,
  Refused,
  type Revision,
  type Store,
  type Stored,
  type Sums,
  type Write,
} from '../../app/ports.ts';
import { compare, compareKeys, signsOf } from '../order.ts';
import { faultOfRecord } from '../record-limits.ts';
import { withinLimits } from '../store-limits.ts';
import { createTable, type Row, type Table } from './table.ts';

/**
 * The in-process twin of the Firestore store, with the same contract and nothing to install. Its state is lost with the process unless a
 * snapshot is saved.
 */
export type MemoryStore = Store & {
  /** Everything as JSON text. */
  snapshot(): string;
  restore(text: string): void;
  /** Reports each commit. @returns a function that ends it */
  onCommit(listener: (writes: readonly Write[]) => void): () => void;
};

export function createMemoryStore(): MemoryStore {
  const tables = new Map<string, Table>();
  const listeners = new Set<(writes: readonly Write[]) => void>();
  let revision = 0;
  const table = (kind: string) => {
    const found = tables.get(kind) ?? createTable();
    tables.set(kind, found);
    return found;
  };

  return withinLimits<MemoryStore>({
    async get(kind, ids) {
      return ids.map((id) => stored(id, table(kind).rows.get(id)));
    },
    async getMany<K extends Kind>(ids: Ids<K>) {
      const found = Object.entries<readonly string[]>(ids).map(([kind, of]) => [
        kind,
        of.map((id) => stored(id, table(kind).rows.get(id))),
      ]);
      return Object.fromEntries(found) as Found<K>;
    },
    async commit(writes) {
      const next = outcomeOf(writes, (kind, id) => table(kind).rows.get(id));
      revision += 1;
      for (const { in: kind, id, data } of next) {
        if (data) table(kind).set(id, { data: Object.freeze(data), revision });
        else table(kind).delete(id);
      }
      if (listeners.size > 0) {
        const told = frozen(writes);
        for (const listener of listeners) listener(told);
      }
      return writes.map(() => revision as unknown as Revision);
    },
    find: async (query) => pageOf(table(query.in), query),
    count: async ({ in: kind, where }) => select(table(kind), where ?? []).length,
    onCommit(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    snapshot() {
      return JSON.stringify(
        [...tables].map(([kind, { rows }]) => [kind, [...rows].map(([id, { data }]) => [id, data])]),
      );
    },
    restore(text) {
      tables.clear();
      revision += 1;
      for (const [kind, rows] of JSON.parse(text) as [string, [string, Row['data']][]][]) {
        tables.set(kind, createTable(rows.map(([id, data]) => [id, { data: frozen(data), revision }])));
      }
    },
  });
}

/** The one twin of a process, shared by all functions that run in it. */
export const memoryStore: MemoryStore = createMemoryStore();

function select<K extends Kind>(table: Table, where: readonly Filter<K>[]): [id: string, row: Row][] {
  const found: [id: string, row: Row][] = [];
  for (const [id, row] of table.narrow(where))
    if (where.every((filter) => fits(row.data[filter.field], filter))) found.push([id, row]);
  return found;
}

function pageOf<K extends Kind>(table: Table, query: Query<K>): Stored<K>[] {
  const order = query.orderBy ?? [];
  const key = (id: string, data: Row['data']) => [...order.map(([field]) => data[field]), id];
  const signs = signsOf(order);
  const positioned = select(table, query.where ?? [])
    .filter(([, { data }]) => order.every(([field]) => data[field] !== undefined))
    .map(([id, row]) => ({ id, row, key: key(id, row.data) }))
    .filter(({ key: position }) => !query.after || compareKeys(position, query.after, signs) > 0);
  return firstOf(positioned, query.limit, (a, b) => compareKeys(a.key, b.key, signs)).flatMap(
    ({ id, row }) => stored<K>(id, row) ?? [],
  );
}

/** The first `limit` items in order without sorting all: an item that comes after the last one of a full page is dropped at once. */
function firstOf<T>(items: readonly T[], limit: number, order: (a: T, b: T) => number): T[] {
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
  return { id, data: row.data as never, revision: row.revision as unknown as Revision };
}

/**
 * A deep copy that nobody can change. So a read hands out the row itself, without a copy, and code that changes what it has read gets a
 * `TypeError`.
 */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozen)) as T;
  const copy = { ...value };
  for (const member in copy) {
    const held = copy[member];
    if (typeof held === 'object' && held !== null) copy[member] = frozen(held);
  }
  return Object.freeze(copy);
}

type Written = { in: Kind; id: string; data: Row['data'] | null };

/**
 * The result of a commit for each record that it writes, or null where it deletes one. Each write sees the writes before it.
 * @throws Conflict, Refused
 */
function outcomeOf(writes: readonly Write[], rowOf: (kind: Kind, id: string) => Row | undefined): Iterable<Written> {
  const outcome = new Map<string, Written>();
  for (const write of writes) {
    const key = `${write.in}/${write.id}`;
    const row = rowOf(write.in, write.id);
    const before = outcome.get(key) ?? { data: row?.data ?? null };
    require(before.data, row, write);
    const data = write.kind === 'delete' ? null : applied(before.data, write);
    const fault =
      data && (write.kind === 'patch' || write.kind === 'accrue') && faultOfRecord(write.in, write.id, data);
    if (fault && fault.fault !== null) throw new Refused(`${write.kind} ${key}: ${fault.fault}`);
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
        : write.kind === 'accrue' || row?.revision === (write.revision as unknown as number);
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
