import { WatchpostError } from './problem.ts';

/** What the client takes from its environment. Tests provide their own. */
export type Runtime = {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  nowMs: () => number;
  /** Rejects with the signal's reason if the signal aborts first. */
  pause: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** At least 0 and less than 1. */
  random: () => number;
};

/**
 * The number of attempts of a call, and the longest pause between two of them, milliseconds. A call that would have to
 * pause longer fails at once; `changes` and `events` shorten their pauses to this.
 */
export type RetryLimits = { attempts: number; longestPauseMs: number };
export const defaultRetries: RetryLimits = { attempts: 4, longestPauseMs: 60_000 };

const firstPauseMs = 500;

/** Whether a call may be repeated if its result is unknown: only if a second call changes nothing more. */
export function isRepeatable(method: string, ifMatch: string | undefined): boolean {
  // With If-Match, a change that succeeded would make its own repetition fail. A repeated DELETE would get 404.
  return method === 'GET' || (method === 'PUT' && ifMatch === undefined);
}

/**
 * Repeats a call until it succeeds, must not be repeated, or has used all attempts.
 * @param call throws WatchpostError if it is refused or gets no answer
 */
export async function withRetries<T>(
  { pause, random }: Pick<Runtime, 'pause' | 'random'>,
  { attempts, longestPauseMs }: RetryLimits,
  given: { isRepeatable: boolean; signal?: AbortSignal | undefined },
  call: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof WatchpostError) || attempt >= attempts || !mayRepeat(error, given.isRepeatable))
        throw error;
      const backoffMs = firstPauseMs * 2 ** (attempt - 1) * (0.5 + random() / 2);
      const pauseMs = Math.max(error.retryAfterMs ?? 0, backoffMs);
      if (pauseMs > longestPauseMs) throw error;
      await pause(pauseMs, given.signal);
    }
  }
}

/** 429 means that nothing was done. After other temporary faults the result is unknown: a database may have lost only its answer. */
function mayRepeat({ status }: WatchpostError, isRepeatable: boolean): boolean {
  return status === 429 || (isRepeatable && [0, 502, 503, 504].includes(status));
}
