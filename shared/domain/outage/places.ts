import { v5 as uuidv5 } from 'uuid';
import { groupKind, type Place, placeKeyOf } from '../device/places.ts';
import type { PlaceRecord } from '../place/place.ts';

/** A place as devices of one group see it: their own, or one that their group shares with others. */
export type SeenPlace = { kind: string; id: string; groups: string[]; name: string | null; isShared: boolean };

/** The outages of a place. The place refers to its open outage as a device refers to its open alerts. */
export type OutagePlace = {
  placeId: string;
  openIncidentId: string | null;
  /** How many were opened so far. The number is part of the next one's id. */
  opened: number;
  version: number;
};

const namespace = '8f4f7c7e-51c3-5c0f-9f0e-1f3f6a0c2b55';

/** The place as a device sees it. `known`: the record that a person made for this place. */
export function seenPlace({ kind, id, groupId }: Place, known: PlaceRecord | null): SeenPlace {
  const isOurs = known?.groups.includes(groupId) ?? false;
  const isShared = isOurs && (known?.shared ?? false);
  const groups = isShared && known ? known.groups.toSorted() : [groupId];
  return { kind, id, groups, name: isOurs ? (known?.name ?? null) : null, isShared };
}

/** The id of the record for a place. Places with the same name in two groups have two records, unless the groups share the place. */
export function placeIdOf({ kind, id, groups, isShared }: SeenPlace): string {
  return uuidv5(JSON.stringify([kind, id, isShared ? null : groups]), namespace);
}

/** The keys by which devices refer to a place. */
export function keysOfPlace({ kind, id, groups }: Pick<SeenPlace, 'kind' | 'id' | 'groups'>): string[] {
  return groups.map((groupId) => placeKeyOf({ kind, id, groupId }));
}

/** Whether a camera hangs on a place. */
export function isPlaced(
  { places, groupId }: { places: readonly string[]; groupId: string },
  place: Pick<SeenPlace, 'kind' | 'id' | 'groups'>,
): boolean {
  if (place.kind === groupKind) return groupId === place.id;
  return keysOfPlace(place).some((key) => places.includes(key));
}

/** The name of a place in titles. */
export function placeTitle({ kind, id, name, groups }: Pick<SeenPlace, 'kind' | 'id' | 'name' | 'groups'>): string {
  if (kind === groupKind) return `in group ${name ?? id}`;
  if (kind === 'site' && id === '') return `in group ${name ?? groups[0] ?? id}`;
  return kind === 'site' ? `at ${name ?? id}` : `behind ${kind} ${name ?? id}`;
}
