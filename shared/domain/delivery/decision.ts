import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import { mayUndo, undoFor } from '../undo.ts';
import type { Attempt, Delivery, SendOutcome } from './delivery.ts';
import { nextAttemptAt } from './retry-schedule.ts';

/** Attempts that a record keeps. Each may hold 16 KiB of a receiver's answer, and a record holds at most 1 MiB. */
const attemptsKept = 20;

/** The delivery while one process makes an attempt. If that process dies, the delivery is due again at the end of the lease. */
export function leased(delivery: Delivery, now: Instant, leaseMs: number): Delivery {
  const leasedUntil = plus(now, leaseMs);
  return { ...delivery, leasedUntil, dueAt: leasedUntil, version: delivery.version + 1 };
}

/** The delivery when an attempt was not made: it is due at another time, and no attempt is counted. */
export function postponed(delivery: Delivery, dueAt: Instant): Delivery {
  return { ...delivery, leasedUntil: null, dueAt, version: delivery.version + 1 };
}

/** Whether an attempt to send a mail with files was cut off, so that nobody knows whether the mail has left. It must not arrive twice. */
export function isUnsure({ attached, leasedUntil }: Delivery): boolean {
  return attached !== undefined && leasedUntil !== null;
}

/** The delivery while it waits for a person. */
export function held(delivery: Delivery, heldReason: string): Delivery {
  return { ...ended(delivery), status: 'held', heldReason };
}

/**
 * The delivery after an attempt: delivered; due again, by the schedule or because its hand-off wants it repeated; failed, after the last attempt or
 * where another one cannot help; or held where the target wants no more. An attempt that returns after somebody has ended the delivery is only
 * recorded, unless it succeeded: then the delivery counts as delivered.
 */
export function afterAttempt(delivery: Delivery, outcome: SendOutcome, attempt: Attempt, waits: Waits): Delivery {
  const { number, at, durationMs } = attempt;
  const endedAt = plus(at, durationMs);
  const noted: Delivery = {
    ...delivery,
    attempts: [...delivery.attempts, attempt].slice(-attemptsKept),
    attemptCount: Math.max(delivery.attemptCount, number),
  };
  if (outcome.errorClass === null && delivery.handoff?.isRepeated && delivery.status === 'pending') {
    const dueAt = plus(endedAt, waits.handoffRepeat);
    return { ...postponed(noted, dueAt), earlierAttempts: noted.attemptCount };
  }
  if (outcome.errorClass === null)
    return { ...ended(noted), status: 'delivered', finishedAt: endedAt, heldReason: null };
  if (delivery.status !== 'pending') return noted;
  if (outcome.isGone) return held(noted, 'The receiver wants no more (410 Gone).');
  const failed = noted.attemptCount - noted.earlierAttempts;
  if (!outcome.isRetryable || failed >= noted.maxAttempts) {
    return { ...ended(noted), status: 'failed', finishedAt: endedAt };
  }
  const { retryAfterMs } = outcome;
  return postponed(noted, nextAttemptAt(failed, endedAt, { jitter: jitterOf(delivery, number), retryAfterMs }, waits));
}

/** A new round of attempts of the same delivery, the first one at once. Null where the present round is not over. */
export function redelivered(delivery: Delivery, now: Instant): Delivery | null {
  if (delivery.status === 'pending') return null;
  return {
    ...delivery,
    status: 'pending',
    heldReason: null,
    finishedAt: null,
    undo: null,
    dismissedReason: null,
    digestId: null,
    earlierAttempts: delivery.attemptCount,
    leasedUntil: null,
    dueAt: now,
    version: delivery.version + 1,
  };
}

/** A delivery that nobody needs: it is no longer true, or a digest replaces it. */
export function droppedFor(
  delivery: Delivery,
  dismissedReason: 'overtaken' | 'digest',
  digestId: string | null,
  now: Instant,
): Delivery {
  return { ...ended(delivery), status: 'dismissed', dismissedReason, digestId, finishedAt: now };
}

/** The delivery after a person dismissed it. Null where nothing can be dismissed. */
export function dismissed(delivery: Delivery, who: string, now: Instant): Delivery | null {
  const { status, heldReason, finishedAt } = delivery;
  if (status !== 'failed' && status !== 'held') return null;
  const undo = { ...undoFor(who, now), before: { status, heldReason, finishedAt } };
  return { ...ended(delivery), status: 'dismissed', finishedAt: now, undo };
}

/** The delivery before its dismissal. Null where nobody dismissed it, or where `who` can no longer undo it. */
export function restored(delivery: Delivery, who: string, now: Instant): Delivery | null {
  const { status, undo } = delivery;
  if (status !== 'dismissed' || !undo || !mayUndo(undo, who, now)) return null;
  return { ...ended(delivery), ...undo.before, undo: null };
}

function ended(delivery: Delivery): Delivery {
  return { ...delivery, leasedUntil: null, dueAt: null, version: delivery.version + 1 };
}

/**
 * A number from 0 to 1 that spreads deliveries that failed or waited together. The same delivery and number always give the same result.
 */
export function jitterOf({ deliveryId }: Pick<Delivery, 'deliveryId'>, number: number): number {
  let hash = number;
  for (const char of deliveryId) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
  return hash / 2 ** 32;
}
