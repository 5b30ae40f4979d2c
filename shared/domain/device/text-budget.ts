import type { Report } from '../../schema/device/report.ts';
import type { AlertOrder } from '../alert/orders.ts';
import { unhealedOf } from '../guardian/facts.ts';
import type { Waits } from '../limits.ts';
import { isSame } from '../same.ts';
import { type Instant, msBetween } from '../time.ts';
import type { Device } from './device.ts';

/*
 * A device may cause a few decisions a minute that change only texts, and then one a minute: the rest is counted. What opens, ends or worsens an alert, and
 * what changes any other fact, is never counted but decided. Each sort of message has a budget of its own, so that none uses up that of another.
 */

/** Changes of text of one sort that are decided in the minute that begins at `from`: how many more. */
export type TextBudget = Partial<Record<string, { from: Instant; left: number }>>;

/** Changes of text that are decided in a minute before the device is held to one. */
const mostInMinute = 10;

/** Events whose budgets are kept apart. All other events share one. */
const knownEvents: ReadonlySet<string> = new Set([
  'certificate_validation_failed',
  'unauthorized_broker_attempt',
  'config_updated',
]);

/**
 * The sort of a message whose repetition may be counted. Null: it is always decided: detections; connections, which are states; and what a guardian
 * signed, because each number of it must be known.
 */
export function sortOf({ kind, body, envelope }: Report): string | null {
  if (envelope) return null;
  if (kind === 'event') return knownEvents.has(body.type) ? body.type : kind;
  return kind === 'status' || kind === 'guardian' ? kind : null;
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
  const { from = null, left = mostInMinute } = budget[sort] ?? {};
  if (from !== null && msBetween(from, at) < waits.textWindow) {
    return left > 0 ? { ...budget, [sort]: { from, left: left - 1 } } : null;
  }
  return { ...budget, [sort]: { from: at, left: more > 0 ? 0 : mostInMinute - 1 } };
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
