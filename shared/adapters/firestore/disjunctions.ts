import type { Filter, Kind } from '../../app/ports.ts';
import { takesMany } from '../store-limits.ts';

/**
 * Maximum number of combinations in one Firestore query: the product of the lengths of its `in` and
 * `array-contains-any` lists (firebase.google.com/docs/firestore/query-data/queries#limits_on_or_queries).
 */
const mostDisjunctions = 30;

/**
 * Splits filters that exceed Firestore's 30 disjunctions into several queries, by cutting the longest list of values. Together they match
 * the same records. Only a record whose list contains several of the values can match more than one. Filters within the limit stay one
 * query.
 */
export function withinLimit<K extends Kind>(where: readonly Filter<K>[]): Filter<K>[][] {
  const filters = where.map((filter) =>
    takesMany(filter.is) ? { ...filter, value: [...new Set(valuesOf(filter))] } : filter,
  );
  const longest = filters
    .filter(({ is }) => takesMany(is))
    .toSorted((a, b) => valuesOf(b).length - valuesOf(a).length)[0];
  const product = filters.reduce((count, filter) => count * (takesMany(filter.is) ? valuesOf(filter).length : 1), 1);
  if (!longest || product <= mostDisjunctions) return [filters];
  const values = valuesOf(longest);
  const size = Math.max(1, Math.floor((mostDisjunctions * values.length) / product));
  const parts = Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
  return parts.flatMap((value) =>
    withinLimit(filters.map((filter) => (filter === longest ? { ...filter, value } : filter))),
  );
}

function valuesOf<K extends Kind>({ value }: Filter<K>): readonly unknown[] {
  return value as readonly unknown[];
}
