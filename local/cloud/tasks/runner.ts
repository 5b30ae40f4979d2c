import { burstSize, type QueueSettings } from './settings.ts';
import type { Task } from './task.ts';

/** Lets tasks that are due start, as fast as the queue allows. */
export type Runner = {
  /** A task that is due. */
  offer(task: Task): void;
  withdraw(task: Task): void;
  isRunning(task: Task): boolean;
  /** Starts a task now, past the rate. */
  force(task: Task): void;
  /** Looks again: after a change of the settings or the end of a pause. */
  pump(): void;
  close(): void;
};

export type RunnerWorld = {
  now(): number;
  settings(): QueueSettings;
  isPaused(): boolean;
  attempt(task: Task): Promise<void>;
};

/** A token bucket and a bound on what runs at once. */
export function createRunner(world: RunnerWorld): Runner {
  const ready = new Set<Task>();
  const running = new Set<Task>();
  // The first filling cuts it down to the burst.
  const bucket = { tokens: Number.POSITIVE_INFINITY, filledAt: world.now() };
  let timer: NodeJS.Timeout | undefined;

  const fill = (rate: number) => {
    const now = world.now();
    const earned = ((now - bucket.filledAt) / 1000) * rate;
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
