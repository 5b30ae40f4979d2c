import type { Instant } from '../decide/maintenance.ts';
import { initialWatchState, rebase, type WatchState } from '../decide/watch-state.ts';
import type { Golden } from '../golden/golden.ts';

/** What survives a restart, kept beside the alerts that follow from it. */
export type Kept = {
  watch: WatchState;
  golden: Golden | null;
  /** Timestamp of the last alert, milliseconds since 1970. */
  lastStampMs: number;
  /** Names this journal, and how many alerts it has signed. Not there in a journal of before there were signatures. */
  epoch?: string;
  alertSeq?: number;
  savedAt: Instant;
};

const dayMs = 24 * 3_600_000;

/** Takes up what an earlier process kept. The monotonic clock starts anew, so the calendar says how long it was away: 0 to 24 h. */
export function resume(kept: Kept | null, now: Instant): Kept {
  if (kept === null) return { watch: initialWatchState, golden: null, lastStampMs: 0, savedAt: now };
  const awayMs = Math.min(dayMs, Math.max(0, now.calendarMs - kept.savedAt.calendarMs));
  return { ...kept, watch: rebase(kept.watch, now.monotonicMs - awayMs - kept.savedAt.monotonicMs), savedAt: now };
}

/**
 * The timestamp of the next alert: the calendar's, but always after the one before. The service takes a report that is older than the
 * last for a stale one, and would not act on the alerts of a camera whose clock was set back; an equal one could pass for a repetition.
 * A last timestamp more than 48 h ahead came from a clock that was wrong, and is not followed.
 */
export function nextStampMs(lastStampMs: number, calendarMs: number): number {
  if (lastStampMs - calendarMs > 2 * dayMs) return calendarMs;
  return Math.max(calendarMs, lastStampMs + 1);
}
