import { type Instant, latest, msBetween, plus } from '../../time.ts';

/**
 * The time up to which send times were assigned to requests with one key, by any process. `by` distinguishes two processes that write the same time.
 */
export type PaceRecord = { paceId: string; nextAt: Instant; by: string };

const minute = 60_000;
/** After a pause, this many send times lie in the past, so that as many requests go out together. */
const burst = 5;
/**
 * How long a send time is valid. A request that comes later, because its wake was late, needs a new one. Otherwise late requests go out beside
 * punctual ones.
 */
const goodForMs = 5000;
/**
 * A process reserves this share of as many send times as already lie ahead: enough to save writes, few enough to waste little if the process dies.
 */
const shareTaken = 1 / 4;
const mostTaken = 100;

/** Whether a delivery may be sent now by its send time. */
export function isGood(slotAt: Instant, now: Instant): boolean {
  return slotAt <= now && msBetween(slotAt, now) < goodForMs;
}

/** Whether a send time is in the future or still valid. */
export function isOpen(slotAt: Instant, now: Instant): boolean {
  return msBetween(slotAt, now) < goodForMs;
}

/** The next send times, evenly spaced, and the end of the assigned range after them. */
export function slotsAfter(
  nextAt: Instant | null,
  perMinute: number,
  now: Instant,
): { slots: Instant[]; nextAt: Instant } {
  const step = Math.ceil(minute / perMinute);
  const from = latest(nextAt, plus(now, -burst * step)) ?? now;
  const promised = Math.max(0, msBetween(now, from) / step);
  const count = Math.min(mostTaken, Math.max(1, Math.floor(promised * shareTaken)));
  return {
    slots: Array.from({ length: count }, (_, index) => plus(from, index * step)),
    nextAt: plus(from, count * step),
  };
}
