import { droppedFor, jitterOf, postponed } from '../delivery/decision.ts';
import type { Delivery, Slot } from '../delivery/delivery.ts';
import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import { windowId } from './notes.ts';
import { freeSlot, newTarget, slotFreeAt, type TargetRecord, withSlotTaken } from './target.ts';

/**
 * A message that is due, and its target afterwards. `leaves` null: the message is not sent; `opens`: the target whose window it opens nevertheless.
 */
export type Departing = { delivery: Delivery; leaves: TargetRecord | null; opens?: TargetRecord };

/** Messages that waited for the same slot try again this far apart, milliseconds. */
const spreadMs = 2000;

/**
 * Decides whether a message is sent now. Without a slot it becomes part of a digest, by the note of its record or else of the delivery itself. A
 * message that cannot be part of a digest waits for a slot.
 */
export function departing(
  delivery: Delivery,
  target: TargetRecord | null,
  isTrue: boolean,
  now: Instant,
  waits: Waits,
): Departing {
  const { slot, message } = delivery;
  if (!slot || !isTrue) return { delivery: droppedFor(delivery, 'overtaken', null, now), leaves: null };
  const budget = target ?? newTarget(delivery, slot);
  const isNoted = slot.window !== null && !slot.hasLeft;
  // The window was closed, and its digest counted the record.
  if (isNoted && (slot.window ?? 0) < budget.window)
    return { delivery: droppedFor(delivery, 'digest', null, now), leaves: null };
  if (slot.isGathered) return gathered(delivery, slot, budget, now, waits);
  const asking = { ...slot, channel: delivery.channel, deviceId: delivery.deviceId };
  const taken = freeSlot(budget, asking, now, waits);
  if (taken) {
    const left = message && slot.use === 'direct' ? { about: message.id, occasion: message.occasion } : null;
    return {
      delivery: { ...delivery, slot: { ...slot, hasLeft: true } },
      leaves: withSlotTaken(budget, taken, { left, deviceId: delivery.deviceId }, now, waits),
    };
  }
  if (isNoted) return { delivery: droppedFor(delivery, 'digest', null, now), leaves: null };
  if (message && slot.use === 'direct') {
    return { delivery: droppedFor(delivery, 'digest', windowId(budget.targetId, budget.window), now), leaves: null };
  }
  return { delivery: postponed(delivery, waitsUntil(delivery, slot, budget, now, waits)), leaves: null };
}

/** The message waits for the digest of its window, which closes some time after the first such message. */
function gathered(delivery: Delivery, slot: Slot, target: TargetRecord, now: Instant, waits: Waits): Departing {
  const noted = slot.window === null ? windowId(target.targetId, target.window) : null;
  const dropped = { delivery: droppedFor(delivery, 'digest', noted, now), leaves: null };
  if (target.dueAt !== null) return dropped;
  const opens = { ...target, isQuiet: false, dueAt: plus(now, waits.digestWindow), version: target.version + 1 };
  return { ...dropped, opens };
}

function waitsUntil(delivery: Delivery, slot: Slot, target: TargetRecord, now: Instant, waits: Waits): Instant {
  const asking = { ...slot, channel: delivery.channel, deviceId: delivery.deviceId };
  return plus(slotFreeAt(target, asking, now, waits), 1 + spreadMs * jitterOf(delivery, target.version));
}
