import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween } from '../time.ts';

/** A device that reported a short while ago. */
export type Witness = { deviceId: string; groupId: string; lastSeenAt: Instant };

/** Reports that were handled, and what must be known of the fleet to weigh them. */
export type Witnesses = {
  /** Newest first. */
  recent: readonly Witness[];
  /** Devices that count as online. */
  online: number;
  /** All devices that count as online are of one group. */
  isOneGroup: boolean;
};

/**
 * Up to when reports show that they come through, where they do: reports of two groups; in a fleet of one group those of three devices, or of
 * all that report where they are fewer. A report that is written only now and then may be older by as much as sightings are coarse.
 */
export function shownByReports({ recent, online, isOneGroup }: Witnesses, now: Instant, waits: Waits): Instant | null {
  const within = (ms: number) => recent.filter(({ lastSeenAt }) => msBetween(lastSeenAt, now) <= ms);
  const fresh = within(waits.ingestIdle);
  const groups = new Map(fresh.toReversed().map(({ groupId, lastSeenAt }) => [groupId, lastSeenAt]));
  if (groups.size >= thresholds.witnessGroups) return nth([...groups.values()], thresholds.witnessGroups);
  if (!isOneGroup || online === 0) return null;
  if (online >= thresholds.witnessDevices) return nth(fresh.map(seen), thresholds.witnessDevices);
  return nth(within(waits.ingestIdle + waits.lastSeenCoarse).map(seen), online);
}

const seen = ({ lastSeenAt }: Witness) => lastSeenAt;

/** The nth newest; null where there are fewer. */
function nth(instants: readonly Instant[], n: number): Instant | null {
  return instants.toSorted().at(-n) ?? null;
}

/** A group's devices that count as online, and those of them that were due to report and did not. */
export type GroupSilence = { groupId: string; online: number; silent: number };

/**
 * Whether so many fell silent together, in every group, that it is rather us: where no canary goes through the broker, this is all there is to
 * judge it by. One site that is dark is no blindness.
 */
export function isMassSilence(groups: readonly GroupSilence[]): boolean {
  const large = groups.filter(({ online }) => online >= thresholds.largeGroup);
  if (large.length >= thresholds.largeGroups) {
    return large.every(({ online, silent }) => silent >= thresholds.silentShare * online);
  }
  const sum = (member: 'online' | 'silent') => groups.reduce((total, group) => total + group[member], 0);
  const online = sum('online');
  return online >= thresholds.largeGroup && sum('silent') >= thresholds.silentShareOfFew * online;
}
