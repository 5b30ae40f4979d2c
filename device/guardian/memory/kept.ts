import type { Instant } from '../decide/maintenance.ts';
import { initialWatchState, rebase, type WatchState } from '../decide/watch-state.ts';
import type { Golden } from '../golden/golden.ts';

/** What survives a restart, kept beside the alerts that follow from it. */
export type Kept = {
  watch: WatchState;
  golden: Golden | null;
  /** Timestamp of the last alert, milliseconds since 1970. */
  lastStampMs: number;
  /** The id of this journal, and how many alerts it has signed. Absent in journals that were written before there were signatures. */
  epoch?: string;
  alertSeq?: number;
  savedAt: Instant;
};

const dayMs = 24 * 3_600_000;

/**
 * Restores what an earlier process stored. The monotonic clock restarts, so the time in between comes from the calendar
 * clock. It is limited to 0 to 24 h, because somebody may have set that clock.
 */
export function resume(kept: Kept | null, now: Instant): Kept {
  if (kept === null) return { watch: initialWatchState, golden: null, lastStampMs: 0, savedAt: now };
  const awayMs = Math.min(dayMs, Math.max(0, now.calendarMs - kept.savedAt.calendarMs));
  return { ...kept, watch: rebase(kept.watch, now.monotonicMs - awayMs - kept.savedAt.monotonicMs), savedAt: now };
}

/**
 * The timestamp of the next alert: the calendar time, but always later than the previous one. The service treats an older report as stale,
 * so after a clock was set back it would ignore the alerts, and it could take an equal timestamp for a repetition. A last timestamp more
 * than 48 h ahead came from a wrong clock and is ignored.
 */
export function nextStampMs(lastStampMs: number, calendarMs: number): number {
  if (lastStampMs - calendarMs > 2 * dayMs) return calendarMs;
  return Math.max(calendarMs, lastStampMs + 1);
}
