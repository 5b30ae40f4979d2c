import type { World } from '../ports.ts';

/** Asks an address that always answers. @returns whether anything came back */
export type EgressCheck = () => Promise<boolean>;

/** @property elapsedMs a clock that only goes forward */
export type WayOutParts = { check: EgressCheck | null; elapsedMs: () => number; world: Pick<World, 'after' | 'log'> };

/** What a process knows of its way to the network outside. */
export type WayOut = {
  /** Something outside has answered. */
  hear(): void;
  /** Nothing is heard any more, for all we know since then. */
  lose(since: number): void;
  isLost(): boolean;
  /** Something was heard, and nothing since then speaks against it. */
  isSound(): boolean;
  /** Whether something was heard within the last moment, and after that time. */
  wasHeardSince(at: number): boolean;
  /** Whether it was lost at any time since then. */
  wasLostSince(at: number): boolean;
  /** Asks the address that always answers, unless what was heard after that time, or the last answer, tells how things are. */
  makeSure(since: number): Promise<void>;
  /** Waits until it is sound, for so long at most. */
  untilSound(ms: number): Promise<void>;
};

/** What was heard so long ago speaks for the way out as it is now. */
const recentMs = 1000;
/** While nothing is heard, the address is asked this often. */
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
    // With nobody to ask, what was before the first answer is as dark as can be.
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
      // Another answered meanwhile: the light came behind the question or, where that is so again, the address itself is at fault.
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

/** Those who wait for one thing to happen, each for so long at most. */
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
