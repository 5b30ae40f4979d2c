import { thresholds, type Waits } from '../limits.ts';
import { type Instant, msBetween } from '../time.ts';

/** A device that reported recently. */
export type Witness = { deviceId: string; groupId: string; lastSeenAt: Instant };

/** Reports that were handled, with the numbers needed to weigh them as evidence. */
export type Witnesses = {
  /** Newest first. */
  recent: readonly Witness[];
  /** Devices that count as online. */
  online: number;
  /** All devices that count as online belong to one group. */
  isOneGroup: boolean;
};

/**
 * The time up to which reports prove that reports arrive. It needs reports of two groups; in a fleet of one group, of three devices, or of all if
 * there are fewer. Reports may be older by the resolution of `lastSeenAt`.
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

/** The nth newest instant. Null where there are fewer. */
function nth(instants: readonly Instant[], n: number): Instant | null {
  return instants.toSorted().at(-n) ?? null;
}

/** The devices of a group that count as online, and those of them that were due to report and did not. */
export type GroupSilence = { groupId: string; online: number; silent: number };

/**
 * Whether so many devices fell silent together, in every group, that the platform is the likely cause. Without a canary through the broker
 * this is the only evidence. One dark site does not count.
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
