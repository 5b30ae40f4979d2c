import type { Place } from '../../schema/place/place.ts';

/** What a person has recorded about a place. */
export type PlaceRecord = Place & { placeId: string; version: number };

export function placeIdOf(kind: string, id: string): string {
  return `${kind}:${id}`;
}

/** The place as the API shows it to a viewer of these groups. Null: all groups. */
export function toWirePlace(
  { placeId: _, version: __, ...place }: PlaceRecord,
  groups: readonly string[] | null,
): Place {
  return groups === null ? place : { ...place, groups: place.groups.filter((group) => groups.includes(group)) };
}
