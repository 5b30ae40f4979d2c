import { startOfTests } from '../world/world.ts';

type Timer = { at: number; order: number; ring: () => void };

/** A clock that jumps from timer to timer: thousands of hours take a moment, and each run has the same result. */
export type VirtualClock = {
  /** Milliseconds since the epoch. */
  ms(): number;
  now(): string;
  after(ms: number, ring: () => void): Timer;
  sleep(ms: number): Promise<void>;
  /** Runs everything that is scheduled until this time. */
  runUntil(ms: number): Promise<void>;
};

export function createVirtualClock(start = startOfTests): VirtualClock {
  const heap: Timer[] = [];
  let ms = Date.parse(start);
  let text: string | null = start;
  let order = 0;
  let rung = 0;
  const after = (delay: number, ring: () => void) => {
    order += 1;
    const timer = { at: ms + Math.max(0, delay), order, ring };
    push(heap, timer);
    return timer;
  };
  return {
    ms: () => ms,
    now: () => {
      text ??= new Date(ms).toISOString();
      return text;
    },
    after,
    sleep: (delay) => new Promise((resolve) => after(delay, resolve)),
    async runUntil(until) {
      await turned();
      for (let next = heap[0]; next && next.at <= until; next = heap[0]) {
        pop(heap);
        rung += 1;
        if (Math.floor(next.at) > ms) {
          ms = Math.floor(next.at);
          text = null;
        }
        next.ring();
        await (rung % 1000 === 0 ? turned() : settled());
      }
      ms = Math.max(ms, until);
      text = null;
    },
  };
}

const { setImmediate: realImmediate } = globalThis;

/** Resolves in the next turn of the event loop: after all promise reactions, and after work outside of the simulation that is ready. */
function turned(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}

/** Resolves after all promise reactions, because a tick that one of them requests runs last. Faster, but ignores work outside of the simulation. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/**
 * Replaces the timers and randomness of the process, because delays between retries use them. Disables stack traces for thousands of intended errors.
 */
export async function withVirtualTimers<T>(clock: VirtualClock, next: () => number, run: () => Promise<T>): Promise<T> {
  const { setTimeout: realTimeout, clearTimeout: realClear } = globalThis;
  const realRandom = Math.random;
  const realLimit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  globalThis.setTimeout = ((ring: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    clock.after(ms, () => ring(...args))) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer: Timer | undefined) => {
    if (timer) timer.ring = () => {};
  }) as typeof clearTimeout;
  Math.random = next;
  try {
    return await run();
  } finally {
    globalThis.setTimeout = realTimeout;
    globalThis.clearTimeout = realClear;
    Math.random = realRandom;
    Error.stackTraceLimit = realLimit;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}

function push(heap: Timer[], timer: Timer): void {
  let index = heap.length;
  heap.push(timer);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Timer;
    if (isBefore(above, timer)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop() as Timer;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
    if (isBefore(last, heap[child] as Timer)) break;
    heap[index] = heap[child] as Timer;
    index = child;
  }
  heap[index] = last;
}
