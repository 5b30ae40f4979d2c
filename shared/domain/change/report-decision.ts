import type { Report } from '../../schema/device/report.ts';
import type { AlertOrder, Cause } from '../alert/orders.ts';
import { reconcile } from '../alert/reconcile.ts';
import { absorb, eventIdOf } from '../device/absorb.ts';
import { type ActivityEntry, activityOf, withinBudget } from '../device/activity.ts';
import type { Device } from '../device/device.ts';
import { patienceOf, type ReportingSettings, silentAtOf } from '../device/patience.ts';
import { darkAtOf, placeKeysOf } from '../device/places.ts';
import { standingLoss, withoutAnswered } from '../device/presence.ts';
import { forgedReason, withAttempt } from '../device/security-facts.ts';
import { seenAt, withFaults } from '../device/sighting.ts';
import { keyOf, stampOf } from '../device/stamp.ts';
import { guardianAlertIdOf } from '../guardian/facts.ts';
import type { Waits } from '../limits.ts';
import { isSame } from '../same.ts';
import { earliest, type Instant, latest, msBetween } from '../time.ts';

/** What a report or a due time does to a device. */
export type DeviceDecision = {
  device: Device;
  orders: AlertOrder[];
  /** Who did it: what time alone brings is not the device's doing. */
  who: 'device' | 'system';
  activity: ActivityEntry[];
  /** The time that the decision was made by: never earlier than that of the decision before it. */
  at: Instant;
  isStale: boolean;
  /** Sections could not be read, for a reason that is to be recorded now. */
  isFaultNews?: boolean;
  /** Whether anything changed beyond a sign of life. */
  isWorthWriting: boolean;
};

/**
 * Decides what a report does: its facts are put to the device's, and its conditions held against the open alerts.
 * @param reporting null: not known, and the patience with the device stays as it is
 */
export function decideReport(
  before: Device,
  report: Report,
  waits: Waits,
  reporting: ReportingSettings | null = null,
): DeviceDecision {
  const faulty = withFaults(before, report);
  const absorbed = absorb(faulty.device, report, waits);
  const patience = reporting ? patienceOf(absorbed.device, reporting) : before.patience;
  const id = causeOf(report);
  const isUpdate = !absorbed.isRepeat && isConfigurationUpdate(before, report);
  const decided = decideAt(
    { ...absorbed.device, ...leaving(before, absorbed.device), patience },
    {
      id,
      fresh: absorbed.fresh,
      publishedAt: report.receivedAt,
      ...(isUpdate ? { informational: configurationUpdated } : {}),
    },
    report.receivedAt,
    waits,
  );
  const entry = activityOf(report, absorbed, id);
  const isTelling = decided.orders.some(({ kind }) => kind !== 'sight');
  const counted = before.activityCount ?? null;
  const { activity, count } = entry ? withinBudget(entry, counted, isTelling) : { activity: [], count: counted };
  const isEventful = decided.orders.length > 0 || activity.length > 0;
  return {
    ...decided,
    device: count === counted ? decided.device : { ...decided.device, activityCount: count },
    who: 'device',
    activity,
    isStale: absorbed.isStale,
    isFaultNews: faulty.isNews,
    isWorthWriting: isEventful || isWorthWriting(before, decided.device, waits),
  };
}

/** What ended in a group stays there: it does not return to it once the device has left. */
function leaving(before: Device, after: Device): Partial<Device> {
  return before.groupId === after.groupId ? {} : { ended: {} };
}

/** Told by an event, or by a guardian whose camera has taken a golden configuration of a higher generation. */
function isConfigurationUpdate({ guardianTrust }: Device, report: Report): boolean {
  if (report.kind === 'event') return report.body.type === 'config_updated';
  const before = guardianTrust?.health?.goldenGeneration ?? null;
  return report.kind === 'guardian-health' && before !== null && (report.body.goldenGeneration ?? 0) > before;
}

/** Decides what a message does that somebody else than the guardian has made: it is an attempt on the device, and no sign of life. */
export function decideForged(before: Device, { messageId, receivedAt }: Report, waits: Waits): DeviceDecision {
  const key = `forged ${messageId}`;
  const attempt = { key, at: receivedAt, expectedHost: null, attemptedHost: null, reason: forgedReason };
  const isSettled = before.settledAttempts.includes(key);
  const attempts = isSettled ? null : withAttempt(before.attempts, attempt);
  const decided = decideAt(
    { ...before, attempts: attempts ?? before.attempts },
    { id: key, fresh: attempts ? ['attempt'] : [] },
    receivedAt,
    waits,
  );
  return { ...decided, who: 'system', activity: [], isStale: false, isWorthWriting: attempts !== null };
}

const configurationUpdated = { code: 'CFG_004', message: 'Configuration updated successfully' } as const;

/** Decides what the passing of time alone does. `horizon`: nothing that was published up to then is missing; null: that is not known. */
export function decideDue(before: Device, now: Instant, horizon: Instant | null, waits: Waits): DeviceDecision {
  const at = earliest([before.dueAt, before.absentAt]) ?? now;
  const decided = decideAt(withHorizon(before, horizon), { id: `due ${at}`, fresh: [] }, now, waits);
  const { dueAt, absentAt } = decided.device;
  const isWorthWriting = decided.orders.length > 0 || dueAt !== before.dueAt || absentAt !== before.absentAt;
  return { ...decided, who: 'system', activity: [], isStale: false, isWorthWriting };
}

/** Decides what a message shows that cannot be read: its device lives. */
export function decideSeen(before: Device, { at, id }: { at: Instant; id: string }, waits: Waits): DeviceDecision {
  const decided = decideAt(seenAt(before, at, true), { id, fresh: [] }, at, waits);
  const isWorth = decided.orders.length > 0 || isWorthWriting(before, decided.device, waits);
  return { ...decided, who: 'device', activity: [], isStale: false, isWorthWriting: isWorth };
}

/**
 * Decides that a device which was due to report by `silentAt` has fallen silent: no report of it is missing up to the horizon. Unless it may be
 * silent by the settings of now.
 */
export function decideSilent(
  before: Device,
  now: Instant,
  horizon: Instant,
  waits: Waits,
  reporting: ReportingSettings = {},
): DeviceDecision {
  const patient = { ...before, patience: patienceOf(before, reporting) };
  const dueAt = silentAtOf(patient, waits);
  const isSilent = dueAt !== null && dueAt <= horizon;
  const silentSince = isSilent ? (before.silentAt ?? now) : before.silentSince;
  const cause = { id: `silent ${silentSince}`, fresh: [] };
  return {
    ...decideAt(withHorizon({ ...patient, silentSince }, horizon), cause, now, waits),
    who: 'system',
    activity: [],
    isStale: false,
    isWorthWriting: true,
  };
}

function withHorizon(device: Device, horizon: Instant | null): Device {
  return { ...device, horizonAt: latest(device.horizonAt, horizon) };
}

function decideAt(
  device: Device,
  cause: Cause,
  at: Instant,
  waits: Waits,
): Pick<DeviceDecision, 'device' | 'orders' | 'at'> {
  const now = latest(device.decidedAt, at) ?? at;
  const presence = withoutAnswered(device.presence, device.aliveAt, waits);
  const isOnline = device.silentSince === null && standingLoss(presence, device.aliveAt, waits) === null;
  const next = { ...device, presence, isOnline, decidedAt: now, places: placeKeysOf(device) };
  const { device: reconciled, orders } = reconcile(next, cause, now, waits);
  const silentAt = isOnline ? silentAtOf(reconciled, waits) : null;
  return { device: { ...reconciled, silentAt, darkAt: darkAtOf(reconciled, waits) }, orders, at: now };
}

/** The same report delivered or sent again is the same cause. */
function causeOf(report: Report): string {
  switch (report.kind) {
    case 'status':
      return keyOf(stampOf(report));
    case 'event':
      return eventIdOf(report);
    case 'guardian':
      return guardianAlertIdOf(report.deviceId, report.body);
    case 'guardian-health':
      return `${report.envelope?.epoch} ${report.envelope?.seq}`;
    case 'connection':
    case 'detection':
      return report.messageId;
    default:
      return report satisfies never;
  }
}

/**
 * A report that only shows that the device is alive need not be written each time: `lastSeenAt` is coarse. One that comes right
 * behind another is written all the same, since in a burst a late one may follow and must find its place.
 */
function isWorthWriting(before: Device, after: Device, waits: Waits): boolean {
  if (before.lastSeenAt === null || after.lastSeenAt === null) return !isSame(before, after);
  const sinceWritten = msBetween(before.lastSeenAt, after.lastSeenAt);
  if (sinceWritten >= waits.lastSeenCoarse) return true;
  return !(sinceWritten >= waits.burst ? isAlike(before, after) : isSame(before, after));
}

/** Members that each report may change: readings, times of sight and the bookkeeping of disorder. What of them lasts is told by `standing`. */
const passing: ReadonlySet<string> = new Set<keyof Device>([
  'lastSeenAt',
  'aliveAt',
  'silentAt',
  'darkAt',
  'decidedAt',
  'measures',
  'newest',
  'lastLate',
  'toldBy',
  'certificate',
  'clockSkewSeconds',
]);

/** Whether two states differ by no more than what passes. */
function isAlike(a: Device, b: Device): boolean {
  const names = Object.keys(a) as (keyof Device)[];
  return names.every((name) => passing.has(name) || isSame(a[name], b[name])) && isSame(standing(a), standing(b));
}

/** A stamp that is only newer and a clock that drifts on change nothing. */
function standing({ certificate: { validity, expiry }, clockSkewSeconds }: Device): unknown[] {
  return [validity?.isValid, validity?.reason, expiry?.notAfter, clockSkewSeconds === null];
}
