import { readFileSync } from 'node:fs';
import { sliceField } from '../../shared/adapters/slices.ts';
import type { Filter, Kind, Query, Revision, Store, Stored } from '../../shared/app/ports.ts';
import type { AlertRecord } from '../../shared/domain/alert/alert.ts';
import { plus } from '../../shared/domain/time.ts';
import { startOfTests } from '../support/world/world.ts';

/** Reads of one query, as Firestore counts them. */
export type Scanned = { documents: number; indexEntries: number; indexesMerged: number };

type Index = { collectionGroup: string; fields: { fieldPath: string; order?: string }[] };

/**
 * A store of `size` alerts that answers queries as Firestore does: it walks the composite indexes of `firestore.indexes.json` from the page's
 * position and stops when the page is full. Several equalities are a zigzag merge of several indexes. Each value of `in` is a separate walk,
 * and the walks are merged by time. Records are made when they are read.
 */
export function createIndexedAlerts(
  size: number,
  templates: readonly AlertRecord[],
): { store: Pick<Store, 'find'>; scanned: Scanned } {
  const scanned: Scanned = { documents: 0, indexEntries: 0, indexesMerged: 0 };
  const postings = new Map<string, Uint32Array>();
  const rowsWith = (field: string, value: unknown) => {
    const key = JSON.stringify([field, value]);
    const known = postings.get(key);
    if (known) return known;
    const rows: number[] = [];
    for (let row = 0; row < size; row += 1) {
      const record: Partial<AlertRecord> =
        field in membersOf(row, size) ? membersOf(row, size) : templateOf(row, templates);
      if (record[field as keyof AlertRecord] === value) rows.push(row);
    }
    const made = Uint32Array.from(rows);
    postings.set(key, made);
    return made;
  };
  const find = async (query: Query<'alerts'>): Promise<Stored<'alerts'>[]> => {
    const [[order, direction] = ['timestamp', 'desc' as const]] = query.orderBy ?? [];
    const [position] = query.after ?? [];
    const start = position === undefined ? null : rowOfTime(String(position));
    const walks = combinations(query.where ?? []).map((equalities) => {
      for (const [field] of equalities) requireIndex(field, order, direction);
      scanned.indexesMerged = Math.max(scanned.indexesMerged, equalities.length);
      const lists = equalities.map(([field, value]) => rowsWith(field, value));
      return walk(lists, { size, direction, start, onEntry: () => (scanned.indexEntries += 1) });
    });
    const rows = firstOf(walks, query.limit, direction);
    scanned.documents += rows.length;
    return rows.map((row) => ({
      id: uuidOf(row),
      data: recordOf(row, size, templates),
      revision: 0 as unknown as Revision,
    }));
  };
  return { store: { find: find as <K extends Kind>(query: Query<K>) => Promise<Stored<K>[]> }, scanned };
}

/** About 100 alerts for each camera, at most 200 groups, and one alert in 20 is open. */
function membersOf(row: number, size: number): Pick<AlertRecord, 'deviceId' | 'groupId' | 'isOpen' | 'status'> {
  const camera = mixed(row) % Math.max(10, size / 100);
  const isOpen = mixed(row + 13) % 20 === 0;
  return {
    deviceId: `camera-${camera}`,
    groupId: `group-${camera % 200}`,
    isOpen,
    status: isOpen ? 'active' : 'resolved',
  };
}

function recordOf(row: number, size: number, templates: readonly AlertRecord[]): AlertRecord {
  const members = membersOf(row, size);
  const timestamp = plus(startOfTests, row * 1000);
  const resolvedAt = members.isOpen ? null : plus(timestamp, 600_000);
  const own = { alertId: uuidOf(row), timestamp, lastSeenAt: timestamp, resolved: !members.isOpen, resolvedAt };
  return { ...templateOf(row, templates), ...members, ...own };
}

function templateOf(row: number, templates: readonly AlertRecord[]): AlertRecord {
  return templates[mixed(row + 7) % templates.length] as AlertRecord;
}

function rowOfTime(timestamp: string): number {
  return (Date.parse(timestamp) - Date.parse(startOfTests)) / 1000;
}

/** An id that depends only on the row, and is as hard to compress as a random one. */
function uuidOf(row: number): string {
  const hex = [1, 2, 3, 4]
    .map((turn) =>
      mixed(row * 5 + turn)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** A pseudo-random number that depends only on the row. */
function mixed(row: number): number {
  let mixing = Math.imul(row + 1, 0x9e3779b1);
  mixing = Math.imul(mixing ^ (mixing >>> 15), 0x85ebca6b);
  return (mixing ^ (mixing >>> 13)) >>> 0;
}

/** One list of equalities for each combination of the requested values. @throws Error for another operator than `==` and `in` */
function combinations(where: readonly Filter<'alerts'>[]): [string, unknown][][] {
  return where.reduce<[string, unknown][][]>(
    (all, { field, is, value }) => {
      if (is !== '==' && is !== 'in') throw new Error(`no walk for ${field} ${is}`);
      const values = is === 'in' ? (value as unknown[]) : [value];
      return all.flatMap((equalities) => values.map((each): [string, unknown][] => [...equalities, [field, each]]));
    },
    [[]],
  );
}

const { indexes } = JSON.parse(readFileSync('firestore.indexes.json', 'utf8')) as { indexes: Index[] };

function requireIndex(field: string, order: string, direction: 'asc' | 'desc'): void {
  const wanted = JSON.stringify([field, order, direction === 'asc' ? 'ASCENDING' : 'DESCENDING']);
  const has = indexes.some(
    // The first field is the slice. The real store merges the slices of an index as it reads, so here they are one walk.
    ({ collectionGroup, fields: [slice, first, second, ...rest] }) =>
      collectionGroup === 'alerts' &&
      slice?.fieldPath === sliceField &&
      rest.length === 0 &&
      JSON.stringify([first?.fieldPath, second?.fieldPath, second?.order]) === wanted,
  );
  if (!has) throw new Error(`no index serves alerts by ${field}, ${order} ${direction}`);
}

type Walk = { size: number; direction: 'asc' | 'desc'; start: number | null; onEntry: () => void };

/** Rows that are in all lists, from the position on. Each lookup in a list counts as one index entry. */
function* walk(lists: readonly Uint32Array[], { size, direction, start, onEntry }: Walk): Generator<number> {
  const step = direction === 'asc' ? 1 : -1;
  let row = start === null ? (step === 1 ? 0 : size - 1) : start + step;
  while (row >= 0 && row < size) {
    let next = row;
    for (const list of lists) {
      onEntry();
      const found = seek(list, next, step);
      if (found === null) return;
      next = found;
    }
    if (lists.length === 0) onEntry();
    if (next === row) {
      yield row;
      row += step;
    } else row = next;
  }
}

/** The first entry at the row or beyond it, in the direction of the walk. */
function seek(list: Uint32Array, row: number, step: 1 | -1): number | null {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = list[middle] as number;
    if (step === 1 ? value < row : value <= row) low = middle + 1;
    else high = middle;
  }
  return list[step === 1 ? low : low - 1] ?? null;
}

/** The first rows of several walks, merged. */
function firstOf(walks: Generator<number>[], limit: number, direction: 'asc' | 'desc'): number[] {
  const heads = walks.map((each) => ({ each, head: each.next() }));
  const rows: number[] = [];
  while (rows.length < limit) {
    const open = heads.filter(({ head }) => !head.done);
    if (open.length === 0) break;
    const best = open.reduce((a, b) =>
      (direction === 'asc') === (a.head.value as number) < (b.head.value as number) ? a : b,
    );
    rows.push(best.head.value as number);
    best.head = best.each.next();
  }
  return rows;
}
