import { droppedFor, postponed } from '../../../domain/delivery/decision.ts';
import type { Delivery, HandoffOrder } from '../../../domain/delivery/delivery.ts';
import { isGood } from '../../../domain/delivery/handoff/pace.ts';
import { type Handed, isStale, turnOf } from '../../../domain/delivery/handoff.ts';
import type { Instant } from '../../../domain/time.ts';
import { handoffTable } from '../../../schema/settings/handoff-kinds.ts';
import type { Stored, World, Write } from '../../ports.ts';
import { recentConfiguration } from '../../settings/configuration.ts';
import { type AttemptParts, type AttemptResult, makeAttempt } from '../attempt.ts';
import { settled } from '../leave.ts';
import type { Pace } from './pace.ts';

/** How often the queue is read again when another process changes it. */
const tries = 6;
/** Deliveries about one alert or incident that may wait behind each other. */
const longestQueue = 50;

/**
 * Sends an event to a hand-off in order, after the earlier events about the same alert or incident. A trigger or a resolution instead drops earlier
 * events that were not sent, in the commit that takes its lease: whichever delivery is woken first, the hand-off ends in the latest state.
 */
export async function leaveInTurn(
  parts: AttemptParts,
  stored: Stored<'deliveries'>,
  pace: Pace,
): Promise<AttemptResult | null> {
  const { world } = parts;
  let known = stored;
  let slot: Promise<Instant | null> | null = null;
  // If another process changes an earlier delivery, the second try uses the same send time.
  const slotOnce = () => (slot ??= slotOf(world, stored.data, pace));
  for (let count = 0; count < tries; count += 1) {
    const made = await tryInTurn(parts, known, slotOnce);
    if (made) return made;
    const [again = null] = await world.store.get('deliveries', [stored.id]);
    // Another process has started on the delivery itself, and not only on an earlier one.
    if (!again || again.data.version !== known.data.version) return null;
    known = again;
  }
  return null;
}

async function tryInTurn(
  parts: AttemptParts,
  stored: Stored<'deliveries'>,
  slotOnce: () => Promise<Instant | null>,
): Promise<AttemptResult | null> {
  const { world } = parts;
  const delivery = stored.data;
  const { handoff } = delivery;
  if (!handoff) return makeAttempt(parts, stored, null);
  // Times are taken after a read, as in leave.ts: what it shows may have happened during the read.
  if (await isOvertaken(world, delivery, handoff)) {
    return settled(world, stored, droppedFor(delivery, 'overtaken', null, world.now()));
  }
  const earlier = await pendingBefore(world, handoff);
  const now = world.now();
  const turn = turnOf(
    handoff,
    earlier.map(({ data }) => data),
    now,
  );
  if (turn.kind === 'waits') return settled(world, stored, postponed(delivery, turn.until));
  const slotAt = await slotOnce();
  if (slotAt !== null && slotAt > world.now())
    return settled(world, stored, postponed({ ...delivery, handoff: { ...handoff, slotAt } }, slotAt));
  const drops = new Set(turn.drops.map(({ deliveryId }) => deliveryId));
  const beside = earlier
    .filter(({ id }) => drops.has(id))
    .map(({ id, data, revision }): Write => {
      return { kind: 'replace', in: 'deliveries', id, data: droppedFor(data, 'overtaken', null, now), revision };
    });
  return makeAttempt(parts, stored, null, { body: delivery.body, slot: null, beside });
}

/** Whether a later event makes this one outdated: possible for one that was not sent, is repeated, or is sent again by a person. */
async function isOvertaken({ store }: World, delivery: Delivery, { about, key }: HandoffOrder): Promise<boolean> {
  if (about === 'test') return false;
  const [record = null] = await store.get(about === 'alert' ? 'alerts' : 'incidents', [key]);
  const handed: readonly Handed[] = record?.data.handed ?? [];
  return isStale(delivery, handed);
}

/** The earlier deliveries that are not sent yet, the latest first. All deliveries before a finished one are finished. */
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

/** The send time of a delivery if its receiver limits requests per minute: the one assigned before, or a new one. */
async function slotOf(world: World, { target, handoff: order }: Delivery, pace: Pace): Promise<Instant | null> {
  if (target.kind !== 'handoff') return null;
  const { teams } = await recentConfiguration(world);
  const handoff = teams.get(target.team)?.handoffs?.find(({ handoffId }) => handoffId === target.handoffId);
  const perMinute = handoff ? handoffTable[handoff.kind].perMinute : null;
  if (!handoff || perMinute === null) return null;
  const { slotAt = null } = order ?? {};
  return slotAt !== null && isGood(slotAt, world.now())
    ? slotAt
    : pace.slot(handoff.paceId ?? handoff.handoffId, perMinute);
}
