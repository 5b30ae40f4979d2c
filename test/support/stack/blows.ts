import type { Stack } from '../../../local/stack/stack.ts';
import type { TcpProxy } from '../faults/tcp-proxy.ts';
import { createRandom } from '../world/random.ts';

const victims = ['ingest', 'deliver', 'deadline'] as const;
type Victim = (typeof victims)[number];

/** A killed process or broken Firestore connections, some time after a number of events. */
export type Blow = { afterEvents: number; delayMs: number; on: Victim | 'firestore' };

/** A process that is killed sooner than this after its start would be in a crash loop, which is a different fault. */
const leastUpMs = 2000;
/** Events that may be sent beyond the one that a blow waits for. */
const slack = 15;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The plan of blows by event count. The same seed gives the same plan, and at the end every process is hit at once. */
export function planBlows(
  seed: number,
  { events, kills, breaks }: { events: number; kills: number; breaks: number },
): Blow[] {
  const random = createRandom(seed);
  const blow = (on: Blow['on']) => ({ afterEvents: random.below(events), delayMs: random.below(1000), on });
  const before = [
    ...Array.from({ length: Math.max(0, kills - victims.length) }, () => blow(random.pick(victims))),
    ...Array.from({ length: breaks }, () => blow('firestore')),
  ];
  const last = kills > 0 ? victims.map((on) => ({ afterEvents: events, delayMs: 0, on })) : [];
  return [...before.toSorted((a, b) => a.afterEvents - b.afterEvents), ...last];
}

/**
 * Executes the plan, and keeps events from running ahead of it: `pass` counts one event and waits if a blow is overdue. `ended` resolves when the
 * last process is up again, with the number of cut connections.
 */
export function startBlows(
  stack: Stack,
  proxy: TcpProxy,
  blows: readonly Blow[],
): { pass(): Promise<void>; ended: Promise<{ upMs: number; cut: number }> } {
  let sent = 0;
  let next = blows[0];
  const upSince = new Map<Victim, number>(victims.map((name) => [name, Date.now()]));
  const restarts = new Map<Victim, Promise<void>>();
  const comeUp = async (name: Victim) => {
    while (!(name in stack.run.pids)) await pause(20);
    upSince.set(name, Date.now());
  };
  /** Other processes may be down at the same time, but the same one must be up before the next blow. */
  const kill = async (name: Victim, delayMs: number) => {
    await restarts.get(name);
    await pause(Math.max(0, (upSince.get(name) ?? 0) + leastUpMs - Date.now()));
    await pause(delayMs);
    await stack.kill(name);
    restarts.set(name, comeUp(name));
  };
  const strike = async () => {
    let cut = 0;
    for (const blow of blows) {
      next = blow;
      while (sent < blow.afterEvents) await pause(20);
      if (blow.on !== 'firestore') await kill(blow.on, blow.delayMs);
      else {
        await pause(blow.delayMs);
        cut += proxy.cut();
      }
    }
    next = undefined;
    await Promise.all(restarts.values());
    return { upMs: Date.now(), cut };
  };
  return {
    async pass() {
      sent += 1;
      while (next && sent > next.afterEvents + slack) await pause(50);
    },
    ended: strike(),
  };
}
