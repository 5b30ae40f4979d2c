import type { Alert } from '../../schema/alert/alert.ts';
import { severities } from '../../schema/vocabulary.ts';
import type { AlertRecord } from '../alert/alert.ts';
import type { Device } from '../device/device.ts';
import { drillDeviceId } from '../ids.ts';
import type { Waits } from '../limits.ts';
import { shardOf } from '../shards.ts';
import type { SightRecord } from '../sight/sight.ts';
import { type Instant, plus } from '../time.ts';
import { sumOf, type TrendCounts, wholeFleet } from './trends.ts';

/**
 * Changes since the summary of a scope was last written: of a group, or of the whole fleet (`*`), which gets the sums of the groups. It is due as
 * long as it exists, so it has no due time.
 */
export type FleetCounter = { groupId: string; counts: TrendCounts };

/**
 * The present numbers of one group or of the whole fleet (`*`), so that showing them costs one read. Names in `counts`: `total`, `online` and
 * `neverSeen` for devices, `open ERROR` for open alerts, and `opened 2026-11-22T07 ERROR` for alerts by the hour (UTC) of their `timestamp`.
 */
export type FleetSummary = {
  groupId: string;
  counts: TrendCounts;
  /** Devices that were overdue when a sweep last counted them. It holds only while the platform is blind. */
  unknown: number;
  recentAlerts: Alert[];
  /** What the platform saw at the last sweep, and whether anybody would be notified. Null in the summary of a group. */
  sight: SightRecord | null;
  hasContacts: boolean;
  /** When it was last counted from the records. Null: other writes interfered, and the next sweep counts again. */
  countedAt: Instant | null;
};

export type FleetAccrual = { id: string; set: { groupId: string }; add: { counts: TrendCounts } };
type Pair<T> = readonly [before: T | null, after: T | null];

/** Alerts that a summary shows. */
export const mostRecent = 20;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const nothing: TrendCounts = {};

/** What a change of a device and its alerts adds to the counters of their groups. */
export function fleetAccruals(
  deviceId: string,
  device: Pair<Device>,
  alerts: readonly Pair<AlertRecord>[],
): FleetAccrual[] {
  if (deviceId === drillDeviceId || (alerts.length === 0 && isCountedAlike(device))) return [];
  const groups = new Map<string, TrendCounts>();
  const add = (groupId: string, counts: TrendCounts) =>
    groups.set(groupId, sumOf(groups.get(groupId) ?? nothing, counts));
  for (const [index, one] of device.entries()) if (one) add(one.groupId, signed(countsOfDevice(one), index));
  for (const pair of alerts) {
    for (const [index, alert] of pair.entries()) if (alert) add(alert.groupId, signed(countsOfAlert(alert), index));
    // Other changes of an alert also change how it is shown.
    if (pair[1]) add(pair[1].groupId, { changes: 1 });
  }
  return [...groups].flatMap(([groupId, counts]) => {
    const changed = withoutZeros(counts);
    return Object.keys(changed).length > 0 ? [fleetAccrual(groupId, deviceId, changed)] : [];
  });
}

/** A usual report changes none of the device's numbers. */
function isCountedAlike([before, after]: Pair<Device>): boolean {
  return (
    before?.groupId === after?.groupId && before?.isOnline === after?.isOnline && before?.wasHeard === after?.wasHeard
  );
}

/** Several counters share the writes of a group, because Firestore takes about one write a second per document. */
function fleetAccrual(groupId: string, key: string, counts: TrendCounts): FleetAccrual {
  return { id: `${groupId} ${shardOf(key)}`, set: { groupId }, add: { counts } };
}

/** A group uses a different fleet counter in each of this many consecutive seconds, because all groups add at once. */
const turns = 7;

/** What a group adds to the fleet when its own counters are summed. */
export function handedOn(groupId: string, counts: TrendCounts, now: Instant): FleetAccrual {
  const turn = Math.floor(Date.parse(now) / 1000) % turns;
  return { id: `${wholeFleet} ${shardOf(groupId)} ${turn}`, set: { groupId: wholeFleet }, add: { counts } };
}

function countsOfDevice({ isOnline, wasHeard }: Device): TrendCounts {
  return { total: 1, online: isOnline ? 1 : 0, neverSeen: wasHeard ? 0 : 1 };
}

function countsOfAlert({ isOpen, severity, timestamp }: AlertRecord): TrendCounts {
  return { [`open ${severity}`]: isOpen ? 1 : 0, [openedName(hourOf(timestamp), severity)]: 1 };
}

/** Subtracts the first of a pair and adds the second. */
function signed(counts: TrendCounts, index: number): TrendCounts {
  return index === 1 ? counts : Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, -count]));
}

export function openedName(hour: string, severity: string): string {
  return `opened ${hour} ${severity}`;
}

function hourOf(at: Instant): string {
  return at.slice(0, '2026-11-22T07'.length);
}

/** The hours (UTC) that the last 24 hours touch: 25, because the first and the last are partial. */
export function hoursOfDay(now: Instant): string[] {
  const hours: string[] = [];
  for (let at = plus(now, -dayMs); hourOf(at) <= hourOf(now); at = plus(at, hourMs)) hours.push(hourOf(at));
  return hours;
}

/** The sum of several counters. */
export function countsOf(counters: readonly FleetCounter[]): TrendCounts {
  return counters.reduce((sum, { counts }) => sumOf(sum, counts), nothing);
}

export function difference(counts: TrendCounts, less: TrendCounts): TrendCounts {
  return sumOf(counts, signed(less, 0));
}

/** The counts without zeros and without alerts that began more than a day ago. */
export function keptCounts(counts: TrendCounts, now: Instant): TrendCounts {
  const { changes: _, ...shown } = counts;
  const first = openedName(hourOf(plus(now, -dayMs)), '');
  return Object.fromEntries(
    Object.entries(withoutZeros(shown)).filter(([name]) => !name.startsWith('opened ') || name >= first),
  );
}

function withoutZeros(counts: TrendCounts): TrendCounts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

/** Open alerts, and alerts of the last day by hour, per severity. */
export function alertsOfCounts(counts: TrendCounts, now: Instant) {
  const hours = hoursOfDay(now);
  const perSeverity = (of: (severity: string) => number) =>
    Object.fromEntries(severities.map((each) => [each, Math.max(0, of(each))])) as Record<
      (typeof severities)[number],
      number
    >;
  return {
    open: perSeverity((severity) => counts[`open ${severity}`] ?? 0),
    last24h: perSeverity((severity) => hours.reduce((sum, hour) => sum + (counts[openedName(hour, severity)] ?? 0), 0)),
  };
}

/** A summary before anything was counted. */
export function newSummary(groupId: string): FleetSummary {
  return {
    groupId,
    counts: {},
    unknown: 0,
    recentAlerts: [],
    sight: null,
    hasContacts: false,
    countedAt: null,
  };
}

/** A slot of changes ends after this share of the settling time. The rest lets their commits finish. */
const slotShare = 0.8;

/**
 * The wake that writes the summaries: one for all changes of a slot, at most `fleetSettles` after the first. If it is lost, the sweep writes them.
 */
export function fleetWake(now: Instant, { fleetSettles }: Waits) {
  const slotMs = fleetSettles * slotShare;
  const slot = Math.floor(Date.parse(now) / slotMs);
  const dueAt = new Date(slot * slotMs + fleetSettles).toISOString();
  return { in: 'fleetCounters', id: wholeFleet, version: slot, dueAt } as const;
}
