import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';

/** Delays of the contract before attempts 2 to 5. */
const delays = ['retry2', 'retry3', 'retry4', 'retry5'] as const satisfies (keyof Waits)[];

/** Share of a delay by which attempts spread, always after the contract's delay. */
const jitterShare = 0.1;

/**
 * When the next attempt is due after one that failed.
 * @param failed attempts made in this round, 1 for the first
 * @param jitter 0 up to 1: how far into the spread behind the delay
 * @param retryAfterMs what the receiver asked for; it can only lengthen the delay, to at most `retryAfterCap`
 */
export function nextAttemptAt(
  failed: number,
  failedAt: Instant,
  { jitter, retryAfterMs }: { jitter: number; retryAfterMs: number | null },
  waits: Waits,
): Instant {
  const delay = waits[delays[failed - 1] ?? 'retry5'];
  const asked = Math.min(retryAfterMs ?? 0, waits.retryAfterCap);
  return plus(failedAt, Math.ceil(Math.max(delay, asked) + delay * jitterShare * jitter));
}

/**
 * Reads `Retry-After`: seconds or an HTTP date; the longest where it stands twice.
 * @returns milliseconds from `now`; null where there is none, or none that can be read, or one in the past
 */
export function readRetryAfter(header: string | readonly string[] | undefined, now: Instant): number | null {
  const values = (typeof header === 'string' ? [header] : (header ?? [])).map((value) => millisecondsOf(value, now));
  const longest = Math.max(0, ...values);
  return longest > 0 ? longest : null;
}

function millisecondsOf(value: string, now: Instant): number {
  const text = value.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // The three forms of RFC 9110 begin with a day's name; `Date.parse` alone would read much that is none of them.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]{10,40}$/.test(text)) return 0;
  const until = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.parse(now));
}
