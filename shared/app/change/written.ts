import type { Change, DecisionContext, KnownRecords, Needs } from '../../domain/change/change.ts';
import type { Rename } from '../../domain/change/renames.ts';
import type { ActivityEntry } from '../../domain/device/activity.ts';
import { type FleetAccrual, fleetAccruals, fleetWake } from '../../domain/fleet/summary.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import { sweepWakes } from '../../domain/sight/sight.ts';
import type { Instant } from '../../domain/time.ts';
import { put } from '../commit/commit.ts';
import { deliveryWakes, publicationWrites } from '../deliveries/wakes.ts';
import type { DecisionReads, Stored, Wake, World, Write } from '../ports.ts';
import { configurationAt, configurationIds } from '../settings/configuration.ts';

/** Records that a decision has read, with the revisions that its writes require. */
export type ReadRecords = DecisionReads & {
  /** Undefined: not read. */
  incident?: Stored<'incidents'> | null;
  targets: ReadonlyMap<string, Stored<'targets'> | null>;
  activity: ReadonlyMap<string, boolean>;
  /** A configuration that may be outdated. It only tells what to read together with the present one. */
  earlier?: Configuration | null;
};

export const nothingRead: ReadRecords = {
  alerts: new Map(),
  targets: new Map(),
  activity: new Map(),
  configuration: null,
};

/** The result of a decision: everything to be written, the records that it still needs, or an answer of its own. */
type Decide<Other> = (known: KnownRecords, given: DecisionContext) => Change | Needs | Other;

/** A change with its writes and wakes, and the records that it was decided by. */
export type ChangeWork = { kind: 'change'; change: Change; writes: Write[]; wakes: Wake[]; read: ReadRecords };

/**
 * Makes a pure decision: reads the records that it needs and asks again, until it returns the change.
 * @param at the time by which it decides
 */
export async function decided<Other extends { kind: string } = never>(
  world: World,
  read: ReadRecords,
  at: Instant,
  decide: Decide<Other>,
): Promise<ChangeWork | Exclude<Other, Change | Needs>> {
  let known = read;
  for (;;) {
    const given = { at, recordedAt: world.now(), waits: world.waits, drill: world.drill ?? null };
    const outcome = decide(knownOf(known), given);
    if (isNeeds(outcome)) known = await readMore(world, known, outcome);
    else if (isChange(outcome) && needsPresent(outcome, known)) known = await readMore(world, known, nothingNeeded);
    else if (isChange(outcome))
      return { kind: 'change', change: outcome, ...writesOf(world, outcome, known), read: known };
    else return outcome as Exclude<Other, Change | Needs>;
  }
}

function isNeeds(outcome: { kind: string }): outcome is Needs {
  return outcome.kind === 'needs';
}

function isChange(outcome: { kind: string }): outcome is Change {
  return outcome.kind === 'change';
}

const nothingNeeded: Needs = { kind: 'needs', alerts: [], targets: [] };

/** Whether a change of alerts was decided by an earlier configuration. */
function needsPresent({ alerts }: Change, { configuration }: ReadRecords): boolean {
  return alerts.length > 0 && configuration === null;
}

function knownOf({ device, incident, alerts, targets, activity, ...read }: ReadRecords): KnownRecords {
  const configuration = read.configuration ?? read.earlier ?? null;
  return {
    ...{ configuration, activity, alerts: dataOf(alerts), targets: dataOf(targets) },
    ...(device === undefined ? {} : { device: device?.data ?? null }),
    ...(incident === undefined ? {} : { incident: incident?.data ?? null }),
  };
}

function dataOf<T>(stored: ReadonlyMap<string, { data: T } | null>): Map<string, T | null> {
  return new Map([...stored].map(([id, found]) => [id, found?.data ?? null]));
}

/** Reads the needed records, and the configuration with the first of them. */
async function readMore({ store }: World, read: ReadRecords, needs: Needs): Promise<ReadRecords> {
  const revisions = read.configuration ? { revisions: [] } : configurationIds;
  const lines = needs.activity ?? [];
  // Activity entries alone need no configuration.
  if (needs.alerts.length === 0 && needs.targets.length === 0 && lines.length > 0) {
    const written = await store.get('activity', lines);
    return { ...read, activity: new Map([...read.activity, ...named(lines, written.map(isThere))]) };
  }
  const found = await store.getMany({
    ...{ alerts: needs.alerts, targets: needs.targets, activity: lines, ...revisions },
    devices: needs.device === undefined ? [] : [needs.device],
    incidents: needs.incident === undefined ? [] : [needs.incident],
  });
  const configuration = read.configuration ?? (await configurationAt(store, found.revisions[0] ?? null));
  return {
    ...read,
    ...(needs.device === undefined ? {} : { device: found.devices[0] ?? null }),
    ...(needs.incident === undefined ? {} : { incident: found.incidents[0] ?? null }),
    configuration,
    alerts: new Map([...read.alerts, ...named(needs.alerts, found.alerts)]),
    targets: new Map([...read.targets, ...named(needs.targets, found.targets)]),
    activity: new Map([...read.activity, ...named(lines, found.activity.map(isThere))]),
  };
}

function named<T>(ids: readonly string[], found: readonly T[]): [string, T][] {
  return ids.flatMap((id, index) => (index in found ? [[id, found[index] as T]] : []));
}

function isThere(found: unknown): boolean {
  return found !== null;
}

/** Turns a change into the writes of one commit and the wakes after it. All decisions on devices and alerts become records here. */
function writesOf({ now, waits }: World, change: Change, read: ReadRecords): { writes: Write[]; wakes: Wake[] } {
  const { device, alerts, sightings, renames, entries, activity, deliveries, counters } = change;
  const fleet = fleetOf(change, read);
  const writes: Write[] = [
    ...(device ? [put('devices', device.deviceId, device, read.device ?? null)] : []),
    ...alerts.map((alert) => put('alerts', alert.alertId, alert, read.alerts.get(alert.alertId) ?? null)),
    ...sightings.map(({ alertId: id, finding, at, times }): Write => {
      return { kind: 'patch', in: 'alerts', id, set: { ...finding, lastSeenAt: at }, add: { occurrences: times } };
    }),
    ...renames.map(renameWrite),
    ...entries.map((data): Write => ({ kind: 'create', in: 'audit', id: data.entryId, data })),
    ...publicationWrites(change),
    ...counters.map((counter): Write => ({ kind: 'accrue', in: 'trendCounters', ...counter })),
    ...activity.map(activityWrite),
    ...fleet.map((accrual): Write => ({ kind: 'accrue', in: 'fleetCounters', ...accrual })),
  ];
  const wakes: Wake[] = [...deliveryWakes(deliveries), ...(fleet.length > 0 ? [fleetWake(now(), waits)] : [])];
  for (const { alertId: id, version, dueAt } of alerts) if (dueAt) wakes.push({ in: 'alerts', id, version, dueAt });
  if (device?.dueAt && device.dueAt !== read.device?.data.dueAt) {
    wakes.push({ in: 'devices', id: device.deviceId, version: device.version, dueAt: device.dueAt });
  }
  const isLost = device?.isOnline === false && read.device?.data.isOnline === true;
  if (isLost || alerts.some(({ awaitsLook }) => awaitsLook)) wakes.push(...sweepWakes(now(), waits));
  return { writes, wakes };
}

/** What the change adds to the counters of the fleet. All of it belongs to one device. */
function fleetOf({ device, alerts }: Change, read: ReadRecords): FleetAccrual[] {
  const deviceId = device?.deviceId ?? alerts[0]?.deviceId;
  if (deviceId === undefined) return [];
  const before = read.device?.data ?? null;
  const pairs = alerts.map((alert) => [read.alerts.get(alert.alertId)?.data ?? null, alert] as const);
  return fleetAccruals(deviceId, device ? [before, device] : [null, null], pairs);
}

function renameWrite({ alertId: id, ...set }: Rename): Write {
  return { kind: 'patch', in: 'alerts', id, set };
}

export function activityWrite(entry: ActivityEntry): Write {
  return { kind: 'create', in: 'activity', id: entry.entryId, data: entry };
}
