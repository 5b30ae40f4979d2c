/** Retry settings of a queue, in milliseconds; names and defaults are those of Cloud Tasks. */
export type RetrySettings = {
  /** -1: no limit. */
  maxAttempts: number;
  /** 0: no limit. A task is given up when both limits are passed. */
  maxRetryDurationMs: number;
  minBackoffMs: number;
  maxBackoffMs: number;
  maxDoublings: number;
};

/** Settings of a queue. */
export type QueueSettings = {
  maxDispatchesPerSecond: number;
  maxConcurrentDispatches: number;
  retry: RetrySettings;
};

/** Default settings of a queue (Cloud Tasks reference, `RateLimits` and `RetryConfig`). */
export const defaultQueueSettings: QueueSettings = {
  maxDispatchesPerSecond: 500,
  maxConcurrentDispatches: 1000,
  retry: { maxAttempts: 100, maxRetryDurationMs: 0, minBackoffMs: 100, maxBackoffMs: 3_600_000, maxDoublings: 16 },
};

/** Tasks that may start at once: the service computes it from the rate, 100 at the default of 500 a second. */
export function burstSize(settings: QueueSettings): number {
  return Math.max(1, Math.min(100, Math.ceil(settings.maxDispatchesPerSecond / 5)));
}

/**
 * Wait before the next attempt, in milliseconds, after `failures` failed attempts (1 or more): the interval doubles
 * `maxDoublings` times, then grows by the last doubled interval, up to `maxBackoffMs`. With 10 s, 300 s and 3 doublings:
 * 10, 20, 40, 80, 160, 240, 300, 300 s, which is the example of the Cloud Tasks reference.
 */
export function backoffMs(retry: RetrySettings, failures: number): number {
  const doublings = Math.min(failures - 1, retry.maxDoublings);
  const steps = failures - 1 - doublings;
  return Math.min(retry.minBackoffMs * 2 ** doublings * (1 + steps), retry.maxBackoffMs);
}

/** Whether a task that has been attempted `attempts` times, first `elapsedMs` ago, is given up. */
export function isExhausted(retry: RetrySettings, attempts: number, elapsedMs: number): boolean {
  if (retry.maxAttempts < 0 || attempts < retry.maxAttempts) return false;
  return retry.maxRetryDurationMs === 0 || elapsedMs >= retry.maxRetryDurationMs;
}
