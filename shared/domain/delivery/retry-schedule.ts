import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';

/** Delays of the contract before attempts 2 to 5. */
const delays = ['retry2', 'retry3', 'retry4', 'retry5'] as const satisfies (keyof Waits)[];

/** Attempts are spread over this share of the delay, always after the contract's delay. */
const jitterShare = 0.1;

/**
 * When the next attempt is due after a failed one.
 * @param failed attempts made in this round, 1 for the first
 * @param jitter 0 up to 1: the position within the spread
 * @param retryAfterMs the wait that the receiver asked for; it can only lengthen the delay, to at most `retryAfterCap`
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
 * Reads `Retry-After`: seconds or an HTTP date. If the header appears twice, the longer wait counts.
 * @returns milliseconds from `now`; null if it is absent, unreadable or in the past
 */
export function readRetryAfter(header: string | readonly string[] | undefined, now: Instant): number | null {
  const values = (typeof header === 'string' ? [header] : (header ?? [])).map((value) => millisecondsOf(value, now));
  const longest = Math.max(0, ...values);
  return longest > 0 ? longest : null;
}

function millisecondsOf(value: string, now: Instant): number {
  const text = value.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // The three forms of RFC 9110 begin with the name of a day. `Date.parse` alone would accept many texts that are not such a date.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]{10,40}$/.test(text)) return 0;
  const until = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.parse(now));
}
