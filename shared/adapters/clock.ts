import type { Log } from '../app/ports.ts';
import type { Instant } from '../domain/time.ts';

/** Others who tell the time: the store with each read, the issuer of tokens with its keys. */
export type ClockWitness = 'store' | 'issuer';

/** The time of this process, corrected where its own clock is wrong. */
export type Clock = {
  /** Milliseconds since the epoch. */
  ms(): number;
  now(): Instant;
  /** The time that another clock showed while it answered, and when it was asked, by `elapsedMs`. */
  hear(witness: ClockWitness, atMs: number, askedMs: number): void;
  /** Milliseconds on a monotonic clock. */
  elapsedMs(): number;
  /** Asks the store for the time, if it has not said it yet or our own clock was moved since. A store that is away is not waited for. */
  settle(): Promise<void>;
  /** @param ask reads from the store, which calls `hear` */
  attach(ask: () => Promise<unknown>, log: Log): void;
};

/** Clocks that differ by less agree. A store may answer as of some seconds ago, and receivers of webhooks accept minutes. */
const toleranceMs = 5000;
const askLimitMs = 2000;

/**
 * Of three clocks one may be wrong, whichever it is: the middle one is right. Each of them is kept as the time at which the monotonic
 * clock was 0, so that none can move between two answers. Before the store has answered, our own clock is all there is; without
 * the issuer's, the store's is believed.
 */
export function createClock(wallMs = () => Date.now(), elapsedMs = () => performance.now()): Clock {
  let own = Number.NaN;
  const heard: Partial<Record<ClockWitness, number>> = {};
  let attached: { ask: () => Promise<unknown>; log: Log } | null = null;
  let asking: Promise<unknown> | null = null;
  let reported = '';
  const origin = () => {
    const { store = own, issuer = store } = heard;
    return [own, store, issuer].toSorted((a, b) => a - b)[1] ?? own;
  };
  const ms = () => (heard.store === undefined ? wallMs() : Math.round(origin() + elapsedMs()));
  const report = () => {
    const right = origin();
    const wrong = Object.entries({ own, ...heard }).filter(([, at]) => Math.abs(at - right) > toleranceMs);
    const names = wrong.map(([name]) => name).join();
    if (names === reported) return;
    reported = names;
    const ahead = wrong.map(([name, at]) => [name, Math.round((at - right) / 1000)]);
    if (names !== '') attached?.log.error('clock.wrong', { aheadSeconds: Object.fromEntries(ahead) });
    else attached?.log.info('clock.right', {});
  };
  return {
    ms,
    now: () => new Date(ms()).toISOString(),
    elapsedMs,
    hear(witness, atMs, askedMs) {
      const heardMs = elapsedMs();
      own = wallMs() - heardMs;
      const [earliest, latest] = [atMs - heardMs, atMs - askedMs];
      const fits = (at: number) => at >= earliest - toleranceMs && at <= latest + toleranceMs;
      heard[witness] = [own, ...Object.values(heard)].find(fits) ?? (earliest + latest) / 2;
      if (heard.store !== undefined) report();
    },
    async settle() {
      const isMoved = !(Math.abs(wallMs() - elapsedMs() - own) <= toleranceMs);
      if (!attached || (heard.store !== undefined && !isMoved)) return;
      asking ??= attached
        .ask()
        .catch(() => {})
        .finally(() => {
          asking = null;
        });
      await Promise.race([asking, new Promise((resolve) => setTimeout(resolve, askLimitMs).unref())]);
    },
    attach(ask, log) {
      attached = { ask, log };
    },
  };
}

/** A process has one clock. */
export const clock: Clock = createClock();
