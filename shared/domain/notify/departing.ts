import { droppedFor, jitterOf, postponed } from '../delivery/decision.ts';
import type { Delivery, Slot } from '../delivery/delivery.ts';
import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import { windowId } from './notes.ts';
import { freeSlot, newTarget, slotFreeAt, type TargetRecord, withSlotTaken } from './target.ts';

/** A message that wants to leave, and the target after it: null where it does not leave. `opens`: the target whose window it opens all the same. */
export type Departing = { delivery: Delivery; leaves: TargetRecord | null; opens?: TargetRecord };

/** Messages that waited for one slot come back a little apart, milliseconds. */
const spreadMs = 2000;

/**
 * Whether a message leaves now. What finds no slot is told by the digest of a window, which its record notes or else the delivery itself; what
 * no digest can tell waits for a slot.
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
  // Its record was counted when the window was closed.
  if (isNoted && (slot.window ?? 0) < budget.window)
    return { delivery: droppedFor(delivery, 'digest', null, now), leaves: null };
  if (slot.isGathered) return gathered(delivery, slot, budget, now, waits);
  const isReminder = message?.occasion === 'reminded';
  const asking = { ...slot, channel: delivery.channel, deviceId: delivery.deviceId, isReminder };
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

/** It waits for the digest of the window, which is closed a while after the first such message. */
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
