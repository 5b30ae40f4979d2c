import type { Filter, Kind } from '../../app/ports.ts';
import { takesMany } from '../store-limits.ts';

/** Most values that one query of Firestore may let pass, multiplied over its `in` filters (firebase.google.com/docs/firestore/query-data/queries#limits_on_or_queries). */
const mostDisjunctions = 30;

/**
 * Filters that together let pass what the given ones do, none of it twice but what holds several of the values that it may contain, each within what one query may ask for: the longest list of
 * values is cut into parts. Filters within the limit stay one query.
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
