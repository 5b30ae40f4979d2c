import type { Report } from '../../schema/device/report.ts';
import type { AlertOrder, Cause } from '../alert/orders.ts';
import { pastLossDueAt } from '../alert/past-losses.ts';
import { reconcile } from '../alert/reconcile.ts';
import { absorb } from '../device/absorb.ts';
import { type ActivityEntry, activityOf, withinBudget } from '../device/activity.ts';
import { type Device, judgedBy } from '../device/device.ts';
import { darkAtOf, placeKeysOf } from '../device/places.ts';
import {
  type DeviceSettings,
  silentAtOf,
  standingLoss,
  wasEverHeard,
  wasSeen,
  withoutAnswered,
} from '../device/presence.ts';

import { forgedReason, withAttempt } from '../device/security-facts.ts';
import { seenAt, withFaultKeys, withFaults, withSighting } from '../device/sighting.ts';
import { countedFrom, unguardedAtOf } from '../guardian/guarding.ts';
import type { Waits } from '../limits.ts';
import { isNewsOf, type Sightings, seenAs, withReport, withSignOfLife } from '../sight/sightings.ts';
import { earliest, type Instant, latest, msBetween } from '../time.ts';
import {
  causeOf,
  forgedSort,
  isOnlyText,
  isWorthWriting,
  sortOf,
  tellingMore,
  withinTextBudget,
} from './text-budget.ts';

/** What a report or a due time does to a device. */
export type DeviceDecision = {
  device: Device;
  orders: AlertOrder[];
  /** Who caused the change. What only time causes is not an action of the device. */
  who: 'device' | 'system';
  activity: ActivityEntry[];
  /** The time by which the decision was made. It is never earlier than the time of the decision before it. */
  at: Instant;
  isStale: boolean;
  /** Sections of the report could not be read, and the reason must be recorded now. */
  isFaultNews?: boolean;
  /**
   * Whether the device is written. A report that only shows that the device is alive is written at most once in `lastSeenCoarse`, except in a burst.
   */
  isWorthWriting: boolean;
  /** `this`: it changes only texts, and its device has used up its budget of such changes: it is only counted. `told`: it tells the earlier counts. */
  counted?: 'this' | 'told';
};

/** How many messages of the same sort were only counted since the last one that was decided, and the time by which the budget is judged. */
export type ReportTally = { more: number; at: Instant };

/**
 * Decides what a report does: adds its facts to the device, then compares its conditions with the open alerts.
 * @param reporting null: not known, and the device keeps its present patience
 */
export function decideReport(
  before: Device,
  report: Report,
  waits: Waits,
  reporting: DeviceSettings | null = null,
  counted: ReportTally = { more: 0, at: report.receivedAt },
): DeviceDecision {
  const decision = decideFully(before, report, waits, reporting);
  return withinTexts(before, report, decision, { ...counted, sort: sortOf(report) }, waits);
}

/** A decision as far as the budget of the device allows it. What is over it only shows that the device is alive. */
function withinTexts(
  before: Device,
  report: Report,
  decision: DeviceDecision,
  { sort, more, at }: ReportTally & { sort: string | null },
  waits: Waits,
): DeviceDecision {
  const { device, orders, isWorthWriting } = decision;
  if (sort === null || !isWorthWriting) return decision;
  if (!isOnlyText(before, device, orders)) return tellingMore(decision, report, sort, more);
  const texts = withinTextBudget(before.texts, sort, at, more, waits);
  if (texts === null) return overBudget(before, report, waits);
  return tellingMore({ ...decision, device: { ...device, texts } }, report, sort, more);
}

function overBudget(before: Device, report: Report, waits: Waits): DeviceDecision {
  const { messageId: id, receivedAt: at } = report;
  const isAlive = withSighting(before, report).lastSeenAt !== before.lastSeenAt;
  const unchanged = { device: before, orders: [], activity: [], at, isStale: false, isWorthWriting: false };
  if (!isAlive) return { ...unchanged, who: 'device', counted: 'this' };
  const seen = decideSeen(before, { at, id }, waits);
  // A flood is a burst whose order does not matter.
  const isDue = before.lastSeenAt === null || msBetween(before.lastSeenAt, at) >= waits.lastSeenCoarse;
  return { ...seen, isWorthWriting: isDue || seen.orders.length > 0, counted: 'this' };
}

function decideFully(before: Device, report: Report, waits: Waits, reporting: DeviceSettings | null): DeviceDecision {
  const faulty = withFaults(before, report, waits);
  const absorbed = absorb(faulty.device, report, waits);
  const judged = reporting ? judgedBy(absorbed.device, reporting) : absorbed.device;
  const id = causeOf(report);
  const isUpdate = !absorbed.isRepeat && isConfigurationUpdate(before, report);
  const decided = decideAt(
    {
      ...judged,
      ...leaving(before, absorbed.device, report.receivedAt),
      sightings: withReport(before, report, false, waits),
    },
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
  const counted = before.activityCount;
  const { activity, count } = entry ? withinBudget(entry, counted, isTelling) : { activity: [], count: counted };
  const isEventful = decided.orders.length > 0 || activity.length > 0;
  const isWorth = isEventful || isWorthWriting(before, decided.device, waits);
  const sightings = withReport(before, report, isWorth, waits);
  return {
    ...decided,
    device: { ...withSightings(decided.device, sightings, waits), activityCount: count },
    who: 'device',
    activity,
    isStale: absorbed.isStale,
    isFaultNews: faulty.isNews,
    isWorthWriting: isWorth || isNewsOf(before, sightings),
  };
}

/**
 * What a report changes that moves the device to another group: alerts that ended in the old group cannot return in the new one, and the guardian's
 * missing health messages count from now on. Only an unassigned device moves so: its time before was nobody's, and goes to its group.
 */
function leaving(before: Device, after: Device, at: Instant): Partial<Device> {
  return before.groupId === after.groupId ? {} : { ended: {}, guardianTrust: countedFrom(after.guardianTrust, at) };
}

/**
 * Whether a report announces a new configuration: by an event, or by a guardian whose camera now has a golden configuration of a higher
 * generation.
 */
function isConfigurationUpdate({ guardianTrust }: Device, report: Report): boolean {
  if (report.kind === 'event') return report.body.type === 'config_updated';
  const before = guardianTrust?.health?.goldenGeneration ?? null;
  return report.kind === 'guardian-health' && before !== null && (report.body.goldenGeneration ?? 0) > before;
}

/**
 * Decides what a message does that claims to come from the guardian but was made by somebody else: it counts as an attempted attack, not as a sign of
 * life.
 */
export function decideForged(
  before: Device,
  report: Report,
  waits: Waits,
  counted: ReportTally = { more: 0, at: report.receivedAt },
): DeviceDecision {
  const { messageId, receivedAt } = report;
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
  const isWorthWriting = attempts !== null;
  const decision: DeviceDecision = { ...decided, who: 'system', activity: [], isStale: false, isWorthWriting };
  return withinTexts(before, report, decision, { ...counted, sort: forgedSort }, waits);
}

const configurationUpdated = { code: 'CFG_004', message: 'Configuration updated successfully' } as const;

/**
 * Decides what the passing of time does. `horizon`: no report published before it is missing; null: the horizon is unknown.
 * @param clearSince when the horizon last went on after it had stood still. Absent: losses that are over are not judged
 */
export function decideDue(
  before: Device,
  now: Instant,
  horizon: Instant | null,
  waits: Waits,
  clearSince?: Instant | null,
): DeviceDecision {
  const at = earliest([before.dueAt, before.absentAt]) ?? now;
  const decided = decideAt(
    withHorizon(before, horizon),
    { id: `due ${at}`, fresh: [], ...(clearSince === undefined ? {} : { clearSince }) },
    now,
    waits,
  );
  const { dueAt, absentAt } = decided.device;
  const isWorthWriting = decided.orders.length > 0 || dueAt !== before.dueAt || absentAt !== before.absentAt;
  return { ...decided, who: 'system', activity: [], isStale: false, isWorthWriting };
}

/** Decides what an unreadable message does: it shows only that its device is alive. */
export function decideSeen(before: Device, { at, id }: { at: Instant; id: string }, waits: Waits): DeviceDecision {
  const decided = decideAt(seenAt(before, at, true), { id, fresh: [] }, at, waits);
  const isWorth = decided.orders.length > 0 || isWorthWriting(before, decided.device, waits);
  const sightings = withSignOfLife(before, at, isWorth, waits);
  const device = withSightings(decided.device, sightings, waits);
  return {
    ...decided,
    device,
    who: 'device',
    activity: [],
    isStale: false,
    isWorthWriting: isWorth || isNewsOf(before, sightings),
  };
}

/**
 * Decides that a device is silent: it had to report by `silentAt`, and no report is missing up to the horizon. It does not count as silent if the
 * present settings allow its silence.
 */
export function decideSilent(
  before: Device,
  now: Instant,
  horizon: Instant,
  waits: Waits,
  reporting: DeviceSettings = {},
): DeviceDecision {
  const patient = judgedBy(before, reporting);
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

/** The device with its sightings. A loss that they show as over is judged when the horizon has passed its end. */
function withSightings(device: Device, sightings: Sightings, waits: Waits): Device {
  const seen = seenAs(device, sightings);
  return seen === device ? device : { ...seen, absentAt: earliest([seen.absentAt, pastLossDueAt(seen, waits)]) };
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
  const wasHeard = wasEverHeard(device);
  const isAwaited = wasHeard && device.silentSince === null && standingLoss(presence, device.aliveAt, waits) === null;
  const isOnline = isAwaited && wasSeen(device);
  const isBack = isOnline && !device.isOnline;
  const guardianTrust = isBack ? countedFrom(device.guardianTrust, now) : device.guardianTrust;
  const placed = {
    ...device,
    presence,
    wasHeard,
    isOnline,
    guardianTrust,
    decidedAt: now,
    places: placeKeysOf(device),
  };
  const next = withFaultKeys(placed, waits);
  const { device: reconciled, orders } = reconcile(next, cause, now, waits);
  const silentAt = isAwaited ? silentAtOf(reconciled, waits) : null;
  const unguardedAt = unguardedAtOf(reconciled, waits);
  return { device: { ...reconciled, silentAt, darkAt: darkAtOf(reconciled, waits), unguardedAt }, orders, at: now };
}
