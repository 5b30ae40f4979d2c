import {
  type Comparison,
  type Filter,
  type Ids,
  type Kind,
  type Query,
  Refused,
  type Store,
  type Sums,
  type Write,
} from '../app/ports.ts';
import { faultOfId, faultOfName, faultOfRecord, faultOfValue } from './record-limits.ts';

/**
 * Writes in one commit. Production had this limit for years and its client splits at this number. Today's documentation limits only the
 * size of the request, and the emulator accepts more (firebase.google.com/docs/firestore/quotas#writes_and_transactions).
 */
const mostWrites = 500;
/** Increments of one record in one commit (same page). The emulator accepts more. */
const mostSums = 500;
/** Bytes of one request (same page), measured by the size of its records. The emulator's client repeats a larger request for minutes. */
const mostCommitBytes = 10 * 1024 * 1024;
/** Fields of a query that are compared as ranges (firebase.google.com/docs/firestore/query-data/multiple-range-fields#limitations). */
const mostRangeFields = 10;
/**
 * Filters and orders of a query. The order of the ids, which the store adds, makes it 100 (measured on the emulator).
 */
const mostParts = 99;

/**
 * A store that refuses what Firestore refuses, with the same error for every store. Without it the twin would accept such a write, and the
 * client of Firestore and its emulator would refuse it in their own words, after seconds of repeated attempts, or not at all. The store
 * itself checks what depends on the stored record (its size after a patch).
 */
export function withinLimits<S extends Store>(store: S): S {
  return {
    ...store,
    async get(kind, ids) {
      requireIds({ [kind]: ids });
      return store.get(kind, ids);
    },
    async getMany<K extends Kind>(ids: Ids<K>) {
      requireIds(ids);
      return store.getMany(ids);
    },
    async commit(writes) {
      requireCommit(writes);
      return store.commit(writes);
    },
    async find(query) {
      requireQuery(query);
      return asksForNothing(query) ? [] : store.find(query);
    },
    async tail(tail) {
      requireQuery({ in: tail.in, ...(tail.where ? { where: tail.where } : {}), limit: tail.limit });
      return store.tail(
        asksForNothing({ in: tail.in, where: tail.where ?? [] }) ? { ...tail, where: [], after: null } : tail,
      );
    },
    async count(query) {
      requireQuery(query);
      return asksForNothing(query) ? 0 : store.count(query);
    },
  };
}

function requireIds(ids: Readonly<Record<string, readonly string[]>>): void {
  for (const [kind, of] of Object.entries(ids)) for (const id of of) refuseFor(`a read of ${kind}`, faultOfId(id));
}

function requireCommit(writes: readonly Write[]): void {
  if (writes.length > mostWrites) {
    throw new Refused(`a commit of ${writes.length} writes: it holds at most ${mostWrites}`);
  }
  const created = new Set<string>();
  const sums = new Map<string, number>();
  let bytes = 0;
  for (const write of writes) {
    bytes += requireWrite(write);
    const key = `${write.in}/${write.id}`;
    if (write.kind === 'create') {
      if (created.has(key)) throw new Refused(`${key}: it is created twice in one commit`);
      created.add(key);
    }
    const added = 'add' in write && write.add ? countSums(write.add) : 0;
    sums.set(key, (sums.get(key) ?? 0) + added);
    if ((sums.get(key) ?? 0) > mostSums)
      throw new Refused(`${key}: at most ${mostSums} amounts are added in one commit`);
  }
  if (bytes > mostCommitBytes) throw new Refused(`a commit of ${bytes} bytes: it holds at most ${mostCommitBytes}`);
}

/** @returns the size of the written data, bytes */
function requireWrite(write: Write): number {
  refuseFor(`a ${write.kind} in ${write.in}`, faultOfId(write.id));
  switch (write.kind) {
    case 'delete':
      return 0;
    case 'create':
    case 'replace':
      return requireRecord(write, write.data);
    case 'patch':
      requireApart(write);
      return requireRecord(write, { ...write.set, ...write.add });
    case 'accrue':
      requireApart(write);
      // An increment in a map is named by its path, which has at most 20 parts.
      return requireRecord(write, write.set, 1) + requireRecord(write, write.add, 1);
    default:
      return write satisfies never;
  }
}

function requireRecord(write: Exclude<Write, { kind: 'delete' }>, data: object, beneath = 0): number {
  const { bytes, fault } = faultOfRecord(write.in, write.id, data, beneath);
  refuseFor(`${write.kind} ${write.in}/${write.id}`, fault);
  const isEmpty = Object.keys(data).length === 0;
  if (isEmpty && (write.kind === 'patch' || write.kind === 'replace')) {
    throw new Refused(`${write.kind} ${write.in}/${write.id}: it changes nothing`);
  }
  if ('add' in write && write.add && !areNumbers(write.add)) {
    throw new Refused(`${write.kind} ${write.in}/${write.id}: what is added is no number`);
  }
  return bytes;
}

/** A sum takes effect on the stored value, so that setting the same member would have no effect, or the only one. */
function requireApart(write: Extract<Write, { kind: 'patch' | 'accrue' }>): void {
  const twice = Object.keys(write.add ?? {}).find((member) => member in write.set);
  if (twice !== undefined) {
    throw new Refused(`${write.kind} ${write.in}/${write.id}: ${twice} is set and added to`);
  }
}

function areNumbers(sums: Sums): boolean {
  return Object.values(sums).every((sum) => (typeof sum === 'object' ? areNumbers(sum) : Number.isFinite(sum)));
}

function countSums(sums: Sums): number {
  return Object.values(sums).reduce<number>((sum, each) => sum + (typeof each === 'object' ? countSums(each) : 1), 0);
}

type PartialQuery<K extends Kind> = Pick<Query<K>, 'in' | 'where'> & Partial<Query<K>>;

function requireQuery<K extends Kind>({ in: kind, where = [], orderBy = [], limit, after }: PartialQuery<K>): void {
  const what = `a query of ${kind}`;
  requireFilters(what, where);
  const ranges = new Set(where.flatMap(({ field, is }) => (isRange(is) ? [field] : [])));
  if (ranges.size > mostRangeFields) throw new Refused(`${what}: ranges of more than ${mostRangeFields} fields`);
  if (where.length + orderBy.length > mostParts) throw new Refused(`${what}: it has more than ${mostParts} parts`);
  if (limit !== undefined) requireOrder(what, orderBy, ranges);
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0 && limit < 2 ** 31)) {
    throw new Refused(`${what}: its limit is no whole number above 0`);
  }
  if (after) requirePosition(what, after, orderBy.length);
}

function requireFilters<K extends Kind>(what: string, where: readonly Filter<K>[]): void {
  for (const { field, is, value } of where) {
    refuseFor(what, faultOfName(field));
    for (const each of takesMany(is) ? (value as unknown[]) : [value]) refuseFor(what, faultOfValue(each));
    if (isRange(is) && value === null) throw new Refused(`${what}: null cannot be compared by order`);
  }
  if (where.filter(({ is }) => is.startsWith('array-contains')).length > 1) {
    throw new Refused(`${what}: at most one filter may search in a list`);
  }
}

/** Whether a filter accepts any of several values. */
export function takesMany(is: Comparison): boolean {
  return is === 'in' || is === 'array-contains-any';
}

function isRange(is: Comparison): boolean {
  return is.startsWith('<') || is.startsWith('>');
}

/**
 * A range field must be in the order: otherwise Firestore would sort by it after the id, and the id must come last to
 * break ties.
 */
function requireOrder(what: string, orderBy: readonly (readonly [string, string])[], ranges: Set<string>): void {
  const ordered = new Set(orderBy.map(([field]) => field));
  for (const field of ordered) refuseFor(what, faultOfName(field));
  if (ordered.size < orderBy.length) throw new Refused(`${what}: it is in the order of one field twice`);
  const other = [...ranges].find((field) => !ordered.has(field));
  if (other !== undefined) throw new Refused(`${what}: it is not sorted by its range field, ${other}`);
}

function requirePosition(what: string, after: readonly unknown[], orders: number): void {
  if (after.length !== orders + 1) throw new Refused(`${what}: its position does not fit its order`);
  for (const value of after.slice(0, -1)) refuseFor(what, faultOfValue(value));
  const id = after.at(-1);
  refuseFor(what, typeof id === 'string' ? faultOfId(id) : 'the id of its position is no text');
}

/** Firestore refuses an empty list of values. A bearer without groups produces one, and sees nothing. */
function asksForNothing<K extends Kind>({ where = [] }: PartialQuery<K>): boolean {
  return where.some(({ is, value }) => takesMany(is) && (value as unknown[]).length === 0);
}

function refuseFor(what: string, fault: string | null): void {
  if (fault !== null) throw new Refused(`${what.toWellFormed().slice(0, 300).toWellFormed()}: ${fault}`);
}
