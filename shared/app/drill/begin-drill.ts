import { begun, type DrillMessage, type DrillRecord, drillId, drillText } from '../../domain/drill/drill.ts';
import type { Instant } from '../../domain/time.ts';
import { type WayName, wayNames } from '../../schema/vocabulary.ts';
import { decideAndCommit, put } from '../commit/commit.ts';

import type { World } from '../ports.ts';
import type { Canaries } from '../sight/send-canaries.ts';
import { loadDrill } from './load-drill.ts';

/**
 * Starts a round of the standing drill if one is due: sends a message of the reserved device on each path that canaries use. The round is judged when
 * its record is due.
 * @param isAskedFor a person asks for a round now
 * @returns how many rounds started
 */
export async function beginDrill(world: World, canaries: Canaries, isAskedFor = false): Promise<number> {
  if (!world.drill) return 0;
  const round = await decideAndCommit<DrillRecord | null>(world, async () => {
    const stored = await loadDrill(world);
    const next = begun(stored?.data ?? null, world.now(), world.waits, isAskedFor);
    if (!next?.dueAt) return { writes: [], wakes: [], answer: null };
    const wake = { in: 'drills' as const, id: drillId, version: next.version, dueAt: next.dueAt };
    return { writes: [put('drills', drillId, next, stored)], wakes: [wake], answer: next };
  });
  if (!round) return 0;
  const sent = await send(world, canaries, round.startedAt);
  await noteSent(world, round.startedAt, sent);
  world.log.info('drill.begun', { startedAt: round.startedAt, ...sent });
  return 1;
}

async function send({ log }: World, { senders, seal }: Canaries, startedAt: Instant): Promise<DrillRecord['sent']> {
  const ways = wayNames.flatMap((way) => (senders[way] ? [{ way, sender: senders[way] }] : []));
  const sent = ways.map(async ({ way, sender }): Promise<[WayName, boolean]> => {
    const message: DrillMessage = { drill: startedAt, way };
    const body = JSON.stringify({ ...message, signature: seal.sign(drillText(message)) });
    try {
      await sender.send({ way, n: 0, sentAt: startedAt }, body);
      return [way, true];
    } catch (error) {
      log.warn('drill.not-sent', { way, error: String(error) });
      return [way, false];
    }
  });
  return Object.fromEntries(await Promise.all(sent));
}

function noteSent(world: World, startedAt: Instant, sent: DrillRecord['sent']): Promise<void> {
  return decideAndCommit(world, async () => {
    const stored = await loadDrill(world);
    if (stored?.data.startedAt !== startedAt) return { writes: [], wakes: [], answer: undefined };
    return { writes: [put('drills', drillId, { ...stored.data, sent }, stored)], wakes: [], answer: undefined };
  });
}
