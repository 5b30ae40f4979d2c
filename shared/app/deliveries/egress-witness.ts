import type { Delivery, SendOutcome } from '../../domain/delivery/delivery.ts';
import { isSilence, provesWayOut } from '../../domain/delivery/egress.ts';
import type { World } from '../ports.ts';
import { createWayOut, type WayOutParts } from './way-out.ts';

/** Distinguishes a target's failure from a failure of our own outbound connection (decision 0016). */
export type EgressWitness = {
  /** A place for one attempt. Null: nothing outside answers, and enough attempts are already testing this. */
  enter(): Promise<{ leave(): void } | null>;
  /** Sends, and evaluates a silence. @returns null where the silence may be ours, so that no attempt is counted */
  judge(
    delivery: Pick<Delivery, 'channel' | 'targetName'>,
    send: () => Promise<SendOutcome>,
  ): Promise<SendOutcome | null>;
};

/** For a process that trusts its outbound connection: each silence is the target's. */
export const noWitness: EgressWitness = { enter: async () => ({ leave() {} }), judge: (_, send) => send() };

/** Attempts that a process makes at a time while nothing outside answers. Each waits up to its timeout and holds a place in a queue. */
const seatsWhenUnheard = 4;
/** How long the other attempts wait for one of them to get an answer. They do not wait where the connection is known to be down. */
const patienceMs = 1000;
/** An attempt that is unanswered for this long triggers a request to the check address, while the attempt is still in progress. */
const slowMs = 2000;
/**
 * Without a check address, a target's silence counts as ours for its first two minutes, because a cold instance may have no network for up
 * to one minute.
 */
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

/** Tracks how long targets have left consecutive attempts unanswered. */
function createSilences() {
  const silences = new Map<string, { since: number; until: number }>();
  return {
    end: (target: string) => silences.delete(target),
    /** Adds an attempt. @returns how long the silence has lasted so far */
    lastMs(target: string, from: number, until: number): number {
      const before = silences.get(target);
      // A target that was not tried for long may have been silent for another reason then. One that was found dead stays so until it
      // answers.
      const goesOn = before && (from - before.until < doubtMs || before.until - before.since >= doubtMs);
      const since = goesOn ? before.since : from;
      if (silences.size >= mostTargets) silences.clear();
      silences.set(target, { since, until });
      return until - since;
    },
  };
}
