import type { Dispatch } from './dispatch.ts';
import { createEndedNames, type EndedNames } from './ended-names.ts';
import { createRunner, type Runner } from './runner.ts';
import { backoffMs, isExhausted, type QueueSettings } from './settings.ts';
import { grpcCode, type Task, TasksError } from './task.ts';

/** What a queue needs from outside: `onCreated` and `onEnded` keep the journal, `now` gives epoch milliseconds. */
export type QueueWorld = {
  now(): number;
  dispatch: Dispatch;
  onCreated(task: Task): void;
  onEnded(name: string, endedAt: number): void;
};

/** One queue: its tasks wait for their time, then for the rate, then run; failed ones wait again. */
export type Queue = {
  readonly name: string;
  settings: QueueSettings;
  pausedAt: number | null;
  purgedAt: number | null;
  readonly tasks: Map<string, Task>;
  readonly timers: Map<string, NodeJS.Timeout>;
  readonly endedNames: EndedNames;
  readonly runner: Runner;
  readonly world: QueueWorld;
};

/** A waiting task looks at the clock this often, because the clock may be moved. */
const longestTimerMs = 10_000;

/** A new, empty queue. */
export function openQueue(name: string, settings: QueueSettings, world: QueueWorld): Queue {
  const queue: Queue = {
    name,
    settings,
    pausedAt: null,
    purgedAt: null,
    tasks: new Map(),
    timers: new Map(),
    endedNames: createEndedNames(),
    world,
    runner: createRunner({
      now: world.now,
      settings: () => queue.settings,
      isPaused: () => queue.pausedAt !== null,
      attempt: (task) => attemptTask(queue, task),
    }),
  };
  return queue;
}

/**
 * Adds a new task.
 * @throws TasksError when its name is in use, or was until an hour ago
 */
export function addTask(queue: Queue, task: Task): void {
  if (queue.tasks.has(task.name) || queue.endedNames.has(task.name, queue.world.now())) {
    const message = 'The task cannot be created because a task with this name existed too recently.';
    throw new TasksError(grpcCode.alreadyExists, message);
  }
  queue.world.onCreated(task);
  restoreTask(queue, task);
}

/** Adds a task from the journal again. */
export function restoreTask(queue: Queue, task: Task): void {
  queue.tasks.set(task.name, task);
  scheduleTask(queue, task);
}

/** @throws TasksError when there is no such task */
export function findTask(queue: Queue, name: string): Task {
  const task = queue.tasks.get(name);
  if (!task) throw new TasksError(grpcCode.notFound, 'The task does not exist.');
  return task;
}

/**
 * Ends a waiting or running task. Its name stays reserved.
 * @throws TasksError when there is no such task
 */
export function deleteTask(queue: Queue, name: string): void {
  endTask(queue, findTask(queue, name));
}

/** Attempts a task now, whatever its time, the rate or a pause. @throws TasksError when there is no such task */
export function runTask(queue: Queue, name: string): Task {
  const task = findTask(queue, name);
  stopClock(queue, task);
  if (!queue.runner.isRunning(task)) queue.runner.force(task);
  return task;
}

export function updateQueue(queue: Queue, settings: QueueSettings): void {
  queue.settings = settings;
  queue.runner.pump();
}

export function pauseQueue(queue: Queue): void {
  queue.pausedAt ??= queue.world.now();
}

export function resumeQueue(queue: Queue): void {
  queue.pausedAt = null;
  queue.runner.pump();
}

/** Ends every task of the queue. */
export function purgeQueue(queue: Queue): void {
  queue.purgedAt = queue.world.now();
  for (const task of [...queue.tasks.values()]) endTask(queue, task);
}

/** Stops the clocks; running attempts end by themselves. */
export function closeQueue(queue: Queue): void {
  pauseQueue(queue);
  queue.runner.close();
  for (const timer of queue.timers.values()) clearTimeout(timer);
}

function scheduleTask(queue: Queue, task: Task): void {
  const waitMs = task.scheduledAt - queue.world.now();
  if (waitMs <= 0) {
    queue.runner.offer(task);
  } else {
    const timer = setTimeout(() => scheduleTask(queue, task), Math.min(waitMs, longestTimerMs));
    queue.timers.set(task.name, timer.unref());
  }
}

async function attemptTask(queue: Queue, task: Task): Promise<void> {
  task.dispatchCount += 1;
  const attempt = await queue.world.dispatch(task);
  task.firstAttempt ??= attempt;
  task.lastAttempt = attempt;
  if (attempt.httpStatus !== undefined) task.responseCount += 1;
  if (queue.tasks.get(task.name) !== task) return;
  const now = queue.world.now();
  const elapsedMs = now - task.firstAttempt.dispatchedAt;
  const { retry } = queue.settings;
  if (attempt.code === grpcCode.ok || isExhausted(retry, task.dispatchCount, elapsedMs)) {
    endTask(queue, task);
  } else {
    task.scheduledAt = now + backoffMs(retry, task.dispatchCount);
    scheduleTask(queue, task);
  }
}

function endTask(queue: Queue, task: Task): void {
  const endedAt = queue.world.now();
  stopClock(queue, task);
  queue.tasks.delete(task.name);
  queue.endedNames.add(task.name, endedAt);
  queue.world.onEnded(task.name, endedAt);
}

function stopClock(queue: Queue, task: Task): void {
  clearTimeout(queue.timers.get(task.name));
  queue.timers.delete(task.name);
  queue.runner.withdraw(task);
}
