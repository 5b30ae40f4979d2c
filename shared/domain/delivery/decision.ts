import type { Waits } from '../limits.ts';
import { type Instant, later, plus } from '../time.ts';
import { mayUndo, undoFor } from '../undo.ts';
import { type Attempt, type Delivery, nextAttemptAt, type Outcome, type SendOutcome } from './delivery.ts';

/** Rounds of one delivery. A record holds them all, because none may be forgotten, and at most 1 MiB. */
export const mostRounds = 10;
/** Characters of each answer that are kept of rounds before the present one. */
const excerptKept = 1000;
/** Attempts kept of one round. Only a message that a hand-off wants repeated makes more. */
const attemptsKept = 20;

/** The delivery while one process makes an attempt. If that process dies, the delivery is due again at the end of the lease. */
export function leased(delivery: Delivery, now: Instant, leaseMs: number): Delivery {
  const leasedUntil = plus(now, leaseMs);
  return { ...delivery, leasedUntil, dueAt: leasedUntil, version: delivery.version + 1 };
}

/** The delivery when an attempt was not made: it is due at another time, and no attempt is counted. */
export function postponed(delivery: Delivery, dueAt: Instant): Delivery {
  // An endpoint may keep its deliveries for less time than it tries.
  const expireAt = later(delivery.expireAt, plus(dueAt, dayMs));
  return { ...delivery, leasedUntil: null, dueAt, expireAt, version: delivery.version + 1 };
}

const dayMs = 24 * 60 * 60_000;

/** Whether an attempt to send a mail with files was cut off, so that nobody knows whether the mail has left. It must not arrive twice. */
export function isUnsure({ attached, leasedUntil }: Delivery): boolean {
  return attached !== undefined && leasedUntil !== null;
}

/** The delivery while it waits for a person. */
export function held(delivery: Delivery, heldReason: string): Delivery {
  return { ...ended(delivery), status: 'held', heldReason };
}

/**
 * `retryDelays`: seconds, where an endpoint has its own. `isCritical`: a message to people about something CRITICAL, which is repeated until it is no
 * longer true.
 */
export type RetryRules = { retryDelays?: readonly number[]; isCritical?: boolean };

/** A message whose attempts ended without an answer may have arrived each time: it is repeated so often at most. */
const mostUnknown = 3;

function mayRepeat({ attempts, round }: Delivery): boolean {
  const unknown = attempts.filter((each) => each.round === round.number && isUnknown(each));
  return unknown.length < mostUnknown;
}

/** Whether nobody knows what became of the request. */
export function isUnknown({ statusCode, errorClass }: Pick<Attempt, 'statusCode' | 'errorClass'>): boolean {
  return statusCode === null && (errorClass === 'timeout' || errorClass === 'connection_reset');
}

/**
 * The delivery after an attempt: delivered; due again, by the schedule or because its hand-off wants it repeated; failed, after the last attempt or
 * where another one cannot help; or held where the target wants no more. An attempt that returns after somebody has ended the delivery is only
 * recorded, unless it succeeded: then the delivery counts as delivered.
 */
export function afterAttempt(
  delivery: Delivery,
  outcome: SendOutcome,
  attempt: Attempt,
  waits: Waits,
  { retryDelays, isCritical = false }: RetryRules = {},
): Delivery {
  const { number, at, durationMs } = attempt;
  const endedAt = plus(at, durationMs);
  const noted: Delivery = {
    ...delivery,
    attempts: attemptsWith(delivery.attempts, attempt),
    attemptCount: Math.max(delivery.attemptCount, number),
  };
  if (delivery.status === 'delivered') return noted;
  if (outcome.errorClass === null && delivery.handoff?.isRepeated && delivery.status === 'pending') {
    const dueAt = plus(endedAt, waits.handoffRepeat);
    return { ...postponed(noted, dueAt), earlierAttempts: noted.attemptCount };
  }
  if (outcome.errorClass === null) {
    return { ...finished(noted, { status: 'delivered', reason: null, endedAt }), heldReason: null };
  }
  if (delivery.status !== 'pending') return noted;
  if (outcome.isGone) return held(noted, 'The receiver wants no more (410 Gone).');
  const failed = noted.attemptCount - noted.earlierAttempts;
  if (isCritical && outcome.isRetryable && failed >= noted.maxAttempts && mayRepeat(noted)) {
    const asked = Math.min(outcome.retryAfterMs ?? 0, waits.retryAfterCap);
    return postponed(noted, plus(endedAt, Math.max(waits.criticalRepeat, asked)));
  }
  if (!outcome.isRetryable || failed >= noted.maxAttempts) {
    return finished(noted, { status: 'failed', reason: null, endedAt });
  }
  const { retryAfterMs } = outcome;
  const delays = { jitter: jitterOf(delivery, number), retryAfterMs, ...(retryDelays ? { retryDelays } : {}) };
  return postponed(noted, nextAttemptAt(failed, endedAt, delays, waits));
}

/**
 * The delivery when it is sent again, at once: a further round beside the earlier ones, whose outcomes and attempts stay. One that has only waited
 * goes on in its round. Null where the present round is not over, or where it was the last one allowed.
 * @param by the subject that asks for it; null: the service
 */
export function redelivered(delivery: Delivery, by: string | null, now: Instant): Delivery | null {
  if (delivery.status === 'pending' || isSpent(delivery)) return null;
  const isOver = isRoundOver(delivery);
  return {
    ...delivery,
    ...(isOver ? nextRound(delivery, by, now) : {}),
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

/** Whether all rounds of the delivery have been used. */
export function isSpent(delivery: Delivery): boolean {
  return delivery.round.number >= mostRounds && isRoundOver(delivery);
}

function nextRound(
  delivery: Delivery,
  by: string | null,
  at: Instant,
): Pick<Delivery, 'round' | 'outcomes' | 'attempts'> {
  const { round, outcomes, attempts, status, heldReason, finishedAt } = delivery;
  const isNoted = outcomes.some(({ number }) => number === round.number);
  // What waited for a person, or was dismissed by one before it left, ends only now.
  const ending = {
    status: status === 'pending' ? 'held' : status,
    reason: heldReason,
    endedAt: finishedAt ?? at,
  } as const;
  return {
    round: { number: round.number + 1, at, by },
    outcomes: isNoted ? outcomes : outcomesWith(delivery, ending),
    attempts: archived(attempts),
  };
}

/** A delivery that nobody needs: it is no longer true, or a digest replaces it. */
export function droppedFor(
  delivery: Delivery,
  dismissedReason: NonNullable<Delivery['dismissedReason']>,
  digestId: string | null,
  now: Instant,
): Delivery {
  return {
    ...finished(delivery, { status: 'dismissed', reason: dismissedReason, endedAt: now }),
    dismissedReason,
    digestId,
  };
}

/**
 * The delivery after a person dismissed it. Null where nothing can be dismissed. Dismissing ends only the review: what the receiver took in an earlier
 * round was delivered.
 */
export function dismissed(delivery: Delivery, who: string, now: Instant): Delivery | null {
  const { status, heldReason, finishedAt } = delivery;
  if (status !== 'failed' && status !== 'held') return null;
  const undo = { ...undoFor(who, now), before: { status, heldReason, finishedAt } };
  const deliveredAt = deliveredAtOf(delivery);
  return deliveredAt === null
    ? { ...ended(delivery), status: 'dismissed', finishedAt: now, undo }
    : { ...ended(delivery), status: 'delivered', heldReason: null, finishedAt: deliveredAt, undo };
}

/** The delivery before its dismissal. Null where nobody dismissed it, or where `who` can no longer undo it. */
export function restored(delivery: Delivery, who: string, now: Instant): Delivery | null {
  const { undo } = delivery;
  if (!undo || !mayUndo(undo, who, now)) return null;
  return { ...ended(delivery), ...undo.before, undo: null };
}

function finished(delivery: Delivery, ending: Parameters<typeof outcomesWith>[1]): Delivery {
  const { status, endedAt } = ending;
  return { ...ended(delivery), status, finishedAt: endedAt, undo: null, outcomes: outcomesWith(delivery, ending) };
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

type Ending = Pick<Outcome, 'status' | 'reason' | 'endedAt'>;

/** The outcomes with that of the present round. An outcome that is already there stays, and another one of the same round stands beside it. */
function outcomesWith({ round, outcomes, attemptCount, attempts }: Delivery, ending: Ending): Outcome[] {
  const first = attempts.find((attempt) => attempt.round === round.number);
  return [...outcomes, { ...round, ...ending, attempts: first ? attemptCount - first.number + 1 : 0 }];
}

/** What is known of the first sending: its outcome, which later rounds do not change, or how it stands. */
export function firstOutcomeOf(delivery: Delivery): {
  status: Delivery['status'];
  reason: string | null;
  endedAt: Instant | null;
  attempts: number;
} {
  const { outcomes, status, heldReason, dismissedReason, finishedAt, attemptCount } = delivery;
  const [first] = outcomes;
  return first ?? { status, reason: heldReason ?? dismissedReason, endedAt: finishedAt, attempts: attemptCount };
}

/** The later rounds, oldest first, each as it ended or as it stands. */
export function resentOf(
  delivery: Delivery,
): { round: number; at: Instant; by: string | null; status: Delivery['status'] }[] {
  const { outcomes, round, status } = delivery;
  const ended = new Map(outcomes.map((outcome) => [outcome.number, outcome]));
  const last = { ...(ended.get(round.number) ?? { ...round, status }) };
  return [...[...ended.values()].filter(({ number }) => number < round.number), last].flatMap(
    ({ number, at, by, status: ending }) => (number > 1 ? [{ round: number, at, by, status: ending }] : []),
  );
}

/** When the receiver took it, in whichever round that was. Null: it never did. */
function deliveredAtOf({ outcomes }: Delivery): Instant | null {
  return outcomes.find(({ status }) => status === 'delivered')?.endedAt ?? null;
}

/** Whether a further round begins when the delivery is sent again. One that has only waited goes on in its round. */
function isRoundOver({ round, status, attempts }: Delivery): boolean {
  return status !== 'held' || attempts.some(({ round: number }) => number === round.number);
}

/** The attempts with one more. The first attempt of a round is kept with its last ones. */
function attemptsWith(attempts: readonly Attempt[], attempt: Attempt): Attempt[] {
  const others = attempts.filter(({ round }) => round !== attempt.round);
  const [first, ...rest] = attempts.filter(({ round }) => round === attempt.round);
  const own = first ? [first, ...[...rest, attempt].slice(1 - attemptsKept)] : [attempt];
  return [...others, ...own].toSorted((a, b) => a.number - b.number || (a.at < b.at ? -1 : 1));
}

/** The attempts of rounds that are over, with shortened answers. */
function archived(attempts: readonly Attempt[]): Attempt[] {
  return attempts.map((attempt) => ({
    ...attempt,
    responseExcerpt: attempt.responseExcerpt?.slice(0, excerptKept) ?? null,
  }));
}
