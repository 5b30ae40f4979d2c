import type { Queue } from './queue.ts';
import { burstSize, type QueueSettings } from './settings.ts';
import { grpcCode, TasksError } from './task.ts';
import { readTimestamp, type WireTimestamp, writeTimestamp } from './wire-values.ts';

/** A queue as the client sends it; absent messages are null, absent numbers 0. */
export type WireQueue = {
  name: string;
  rateLimits: { maxDispatchesPerSecond: number; maxConcurrentDispatches: number } | null;
  retryConfig: {
    maxAttempts: number;
    maxRetryDuration: WireTimestamp | null;
    minBackoff: WireTimestamp | null;
    maxBackoff: WireTimestamp | null;
    maxDoublings: number;
  } | null;
};

/**
 * The settings of `current` with those members replaced that the client gives.
 * @throws TasksError (INVALID_ARGUMENT) above the service's limits of 500 a second and 5,000 at once
 */
export function readQueueSettings(wire: WireQueue, current: QueueSettings): QueueSettings {
  const { rateLimits, retryConfig } = wire;
  const maxDispatchesPerSecond = rateLimits?.maxDispatchesPerSecond || current.maxDispatchesPerSecond;
  const maxConcurrentDispatches = rateLimits?.maxConcurrentDispatches || current.maxConcurrentDispatches;
  if (maxDispatchesPerSecond > 500 || maxConcurrentDispatches > 5000) {
    const message = 'Queue.rateLimits: at most 500 dispatches per second and 5000 concurrent dispatches.';
    throw new TasksError(grpcCode.invalidArgument, message);
  }
  const kept = current.retry;
  const retry = retryConfig && {
    maxAttempts: retryConfig.maxAttempts || kept.maxAttempts,
    maxRetryDurationMs: readTimestamp(retryConfig.maxRetryDuration) ?? kept.maxRetryDurationMs,
    minBackoffMs: readTimestamp(retryConfig.minBackoff) ?? kept.minBackoffMs,
    maxBackoffMs: readTimestamp(retryConfig.maxBackoff) ?? kept.maxBackoffMs,
    maxDoublings: retryConfig.maxDoublings || kept.maxDoublings,
  };
  return { maxDispatchesPerSecond, maxConcurrentDispatches, retry: retry ?? kept };
}

/** The queue as the client reads it. */
export function writeQueue(queue: Queue): Record<string, unknown> {
  const { settings, pausedAt, purgedAt } = queue;
  return {
    name: queue.name,
    rateLimits: {
      maxDispatchesPerSecond: settings.maxDispatchesPerSecond,
      maxConcurrentDispatches: settings.maxConcurrentDispatches,
      maxBurstSize: burstSize(settings),
    },
    retryConfig: {
      maxAttempts: settings.retry.maxAttempts,
      maxRetryDuration: writeTimestamp(settings.retry.maxRetryDurationMs),
      minBackoff: writeTimestamp(settings.retry.minBackoffMs),
      maxBackoff: writeTimestamp(settings.retry.maxBackoffMs),
      maxDoublings: settings.retry.maxDoublings,
    },
    state: pausedAt === null ? 'RUNNING' : 'PAUSED',
    purgeTime: purgedAt === null ? null : writeTimestamp(purgedAt),
  };
}
