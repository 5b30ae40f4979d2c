import type { Difference } from './compare.ts';
import type { Notice } from './notice.ts';
import type { WatchState } from './watch-state.ts';

/**
 * The contract sets the limit of a fast conflict (4 drift episodes within 5 minutes). The slow conflict and the backoff
 * are our own.
 */
export const conflictLimits = {
  episodes: 4,
  windowMs: 5 * 60_000,
  slowEpisodes: 10,
  slowWindowMs: 24 * 3_600_000,
  /** Waits before each next heal of a HIGH drift while a conflict lasts. */
  backoffMs: [30_000, 60_000, 120_000, 300_000],
} as const;

/**
 * A conflict ends when nothing has drifted for a whole window. Counting from the last episode would end it while the drift of that episode
 * waits for its backoff.
 */
export function releaseConflicts(state: WatchState, slotMs: number): WatchState {
  const quietMs = state.lastAdriftAtMs === null ? Number.POSITIVE_INFINITY : slotMs - state.lastAdriftAtMs;
  const isConflict = state.isConflict && quietMs < conflictLimits.windowMs;
  const isSlowFight = state.isSlowFight && quietMs < conflictLimits.slowWindowMs;
  return { ...state, isConflict, isSlowFight, ...(isConflict ? {} : { backoffStep: 0, healDueAtMs: 0 }) };
}

/** Evaluates the episodes after a new one: reports a conflict once and starts the backoff. */
export function raiseConflicts(
  state: WatchState,
  drifted: readonly Difference[],
  slotMs: number,
): { state: WatchState; notices: Notice[] } {
  const { windowMs, slowWindowMs, episodes, slowEpisodes, backoffMs } = conflictLimits;
  const isFast = countWithin(state, slotMs, windowMs) >= episodes;
  const isSlow = countWithin(state, slotMs, slowWindowMs) >= slowEpisodes;
  const notices: Notice[] = [];
  let next = state;
  if (isFast && !state.isConflict) {
    notices.push(noticeOf(state, drifted, slotMs, windowMs, '5m'));
    next = { ...next, isConflict: true, backoffStep: 0, healDueAtMs: slotMs + backoffMs[0] };
  }
  if (isSlow && !state.isSlowFight) {
    // A conflict that continues was reported already. Its tenth episode is not a second conflict.
    if (!next.isConflict) notices.push(noticeOf(state, drifted, slotMs, slowWindowMs, '24h'));
    next = { ...next, isSlowFight: true };
  }
  return { state: next, notices };
}

/**
 * An episode that is exactly one window old is outside the window. With a check every 30 s, four changes within 303 s
 * can be found by checks that are exactly 300 s apart, and they are no fast conflict.
 */
function within({ episodes }: WatchState, slotMs: number, windowMs: number): WatchState['episodes'] {
  return episodes.filter(({ atMs }) => slotMs - atMs < windowMs);
}

function countWithin(state: WatchState, slotMs: number, windowMs: number): number {
  return within(state, slotMs, windowMs).length;
}

function noticeOf(
  state: WatchState,
  drifted: readonly Difference[],
  slotMs: number,
  windowMs: number,
  window: string,
): Notice {
  const episodes = within(state, slotMs, windowMs);
  const healAttempts = episodes.reduce((sum, episode) => sum + episode.healAttempts, 0);
  return { kind: 'conflict', driftCount: episodes.length, window, healAttempts, differences: drifted };
}
