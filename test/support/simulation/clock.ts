import { startOfTests } from '../world/world.ts';

type Alarm = { at: number; order: number; ring: () => void };

/** Time that passes only as far as somebody waits for it: thousands of hours in a moment, and the same run each time. */
export type VirtualClock = {
  /** Milliseconds since the epoch. */
  ms(): number;
  now(): string;
  after(ms: number, ring: () => void): Alarm;
  sleep(ms: number): Promise<void>;
  /** Lets everything happen that is to happen until then. */
  runUntil(ms: number): Promise<void>;
};

export function createVirtualClock(start = startOfTests): VirtualClock {
  const heap: Alarm[] = [];
  let ms = Date.parse(start);
  let text = start;
  let order = 0;
  let rung = 0;
  const after = (delay: number, ring: () => void) => {
    order += 1;
    const alarm = { at: ms + Math.max(0, delay), order, ring };
    push(heap, alarm);
    return alarm;
  };
  return {
    ms: () => ms,
    now: () => text,
    after,
    sleep: (delay) => new Promise((resolve) => after(delay, resolve)),
    async runUntil(until) {
      await turned();
      for (let next = heap[0]; next && next.at <= until; next = heap[0]) {
        pop(heap);
        rung += 1;
        if (Math.floor(next.at) > ms) {
          ms = Math.floor(next.at);
          text = new Date(ms).toISOString();
        }
        next.ring();
        await (rung % 1000 === 0 ? turned() : settled());
      }
      ms = Math.max(ms, until);
      text = new Date(ms).toISOString();
    },
  };
}

const { setImmediate: realImmediate } = globalThis;

/** All that can go on without waiting for a time has gone on, and whoever waits outside of the simulation has had a turn. */
function turned(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}

/** The same for a fraction of the time, with no turn for others: a tick asked for by the reaction to a promise comes after all such reactions. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Runs with the timers and the chance of the process replaced by those of the simulation, since pauses between tries use them. */
export async function withVirtualTimers<T>(clock: VirtualClock, next: () => number, run: () => Promise<T>): Promise<T> {
  const { setTimeout: realTimeout, clearTimeout: realClear } = globalThis;
  const realRandom = Math.random;
  globalThis.setTimeout = ((ring: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    clock.after(ms, () => ring(...args))) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((alarm: Alarm | undefined) => {
    if (alarm) alarm.ring = () => {};
  }) as typeof clearTimeout;
  Math.random = next;
  try {
    return await run();
  } finally {
    globalThis.setTimeout = realTimeout;
    globalThis.clearTimeout = realClear;
    Math.random = realRandom;
  }
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}

function push(heap: Alarm[], alarm: Alarm): void {
  let index = heap.length;
  heap.push(alarm);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Alarm;
    if (isBefore(above, alarm)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = alarm;
}

function pop(heap: Alarm[]): void {
  const last = heap.pop() as Alarm;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Alarm, heap[child] as Alarm)) child += 1;
    if (isBefore(last, heap[child] as Alarm)) break;
    heap[index] = heap[child] as Alarm;
    index = child;
  }
  heap[index] = last;
}
