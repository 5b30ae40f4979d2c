import type { Site } from '../../../../shared/schema/place/place.ts';
import { plural } from '../../format.ts';

/** Places with an incident first, then by the number of offline and unknown cameras, then by name and group. */
export function placesInOrder(sites: readonly Site[]): Site[] {
  const away = ({ devices }: Site) => devices.offline + (devices.unknown ?? 0);
  return sites.toSorted(
    (a, b) =>
      Number(b.incidentId !== null) - Number(a.incidentId !== null) ||
      away(b) - away(a) ||
      nameOf(a).localeCompare(nameOf(b), undefined, { numeric: true }) ||
      (a.groupId < b.groupId ? -1 : Number(a.groupId > b.groupId)),
  );
}

export function nameOf({ name, id }: Site): string {
  return name ?? id;
}

/** `28 of 30 devices online`, or the number that is certainly offline if the service cannot see who is online. */
export function countWords({ devices: { total, online, offline, unknown, neverSeen } }: Site): string {
  const heard = plural(total - neverSeen, 'device');
  const never = neverSeenWords(neverSeen);
  if (online === null) return `${offline.toLocaleString()} of ${heard} offline, the rest is not known${never}`;
  const more = unknown ? `, ${unknown.toLocaleString()} unknown` : '';
  return `${online.toLocaleString()} of ${heard} online${more}${never}`;
}

/** `, 2 never seen`, to follow the counts of those that were heard of. */
export function neverSeenWords(count: number): string {
  return count > 0 ? `, ${count.toLocaleString()} never seen` : '';
}

/** Whether all places start opened. Each opened place is one more read, so this is only for few places and cameras. */
export function areFew(sites: readonly Site[]): boolean {
  const total = sites.reduce((sum, { devices }) => sum + devices.total, 0);
  return total <= 200 && sites.length <= 8;
}
