import type { Report } from '../../schema/device/report.ts';
import type { AlertOrder } from '../alert/orders.ts';
import { eventIdOf } from '../device/absorb.ts';
import type { ActivityEntry } from '../device/activity.ts';
import { moreOf } from '../device/activity.ts';
import type { Device, TextBudget } from '../device/device.ts';
import { keyOf, stampOf } from '../device/measure.ts';
import { guardianAlertIdOf, unhealedOf } from '../guardian/facts.ts';
import type { Waits } from '../limits.ts';
import { isSame } from '../same.ts';
import { type Instant, msBetween } from '../time.ts';

/*
 * A device may cause a few decisions a minute that change only texts, and then one a minute: the rest is counted. What opens, ends or worsens an alert, and
 * what changes any other fact, is never counted but decided. Each sort of message has a budget of its own, so that none uses up that of another.
 */

/** Changes of text that are decided in a minute before the device is held to one. A camera that reports each change may say much, and each report may come several times. */
const mostInMinute = { status: 40, others: 10 };

/** Events whose budgets are kept apart. All other events share one. */
const knownEvents: ReadonlySet<string> = new Set([
  'certificate_validation_failed',
  'unauthorized_broker_attempt',
  'config_updated',
]);

/**
 * The sort of a message whose repetition may be counted. Null: it is always decided: detections; connections, which are states; and a guardian's,
 * because each of its alerts is listed.
 */
export function sortOf({ kind, body }: Report): string | null {
  if (kind === 'event') return knownEvents.has(body.type) ? body.type : kind;
  return kind === 'status' ? kind : null;
}

/** The sort of messages that somebody else sent in the name of the device's guardian. */
export const forgedSort = 'forged';

/** The budget after one more change of text. Null: it is used up. @param more changes that have been counted since the last one that was decided */
export function withinTextBudget(
  budget: TextBudget,
  sort: string,
  at: Instant,
  more: number,
  waits: Waits,
): TextBudget | null {
  const most = sort === 'status' ? mostInMinute.status : mostInMinute.others;
  const { from = null, left = most } = budget[sort] ?? {};
  if (from !== null && msBetween(from, at) < waits.textWindow) {
    return left > 0 ? { ...budget, [sort]: { from, left: left - 1 } } : null;
  }
  return { ...budget, [sort]: { from: at, left: more > 0 ? 0 : most - 1 } };
}

/** Members that a change of text may change. Those that are judged in parts are in `facts`. */
const texts: ReadonlySet<string> = new Set<keyof Device>([
  ...(['name', 'model', 'serial', 'firmware', 'ip', 'brokerHost', 'reconnectAttempts', 'clockSkewSeconds'] as const),
  ...(['labels', 'statedBy', 'unreadable', 'unreadableAt', 'faultKeys', 'events', 'attempts', 'certificate'] as const),
  ...(['guardian', 'guardianTrust', 'measures', 'newest', 'lastLate', 'lastSeenAt', 'aliveAt', 'silentAt'] as const),
  ...(['decidedAt', 'horizonAt', 'dueAt', 'absentAt', 'darkAt', 'activityCount', 'sightings', 'unguardedAt'] as const),
]);

/** Whether a decision changes only texts: no alert and no other fact. */
export function isOnlyText(before: Device, after: Device, orders: readonly AlertOrder[]): boolean {
  const names = Object.keys(after) as (keyof Device)[];
  return (
    before.version > 0 &&
    orders.every(isRepetition) &&
    names.every((name) => texts.has(name) || isSame(before[name], after[name])) &&
    isSame(facts(before), facts(after))
  );
}

function isRepetition(order: AlertOrder): boolean {
  if (order.kind === 'open') return order.seed.code === 'CFG_004';
  return order.kind === 'sight' || (order.kind === 'see' && !order.isWorse);
}

function facts({ certificate: { validity, expiry }, guardian, guardianTrust }: Device): unknown[] {
  const { fields, failures } = unhealedOf(guardian);
  const unhealed = fields.map(({ name, isCritical }) => `${name} ${isCritical}`).toSorted();
  return [validity?.isValid, validity?.isSettled, expiry?.notAfter, unhealed, failures, guardianTrust?.publicKey];
}

/** A decision that also says how many messages of its sort were only counted. */
export function tellingMore<D extends { device: Device; orders: AlertOrder[]; activity: ActivityEntry[] }>(
  decision: D,
  report: Report,
  sort: string,
  more: number,
): D & { counted?: 'told' } {
  if (more === 0) return decision;
  // Not every report of a status was a sighting of each condition.
  const orders = sort === 'status' ? decision.orders : decision.orders.map((order) => withMore(order, more));
  const activity = [...decision.activity, moreOf(decision.device, report, sort, more)];
  return { ...decision, orders, activity, counted: 'told' };
}

function withMore(order: AlertOrder, more: number): AlertOrder {
  if (order.kind === 'sight') return { ...order, more };
  return order.kind === 'see' ? { ...order, more, why: `${order.why} (and ${more} more in the last minute)` } : order;
}

/** A report that is delivered again or sent again is the same cause. */
export function causeOf(report: Report): string {
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
 * A report that only shows that the device is alive is not written each time, since `lastSeenAt` has a coarse resolution. Reports that follow each
 * other closely are written, because a delayed one may still arrive and their order must be known.
 */
export function isWorthWriting(before: Device, after: Device, waits: Waits): boolean {
  if (before.lastSeenAt === null || after.lastSeenAt === null) return !isSame(before, after);
  const sinceWritten = msBetween(before.lastSeenAt, after.lastSeenAt);
  if (sinceWritten >= waits.lastSeenCoarse) return true;
  return !(sinceWritten >= waits.burst ? isAlike(before, after) : isSame(before, after));
}

/**
 * Members that every report may change: readings, times of sightings, the stamps that put reports in order, certificate and clock. A difference in
 * them does not count, except in the parts that `standing` returns.
 */
const passing: ReadonlySet<string> = new Set<keyof Device>([
  'lastSeenAt',
  'aliveAt',
  'silentAt',
  'darkAt',
  'decidedAt',
  'measures',
  'newest',
  'lastLate',
  'statedBy',
  'certificate',
  'clockSkewSeconds',
]);

/** Whether two states differ only in members that every report may change. */
function isAlike(a: Device, b: Device): boolean {
  const names = Object.keys(a) as (keyof Device)[];
  return names.every((name) => passing.has(name) || isSame(a[name], b[name])) && isSame(standing(a), standing(b));
}

/** The parts that count as a change. A newer stamp or a drifting clock does not. */
function standing({ certificate: { validity, expiry }, clockSkewSeconds }: Device): unknown[] {
  return [validity?.isValid, validity?.reason, expiry?.notAfter, clockSkewSeconds === null];
}
