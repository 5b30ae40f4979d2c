import { burstSize, type QueueSettings } from './settings.ts';
import type { Task } from './task.ts';

/** Starts tasks that are due, as fast as the queue allows. */
export type Runner = {
  /** Adds a task that is due. It starts as soon as the rate and the number of running tasks allow. */
  offer(task: Task): void;
  withdraw(task: Task): void;
  isRunning(task: Task): boolean;
  /** Starts a task now, whatever the limits or a pause. */
  force(task: Task): void;
  /** Checks again after a change of the settings or the end of a pause. */
  pump(): void;
  close(): void;
};

export type RunnerWorld = {
  now(): number;
  settings(): QueueSettings;
  isPaused(): boolean;
  attempt(task: Task): Promise<void>;
};

/** A token bucket and a limit of concurrent tasks. */
export function createRunner(world: RunnerWorld): Runner {
  const ready = new Set<Task>();
  const running = new Set<Task>();
  // The first refill reduces it to the burst size.
  const bucket = { tokens: Number.POSITIVE_INFINITY, filledAt: world.now() };
  let timer: NodeJS.Timeout | undefined;

  const fill = (rate: number) => {
    const now = world.now();
    // A clock that goes back takes nothing away.
    const earned = (Math.max(0, now - bucket.filledAt) / 1000) * rate;
    bucket.tokens = Math.min(burstSize(world.settings()), bucket.tokens + earned);
    bucket.filledAt = now;
  };
  const start = (task: Task) => {
    ready.delete(task);
    running.add(task);
    void world.attempt(task).finally(() => {
      running.delete(task);
      pump();
    });
  };
  const pump = () => {
    clearTimeout(timer);
    const { maxDispatchesPerSecond: rate, maxConcurrentDispatches } = world.settings();
    fill(rate);
    for (const task of ready) {
      if (world.isPaused() || running.size >= maxConcurrentDispatches) return;
      if (bucket.tokens < 1) {
        timer = setTimeout(pump, Math.ceil(((1 - bucket.tokens) / rate) * 1000));
        return;
      }
      bucket.tokens -= 1;
      start(task);
    }
  };

  return {
    offer(task) {
      ready.add(task);
      pump();
    },
    withdraw: (task) => void ready.delete(task),
    isRunning: (task) => running.has(task),
    force: start,
    pump,
    close: () => clearTimeout(timer),
  };
}
