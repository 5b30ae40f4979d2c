import { challengeOf, challengeOutcome, echoes, isUnproven } from '../../domain/delivery/challenge.ts';
import { redelivered } from '../../domain/delivery/decision.ts';
import type { Delivery, SendOutcome } from '../../domain/delivery/delivery.ts';
import { heldUntilProven } from '../../domain/delivery/webhook.ts';
import { decideAndCommit, wakeAll } from '../commit/commit.ts';
import { Conflict, type Query, type Stored, type World, type Write } from '../ports.ts';
import { revisionWrite } from '../settings/configuration.ts';
import { deliveryWakes } from './wakes.ts';

const batchSize = 100;
/** Deliveries that a proof releases by itself. Further ones can be replayed. */
const mostReleased = 1000;

/**
 * Evaluates the answer to a challenge, and marks the endpoint as proven where the answer echoes its present challenge. An answer from
 * before a change of the address proves nothing about the new address. The mark is written before the attempt is recorded: a process that
 * dies between the two sends the challenge once more.
 */
export async function judgeAnswer(world: World, delivery: Delivery, outcome: SendOutcome): Promise<SendOutcome> {
  const challenge = challengeOf(delivery);
  const isEchoed = outcome.errorClass === null && echoes(outcome.responseExcerpt, challenge);
  return challengeOutcome(outcome, isEchoed && (await prove(world, delivery.webhookId ?? '', challenge)));
}

/** @returns whether the endpoint is proven now */
async function prove(world: World, webhookId: string, challenge: string): Promise<boolean> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('webhooks', [webhookId]);
    const nothing = { writes: [], wakes: [] };
    if (!stored) return { ...nothing, answer: false };
    if (!isUnproven(stored.data)) return { ...nothing, answer: true };
    if (stored.data.challenge !== challenge) return { ...nothing, answer: false };
    const { data, revision } = stored;
    const proven = { ...data, challenge: null, changedAt: world.now(), version: data.version + 1 };
    world.log.info('endpoint.proven', { webhookId });
    return {
      writes: [
        { kind: 'replace', in: 'webhooks', id: webhookId, data: proven, revision },
        await revisionWrite(world.store),
      ],
      wakes: [],
      answer: true,
    };
  });
}

/** Sends the deliveries that were held until the endpoint proved itself, oldest first. Idempotent. After an interruption the rest can be replayed. */
export async function releaseHeld(world: World, webhookId: string): Promise<void> {
  let released = 0;
  let after: unknown[] | undefined;
  while (released < mostReleased) {
    const query: Query<'deliveries'> = {
      in: 'deliveries',
      where: [
        { field: 'webhookId', is: '==', value: webhookId },
        { field: 'status', is: 'in', value: ['held'] },
      ],
      orderBy: [['createdAt', 'asc']],
      limit: batchSize,
    };
    const found = await world.store.find(after ? { ...query, after } : query);
    const waiting = found.filter(({ data }) => data.heldReason === heldUntilProven);
    const sent = (await Promise.all(waiting.map((stored) => sendAgain(world, stored, null)))).flatMap(
      (each) => each ?? [],
    );
    await wakeAll(world, deliveryWakes(sent));
    released += sent.length;
    const last = found.at(-1);
    if (!last || found.length < batchSize) break;
    after = [last.data.createdAt, last.id];
  }
  if (released > 0) world.log.info('endpoint.released', { webhookId, released });
}

/** Starts another round of attempts of a delivery. Null where another process was first, or where no further round is allowed. */
export async function sendAgain(
  world: World,
  { id, data, revision }: Stored<'deliveries'>,
  by: string | null,
): Promise<Delivery | null> {
  const next = redelivered(data, by, world.now());
  if (!next) return null;
  try {
    const writes: Write[] = [{ kind: 'replace', in: 'deliveries', id, data: next, revision }];
    await world.admission?.admit(writes);
    await world.store.commit(writes);
    world.trail?.committed(false);
    return next;
  } catch (error) {
    if (error instanceof Conflict) return null;
    throw error;
  }
}
