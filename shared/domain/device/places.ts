import type { Waits } from '../limits.ts';
import { earliest, type Instant, later, plus } from '../time.ts';
import type { Device } from './device.ts';
import { standingLoss, wasEverHeard } from './presence.ts';

/**
 * A place where a device is connected: a site, a switch, an uplink. Places with the same name in two groups are different, unless somebody
 * declares them shared.
 */
export type Place = { kind: string; id: string; groupId: string };

/** The kind of the virtual place that holds all cameras of a group. No device names it. */
export const groupKind = 'group';

/** The places of a device, from narrow to wide as far as it names them. The cameras of a group without a site stand together at one without an id. */
export function placesOf({
  groupId,
  site = null,
  parents = [],
}: Pick<Device, 'groupId' | 'site' | 'parents'>): Place[] {
  return [...parents, { kind: 'site', id: site ?? '' }].map(({ kind, id }) => ({ kind, id, groupId }));
}

/** The key under which the records of devices refer to a place. */
export function placeKeyOf({ kind, id, groupId }: Place): string {
  return `${kind}:${encodeURIComponent(id)}@${groupId}`;
}

/** The place of a key. */
export function placeOfKey(key: string): Place {
  const [, kind = '', id = '', groupId = ''] = /^([^:]*):([^@]*)@(.*)$/s.exec(key) ?? [];
  return { kind, id: decodeURIComponent(id), groupId };
}

/** Keys of the places that count a device. A device that was never heard of counts nowhere. */
export function placeKeysOf(device: Device): string[] {
  return wasEverHeard(device) ? placesOf(device).map(placeKeyOf) : [];
}

/**
 * Since when a device is dark unless it reports: since it was lost, or since two of its reports have been missing. Null: its silence is
 * ignored and it is not lost.
 */
export function darkAtOf(device: Device, waits: Waits): Instant | null {
  const { presence, aliveAt, registeredAt, patience, restoredAt } = device;
  const lastSeenAt = device.lastSeenAt ?? (wasEverHeard(device) ? registeredAt : null);
  const loss = standingLoss(presence, aliveAt, waits);
  const { periodSeconds } = patience;
  const overdueAt =
    lastSeenAt === null || periodSeconds === 0
      ? null
      : plus(
          later(lastSeenAt, restoredAt ?? lastSeenAt),
          2 * periodSeconds * waits.settingsSecond + waits.lastSeenCoarse,
        );
  return earliest([loss && later(loss.at, restoredAt ?? loss.at), overdueAt]);
}
