import type { Configuration, FieldName, FieldValue } from './fields.ts';

/** A change away from the golden configuration: when a check found it, and how many heals were started for it. */
export type Episode = { atMs: number; healAttempts: number };

/** A drift whose end has not been seen. */
export type OpenDrift = {
  /** All fields that have differed since the drift began. */
  fields: FieldName[];
  /**
   * The values that differed at the last check, without LOW fields. Empty once the camera has been golden again, so
   * that the next difference counts as a change.
   */
  values: Partial<Record<FieldName, FieldValue>>;
  healAttempts: number;
  healStartedAtMs: number | null;
};

/** What the guardian remembers between checks. Plain data, stored on disk. Instants are milliseconds of a monotonic clock. */
export type WatchState = {
  open: OpenDrift | null;
  /** The last episodes, oldest first, at most the number that a slow conflict counts. */
  episodes: Episode[];
  /** When a check last found a drift above LOW. Null: never. */
  lastAdriftAtMs: number | null;
  isConflict: boolean;
  isSlowFight: boolean;
  backoffStep: number;
  healDueAtMs: number;
  /** The previous golden configuration, until the camera has the present one. */
  previous: Configuration | null;
  /**
   * Why the last heal failed, as it was reported. Null once the camera is golden again or another drift is reported.
   */
  failure: string | null;
  failedChecks: number;
};

export const initialWatchState: WatchState = {
  open: null,
  episodes: [],
  lastAdriftAtMs: null,
  isConflict: false,
  isSlowFight: false,
  backoffStep: 0,
  healDueAtMs: 0,
  previous: null,
  failure: null,
  failedChecks: 0,
};

/** Moves all instants by `offsetMs`, because a monotonic clock restarts with the process. */
export function rebase(state: WatchState, offsetMs: number): WatchState {
  return {
    ...state,
    episodes: state.episodes.map((episode) => ({ ...episode, atMs: episode.atMs + offsetMs })),
    lastAdriftAtMs: state.lastAdriftAtMs === null ? null : state.lastAdriftAtMs + offsetMs,
    healDueAtMs: state.healDueAtMs + offsetMs,
    open: state.open && {
      ...state.open,
      healStartedAtMs: state.open.healStartedAtMs === null ? null : state.open.healStartedAtMs + offsetMs,
    },
  };
}

/** Whether a crash between the two states would lose or repeat an alert. Other changes are not written, to spare the flash memory. */
export function isWorthKeeping(before: WatchState, after: WatchState): boolean {
  return milestones(before) !== milestones(after);
}

function milestones(state: WatchState): string {
  const { open, previous, isConflict, isSlowFight, failure, episodes } = state;
  const hasBegun = open !== null && open.healAttempts > 0;
  const isReached = open !== null && Object.keys(open.values).length === 0;
  return JSON.stringify([
    open !== null,
    hasBegun,
    isReached,
    previous,
    isConflict,
    isSlowFight,
    failure,
    episodes.at(-1)?.atMs,
  ]);
}
