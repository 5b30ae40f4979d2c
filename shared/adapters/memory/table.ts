import type { Comparison } from '../../app/ports.ts';

export type Row = { data: Record<string, unknown>; revision: number };
type Rows = ReadonlyMap<string, Row>;
type RowFilter = { field: string; is: Comparison; value: unknown };

/** The rows of one kind by id. A field that a query uses is indexed from then on. */
export type Table = {
  rows: Rows;
  set(id: string, row: Row): void;
  delete(id: string): void;
  /** The smallest set of rows from an index that contains all matches. The caller must still check each row. */
  narrow(where: readonly RowFilter[]): Rows;
};

/** How rows are found by a field: all rows that match a filter have the key of its value. */
type IndexWay = { keysOf(value: unknown): readonly unknown[]; keyFor(wanted: unknown): unknown };
type Index = { field: string; way: IndexWay; byKey: Map<unknown, Map<string, Row>> };

const itself = (value: unknown) => value;
const byValue: IndexWay = { keysOf: (value) => [value], keyFor: itself };
const byElement: IndexWay = { keysOf: (value) => (Array.isArray(value) ? value : []), keyFor: itself };
/** A range matches only values of its own type. This excludes most records, whose due time is null. */
const byType: IndexWay = {
  keysOf: (value) => [value === null ? null : typeof value],
  keyFor: (wanted) => typeof wanted,
};
const ways: Record<Comparison, IndexWay | null> = {
  '==': byValue,
  in: null,
  'array-contains': byElement,
  'array-contains-any': null,
  '<': byType,
  '<=': byType,
  '>': byType,
  '>=': byType,
};

const none: Rows = new Map();

export function createTable(given: Iterable<[string, Row]> = []): Table {
  const rows = new Map(given);
  const indexes: Index[] = [];
  const indexOf = (field: string, way: IndexWay): Index => {
    const known = indexes.find((index) => index.field === field && index.way === way);
    if (known) return known;
    const index: Index = { field, way, byKey: new Map() };
    indexes.push(index);
    for (const [id, row] of rows) add(index, id, row);
    return index;
  };
  const forget = (id: string) => {
    const row = rows.get(id);
    if (row) for (const index of indexes) remove(index, id, row);
  };
  return {
    rows,
    set(id, row) {
      forget(id);
      rows.set(id, row);
      for (const index of indexes) add(index, id, row);
    },
    delete(id) {
      forget(id);
      rows.delete(id);
    },
    narrow(where) {
      let narrowest: Rows = rows;
      for (const { field, is, value } of where) {
        const way = ways[is];
        if (!way) continue;
        const found = indexOf(field, way).byKey.get(way.keyFor(value)) ?? none;
        if (found.size < narrowest.size) narrowest = found;
      }
      return narrowest;
    },
  };
}

function add({ field, way, byKey }: Index, id: string, row: Row): void {
  for (const key of way.keysOf(row.data[field])) {
    const found = byKey.get(key);
    if (found) found.set(id, row);
    else byKey.set(key, new Map([[id, row]]));
  }
}

function remove({ field, way, byKey }: Index, id: string, { data }: Row): void {
  for (const key of way.keysOf(data[field])) {
    const found = byKey.get(key);
    found?.delete(id);
    if (found?.size === 0) byKey.delete(key);
  }
}
