import type { Waits } from '../limits.ts';
import { earliest, type Instant, plus } from '../time.ts';
import type { Device } from './device.ts';
import { standingLoss } from './presence.ts';

/** Where a device hangs: a site, a switch, an uplink. Places of one name in two groups are two, unless somebody says that they are shared. */
export type Place = { kind: string; id: string; groupId: string };

/** The places of a device, narrow to wide as far as it says so; without a site its group stands for one. */
export function placesOf({
  groupId,
  site = null,
  parents = [],
}: Pick<Device, 'groupId' | 'site' | 'parents'>): Place[] {
  const stand = site === null ? { kind: 'group', id: groupId } : { kind: 'site', id: site };
  return [...parents, stand].map(({ kind, id }) => ({ kind, id, groupId }));
}

/** How a place is found on the records of what hangs on it. */
export function placeKeyOf({ kind, id, groupId }: Place): string {
  return `${kind}:${encodeURIComponent(id)}@${groupId}`;
}

/** The place that a key names. */
export function placeOfKey(key: string): Place {
  const [, kind = '', id = '', groupId = ''] = /^([^:]*):([^@]*)@(.*)$/s.exec(key) ?? [];
  return { kind, id: decodeURIComponent(id), groupId };
}

/** Keys of the places that count a device: it counts from its first sign of life on. */
export function placeKeysOf(device: Device): string[] {
  return device.lastSeenAt === null ? [] : placesOf(device).map(placeKeyOf);
}

/**
 * Since when a device is dark unless it reports: since it was lost, or when two of its reports have stayed away. Null: its silence means nothing,
 * and no loss of it stands.
 */
export function darkAtOf(device: Device, waits: Waits): Instant | null {
  const { presence, aliveAt, lastSeenAt, patience } = device;
  const loss = standingLoss(presence, aliveAt, waits);
  const { periodSeconds = 60 } = patience;
  const overdueAt =
    lastSeenAt === null || periodSeconds === 0
      ? null
      : plus(lastSeenAt, 2 * periodSeconds * waits.settingsSecond + waits.lastSeenCoarse);
  return earliest([loss?.at, overdueAt]);
}
