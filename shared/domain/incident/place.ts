import { v5 as uuidv5 } from 'uuid';
import { type Place, placeKeyOf } from '../device/places.ts';

/** A place that somebody has named or that has been dark. One that is shared is of several groups. */
export type PlaceRecord = {
  placeId: string;
  kind: string;
  id: string;
  groups: string[];
  name: string | null;
  isShared: boolean;
  /** The incident that is open here: as a device holds its open alerts. */
  openIncidentId: string | null;
  /** How often one was opened: names the next. */
  opened: number;
  version: number;
};

const namespace = '8f4f7c7e-51c3-5c0f-9f0e-1f3f6a0c2b55';

/** Where a place is kept: that of one group, or the one of its name that is shared. */
export function placeIdOf({ kind, id }: Pick<Place, 'kind' | 'id'>, groupId: string | null): string {
  return uuidv5(JSON.stringify([kind, id, groupId]), namespace);
}

/** A place of which nothing is kept yet. */
export function newPlace({ kind, id, groupId }: Place): PlaceRecord {
  return {
    placeId: placeIdOf({ kind, id }, groupId),
    kind,
    id,
    groups: [groupId],
    name: null,
    isShared: false,
    openIncidentId: null,
    opened: 0,
    version: 0,
  };
}

/** The place as a device of one group sees it: the shared one of its name where its group is among those that share it. */
export function placeSeen(place: Place, own: PlaceRecord | null, shared: PlaceRecord | null): PlaceRecord {
  if (shared?.isShared && shared.groups.includes(place.groupId)) return shared;
  return own ?? newPlace(place);
}

/** The keys under which devices hang on a place. */
export function keysOfPlace({ kind, id, groups }: PlaceRecord): { groupId: string; key: string }[] {
  return groups.map((groupId) => ({ groupId, key: placeKeyOf({ kind, id, groupId }) }));
}
