import { placeIdOf } from '../../domain/place/place.ts';
import type { Reads } from '../ports.ts';

/** Replaces the site id of each record by the site's name, if the record's group may know it. One read per site. */
export async function withSiteNames<T extends { site?: string | null; groupId: string }>(
  { store }: Reads<'places'>,
  records: readonly T[],
): Promise<T[]> {
  const ids = [...new Set(records.flatMap(({ site }) => (site ? [placeIdOf('site', site)] : [])))];
  const found = ids.length === 0 ? [] : await store.get('places', ids);
  const places = new Map(found.flatMap((stored) => (stored ? [[stored.id, stored.data] as const] : [])));
  return records.map((record) => {
    const place = record.site ? places.get(placeIdOf('site', record.site)) : undefined;
    return place?.groups.includes(record.groupId) ? { ...record, site: place.name } : record;
  });
}
