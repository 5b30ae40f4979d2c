import type { World } from '../ports.ts';

/** Sends a request to an address that always answers. @returns whether anything came back */
export type EgressCheck = () => Promise<boolean>;

/** @property elapsedMs a monotonic clock */
export type WayOutParts = { check: EgressCheck | null; elapsedMs: () => number; world: Pick<World, 'after' | 'log'> };

/** What a process knows about its outbound connection. */
export type WayOut = {
  /** Records that something outside answered. */
  hear(): void;
  /** Records that nothing outside answers since the given time. */
  lose(since: number): void;
  isLost(): boolean;
  /** Whether something answered, and nothing since then suggests a failure. */
  isSound(): boolean;
  /** Whether something answered after that time, and no longer than a second ago. */
  wasHeardSince(at: number): boolean;
  /** Whether the connection was lost at any time since then. */
  wasLostSince(at: number): boolean;
  /** Sends a request to the check address, unless an answer after that time, or the last check, shows the present state. */
  makeSure(since: number): Promise<void>;
  /** Waits until the connection works, at most for this long. */
  untilSound(ms: number): Promise<void>;
};

/** An answer not older than this shows the present state. */
const recentMs = 1000;
/** While nothing answers, the check address is asked this often. */
const askEveryMs = 10_000;

export function createWayOut({ check, elapsedMs, world: { after, log } }: WayOutParts): WayOut {
  let heardAt = Number.NEGATIVE_INFINITY;
  let lostAt: number | null = null;
  let restoredAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;
  let isDoubted = false;
  const waiting = createWaiting(after);
  const hear = () => {
    // Without a check address, the time before the first answer counts as disconnected.
    if (!check && heardAt === Number.NEGATIVE_INFINITY) restoredAt = elapsedMs();
    heardAt = elapsedMs();
    if (lostAt !== null) {
      log.info('egress.restored', { lostForMs: Math.round(heardAt - lostAt) });
      restoredAt = heardAt;
      lostAt = null;
    }
    waiting.end();
  };
  const lose = (since: number) => {
    if (lostAt !== null) return;
    lostAt = since;
    log.warn('egress.lost', { isChecked: check !== null });
  };
  const ask = async (asked: EgressCheck) => {
    askedAt = elapsedMs();
    try {
      const isAnswered = await asked();
      if (isAnswered) hear();
      else if (heardAt < askedAt) lose(askedAt);
      // The check failed, but an attempt got an answer after it began. Either the connection returned meanwhile, so attempts before that count as cut
      // off; or, if this happens twice in a row, the check address itself fails.
      else if (!isDoubted) restoredAt = heardAt;
      isDoubted = !isAnswered && heardAt >= askedAt;
    } catch (error) {
      log.error('egress.check-failed', { error: String(error) });
    } finally {
      asking = null;
    }
  };
  const wasHeardSince = (at: number) => heardAt > at && elapsedMs() - heardAt <= recentMs;
  return {
    hear,
    lose,
    wasHeardSince,
    isLost: () => lostAt !== null,
    isSound: () => lostAt === null && heardAt !== Number.NEGATIVE_INFINITY,
    wasLostSince: (at) => lostAt !== null || restoredAt > at,
    async makeSure(since) {
      if (!check || wasHeardSince(since)) return;
      if (!asking && lostAt !== null && elapsedMs() - askedAt < askEveryMs) return;
      asking ??= ask(check);
      await asking;
    },
    untilSound: waiting.wait,
  };
}

/** A list of waiters for one event, each with its own maximum wait. */
function createWaiting(after: World['after']) {
  const waiting = new Set<() => void>();
  return {
    end() {
      for (const proceed of waiting) proceed();
    },
    wait: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const proceed = () => {
          timer.stop();
          waiting.delete(proceed);
          resolve();
        };
        const timer = after(ms, proceed);
        waiting.add(proceed);
      }),
  };
}
