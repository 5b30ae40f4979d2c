import { droppedFor, postponed } from '../../../domain/delivery/decision.ts';
import type { Delivery, HandoffOrder } from '../../../domain/delivery/delivery.ts';
import { type Handed, isStale, turnOf } from '../../../domain/delivery/handoff.ts';
import { handoffTable } from '../../../schema/settings/handoff-kinds.ts';
import type { Stored, World, Write } from '../../ports.ts';
import { recentConfiguration } from '../../settings/configuration.ts';
import { type AttemptParts, type Made, makeAttempt } from '../attempt.ts';
import { settled } from '../leave.ts';
import type { Pace } from './pace.ts';

/** Deliveries about one thing that another process takes up meanwhile are read anew this often. */
const tries = 6;
/** Deliveries about one thing that may wait behind each other. */
const longestQueue = 50;

/**
 * Sends what a hand-off is told behind what it was told before of the same thing. What is over takes back, in the write that takes its lease, what has
 * not left: whichever is woken first, the last word is the latest.
 */
export async function leaveInTurn(parts: AttemptParts, stored: Stored<'deliveries'>, pace: Pace): Promise<Made | null> {
  const { world } = parts;
  let known = stored;
  for (let count = 0; count < tries; count += 1) {
    const made = await tryInTurn(parts, known, pace);
    if (made) return made;
    const [again = null] = await world.store.get('deliveries', [stored.id]);
    // Another has taken up the delivery itself, and not only one before it.
    if (!again || again.data.version !== known.data.version) return null;
    known = again;
  }
  return null;
}

async function tryInTurn(parts: AttemptParts, stored: Stored<'deliveries'>, pace: Pace): Promise<Made | null> {
  const { world } = parts;
  const delivery = stored.data;
  const { handoff } = delivery;
  if (!handoff) return makeAttempt(parts, stored, null);
  const now = world.now();
  if (await isOvertaken(world, delivery, handoff)) {
    return settled(world, stored, droppedFor(delivery, 'overtaken', null, now));
  }
  const earlier = await pendingBefore(world, handoff);
  const turn = turnOf(
    handoff,
    earlier.map(({ data }) => data),
    now,
  );
  if (turn.kind === 'waits') return settled(world, stored, postponed(delivery, turn.until));
  const later = pace.turnAt(delivery, await perMinuteOf(world, delivery), now);
  if (later) return settled(world, stored, postponed(delivery, later));
  const drops = new Set(turn.drops.map(({ deliveryId }) => deliveryId));
  const beside = earlier
    .filter(({ id }) => drops.has(id))
    .map(({ id, data, revision }): Write => {
      return { kind: 'replace', in: 'deliveries', id, data: droppedFor(data, 'overtaken', null, now), revision };
    });
  return makeAttempt(parts, stored, null, { body: delivery.body, slot: null, beside });
}

/** What has not left, is sent again by hand or again and again may have been followed by something later. */
async function isOvertaken({ store }: World, delivery: Delivery, { about, key }: HandoffOrder): Promise<boolean> {
  if (about === 'test') return false;
  const [record = null] = await store.get(about === 'alert' ? 'alerts' : 'incidents', [key]);
  const handed: readonly Handed[] = record?.data.handed ?? [];
  return isStale(delivery, handed);
}

/** The deliveries before it that are still to be sent, the latest first. Behind one that is done, all are. */
async function pendingBefore({ store }: World, { behind }: HandoffOrder): Promise<Stored<'deliveries'>[]> {
  const found: Stored<'deliveries'>[] = [];
  for (let id = behind; id !== null && found.length < longestQueue; ) {
    const [earlier = null] = await store.get('deliveries', [id]);
    if (earlier?.data.status !== 'pending') break;
    found.push(earlier);
    id = earlier.data.handoff?.behind ?? null;
  }
  return found;
}

async function perMinuteOf(world: World, { target }: Delivery): Promise<number | null> {
  if (target.kind !== 'handoff') return null;
  const { teams } = await recentConfiguration(world);
  const handoff = teams.get(target.team)?.handoffs?.find(({ handoffId }) => handoffId === target.handoffId);
  return handoff ? handoffTable[handoff.kind].perMinute : null;
}
