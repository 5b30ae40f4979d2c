import { WatchpostError } from './problem.ts';

/** What the client needs of the world beside the network; tests bring their own. */
export type Runtime = {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  nowMs: () => number;
  /** Rejects with the signal's reason where that is aborted first. */
  pause: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 up to 1. */
  random: () => number;
};

/** How often a call is made in all, and the longest that the client waits before it makes it again. */
export type RetryLimits = { attempts: number; longestPauseMs: number };
export const defaultRetries: RetryLimits = { attempts: 4, longestPauseMs: 60_000 };

const firstPauseMs = 500;

/** Whether a call may be made again when nobody knows whether it was carried out: only one that changes nothing more the second time. */
export function isRepeatable(method: string, ifMatch: string | undefined): boolean {
  // With If-Match, a change that took would refuse its own repetition. A repeated DELETE would find nothing.
  return method === 'GET' || (method === 'PUT' && ifMatch === undefined);
}

/**
 * Makes a call until it is answered, or may not be made again.
 * @param call throws WatchpostError for a refusal
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

/** 429, and 503 that names a time, say that nothing was done. Of all else that is the service's or the network's nobody knows. */
function mayRepeat({ status, retryAfterMs }: WatchpostError, isRepeatable: boolean): boolean {
  if (status === 429 || (status === 503 && retryAfterMs !== null)) return true;
  return isRepeatable && [0, 502, 503, 504].includes(status);
}
