import type { Delivery, SendOutcome } from '../../domain/delivery/delivery.ts';
import { isSilence, provesWayOut } from '../../domain/delivery/egress.ts';
import type { World } from '../ports.ts';
import { createWayOut, type WayOutParts } from './way-out.ts';

/** Tells a target's failure from that of our own way out (decision 0016). */
export type EgressWitness = {
  /** A seat for one attempt; null: nothing is heard, and enough attempts find out about it. */
  enter(): Promise<{ leave(): void } | null>;
  /** Sends, and judges a silence. @returns null where the silence may be ours: nothing was attempted */
  judge(
    delivery: Pick<Delivery, 'channel' | 'targetName'>,
    send: () => Promise<SendOutcome>,
  ): Promise<SendOutcome | null>;
};

/** For a process that does not doubt its way out: every silence is the target's. */
export const noWitness: EgressWitness = { enter: async () => ({ leave() {} }), judge: (_, send) => send() };

/** Attempts that a process makes at a time while nothing is heard: each waits up to its timeout, and holds a place in a queue. */
const seatsWhenUnheard = 4;
/** Until one of them has shown the way, the others wait briefly; known darkness they do not wait for. */
const patienceMs = 1000;
/** An attempt that is unanswered for so long has the address asked, while there still is something to be seen. */
const slowMs = 2000;
/** Without an address to ask, a target's silence is held to be ours for its first two minutes: cold instances hear nothing for up to one. */
const doubtMs = 120_000;
const mostTargets = 1000;

export function createEgressWitness(parts: WayOutParts): EgressWitness {
  const { check, elapsedMs } = parts;
  const way = createWayOut(parts);
  const silences = createSilences();
  let inFlight = 0;
  const isFull = () => !way.isSound() && inFlight >= seatsWhenUnheard;
  return {
    async enter() {
      if (!way.isSound()) void way.makeSure(elapsedMs());
      if (isFull() && !(check && way.isLost())) await way.untilSound(patienceMs);
      if (isFull()) return null;
      inFlight += 1;
      return {
        leave() {
          inFlight -= 1;
        },
      };
    },
    async judge({ channel, targetName }, send) {
      const startedAt = elapsedMs();
      const outcome = await watched(parts.world, send, () => void way.makeSure(startedAt));
      if (!isSilence(outcome)) {
        silences.end(targetName);
        if (provesWayOut(outcome, channel)) way.hear();
        return outcome;
      }
      if (check) await way.makeSure(startedAt);
      else if (silences.lastMs(targetName, startedAt, elapsedMs()) >= doubtMs) return outcome;
      else if (!way.wasHeardSince(startedAt)) way.lose(startedAt);
      return way.wasLostSince(startedAt) ? null : outcome;
    },
  };
}

async function watched(
  { after }: Pick<World, 'after'>,
  send: () => Promise<SendOutcome>,
  onSlow: () => void,
): Promise<SendOutcome> {
  const timer = after(slowMs, onSlow);
  try {
    return await send();
  } finally {
    timer.stop();
  }
}

/** How long targets have left one attempt after the other unanswered. */
function createSilences() {
  const silences = new Map<string, { since: number; until: number }>();
  return {
    end: (target: string) => silences.delete(target),
    /** Adds an attempt. @returns how long the silence has lasted by now */
    lastMs(target: string, from: number, until: number): number {
      const before = silences.get(target);
      // What was not tried for long may have been silent for another reason then; whoever was found dead is so until it answers.
      const goesOn = before && (from - before.until < doubtMs || before.until - before.since >= doubtMs);
      const since = goesOn ? before.since : from;
      if (silences.size >= mostTargets) silences.clear();
      silences.set(target, { since, until });
      return until - since;
    },
  };
}
