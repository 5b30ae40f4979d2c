import { readFileSync } from 'node:fs';

type Field = { fieldPath: string; order?: string; arrayConfig?: string };
type Single = { order?: string; arrayConfig?: string };
export type Definitions = {
  indexes: { collectionGroup: string; fields: Field[] }[];
  fieldOverrides: { collectionGroup: string; fieldPath: string; indexes: Single[] }[];
};
type Data = Record<string, unknown>;

/** One row of a record in one index: the values before the last as text, and the last value. */
export type IndexRow = { index: string; prefix: string; last: unknown };

export function readDefinitions(): Definitions {
  return JSON.parse(readFileSync('firestore.indexes.json', 'utf8'));
}

/** Without a definition, Firestore indexes each value in both directions, and each element of a list (firestore/docs/query-data/index-overview). */
const automatic: Single[] = [{ order: 'ASCENDING' }, { order: 'DESCENDING' }, { arrayConfig: 'CONTAINS' }];

/** Returns the index rows that Firestore writes for records of a collection. */
export function rowsBy({ indexes, fieldOverrides }: Definitions): (collection: string, data: Data) => IndexRow[] {
  const composites = Map.groupBy(indexes, ({ collectionGroup }) => collectionGroup);
  const overrides = new Map(
    fieldOverrides.map((each) => [`${each.collectionGroup} ${each.fieldPath}`, each.indexes] as const),
  );
  return (collection, data) => [
    ...(composites.get(collection) ?? []).flatMap(({ fields }) => compositeRows(fields, data)),
    ...singleRows(data, '', automatic, (path) => overrides.get(`${collection} ${path}`)),
  ];
}

function compositeRows(fields: readonly Field[], data: Data): IndexRow[] {
  const index = fields.map(({ fieldPath, order }) => (order === 'DESCENDING' ? `${fieldPath} desc` : fieldPath));
  let rows: unknown[][] = [[]];
  for (const { fieldPath, arrayConfig } of fields) {
    const value = data[fieldPath];
    if (value === undefined) return [];
    const values = arrayConfig ? (Array.isArray(value) ? [...new Set(value)] : []) : [value];
    rows = rows.flatMap((row) => values.map((each) => [...row, each]));
  }
  return rows.map((row) => ({
    index: index.join(', '),
    prefix: JSON.stringify(row.slice(0, -1)),
    last: row.at(-1),
  }));
}

function singleRows(
  data: Data,
  path: string,
  inherited: Single[],
  overrideOf: (path: string) => Single[] | undefined,
): IndexRow[] {
  return Object.entries(data).flatMap(([name, value]): IndexRow[] => {
    const own = path === '' ? name : `${path}.${name}`;
    const singles = overrideOf(own) ?? inherited;
    if (value === undefined) return [];
    if (Array.isArray(value)) {
      const hasList = singles.some(({ arrayConfig }) => arrayConfig);
      return hasList
        ? [...new Set(value.map((each) => JSON.stringify(each)))].map((last) => rowOf(`${own}[]`, last))
        : [];
    }
    if (typeof value === 'object' && value !== null) return singleRows(value as Data, own, singles, overrideOf);
    return singles.flatMap(({ order }) => (order ? [rowOf(order === 'DESCENDING' ? `${own} desc` : own, value)] : []));
  });
}

function rowOf(index: string, last: unknown): IndexRow {
  return { index, prefix: '', last };
}
