import type { Waits } from '../limits.ts';
import { earliest, type Instant, latest, plus } from '../time.ts';

/** A period in which messages could not arrive, or in which nothing shows that they did: canaries were missing, or no sweep ran. */
export type Gap = {
  /** All that was published before this had arrived. */
  from: Instant;
  /** What waited has arrived by this time. Null: canaries are still missing. */
  until: Instant | null;
};

/** What one try of a message takes at most: it waits in its own back-off, and then for its acknowledgement. */
export const retryLongest = (waits: Waits): number => waits.headBackoff + waits.ackDeadline;

/**
 * The gaps after a period without a sweep. If the store was away, reports are queued, but no canaries are queued with them.
 * A message of the gap before it may have failed again, so that gap lasts longer too. But this happens only once: where one sweep in a few is missed,
 * a single gap that grows would never end, and nothing would be declared lost.
 * @param from the horizon of the last sweep, without the gaps before
 */
export function gapsAfterSleep([first, second]: readonly Gap[], from: Instant, until: Instant): Gap[] {
  if (first === undefined) return [{ from, until }];
  if (second !== undefined) return [first, { ...second, until: latest(second.until, until) }];
  const longer = { ...first, until: latest(first.until, until) };
  return first.until === null ? [longer] : [longer, { from, until }];
}

/** While canaries are missing nothing arrives, so that all gaps are one and it has no end yet. */
export function gapsWhileMissing([first]: readonly Gap[], from: Instant): Gap[] {
  return [{ from: first?.from ?? from, until: null }];
}

/** The gaps that are not over, where no canary is missing. */
export function gapsThatLast(gaps: readonly Gap[], now: Instant, waits: Waits): Gap[] {
  const ending = gaps.map(({ from, until }) => ({ from, until: until ?? plus(now, retryLongest(waits)) }));
  return ending.filter(({ until }) => now < until);
}

/** The beginning of the gaps. Null: there is none. */
export function gapsBegin(gaps: readonly Gap[]): Instant | null {
  return earliest(gaps.map(({ from }) => from));
}
