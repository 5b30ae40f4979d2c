import { createMemoryStore } from '../../../shared/adapters/memory/store.ts';
import { newToken, startTimer } from '../../../shared/adapters/world.ts';
import type { Ledger } from '../../../shared/app/ledger/objects.ts';
import type { Log, Store, Wake, World } from '../../../shared/app/ports.ts';
import { waitsAt } from '../../../shared/domain/limits.ts';
import { plus } from '../../../shared/domain/time.ts';

export const startOfTests = '2026-11-20T10:00:00.000Z';

/** A world on the in-process store with a manual clock. */
export type TestWorld = World & {
  /** The ledger that the API shows. */
  ledger?: Ledger;
  /**
   * All wakes except those that rewrite the fleet's summaries or stand in for the sweep: almost every change requests them, and the sweep does the
   * same work.
   */
  wakes: Wake[];
  lines: { event: string; fields: Record<string, unknown> }[];
  /**
   * Advances the clock by seconds.
   * @returns the new time
   */
  pass(seconds: number): string;
};

/** Timers that fire when `pause` resolves. They cannot be stopped. */
export function afterPause(pause: (ms: number) => Promise<unknown>): World['after'] {
  return (ms, call) => {
    void pause(ms).then(call);
    return { stop() {} };
  };
}

export function createTestWorld(given?: Store): TestWorld {
  let now = startOfTests;
  const store = given ?? createMemoryStore(() => Date.parse(now));
  const wakes: Wake[] = [];
  const lines: TestWorld['lines'] = [];
  const line = (event: string, fields: Record<string, unknown>) => {
    lines.push({ event, fields });
  };
  const log: Log = { info: line, warn: line, error: line };
  return {
    store,
    waker: {
      async wake(more) {
        wakes.push(...more.filter((wake) => wake.in !== 'fleetCounters' && wake.in !== 'sweeps'));
      },
    },
    log,
    now: () => now,
    random: Math.random,
    after: startTimer,
    waits: waitsAt(1),
    consoleUrl: 'https://console.example.com',
    reportedGroups: 'trust',
    unsignedHeals: 'accept',
    newToken,
    wakes,
    lines,
    pass(seconds) {
      now = plus(now, seconds * 1000);
      return now;
    },
  };
}
