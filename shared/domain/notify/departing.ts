import { droppedFor, jitterOf, postponed } from '../delivery/decision.ts';
import type { Delivery, Slot } from '../delivery/delivery.ts';
import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import {
  freeSlot,
  newTarget,
  type SlotRequest,
  slotFreeAt,
  type TargetRecord,
  windowId,
  withSlotTaken,
  withUntold,
} from './target.ts';

/**
 * A message that is due, after the decision. `leaves`: its target after the message took a slot; null: the message is not sent now. `opens`: its
 * target, where the message is not sent but opens the window whose digest reports it.
 */
export type Dispatch = { delivery: Delivery; leaves: TargetRecord | null; opens?: TargetRecord };

/** Messages that waited for the same slot try again this far apart, milliseconds. */
const spreadMs = 2000;

/**
 * Decides whether a message is sent now. Without a free slot a digest replaces it: that of the window that its record notes, or else that of the open
 * window, which the delivery then notes itself. A message that no digest can replace, such as a digest, waits for a slot.
 */
export function departing(
  delivery: Delivery,
  target: TargetRecord | null,
  isTrue: boolean,
  now: Instant,
  waits: Waits,
): Dispatch {
  const { slot, message } = delivery;
  if (!slot || !isTrue) return { delivery: droppedFor(delivery, 'overtaken', null, now), leaves: null };
  const budget = target ?? newTarget(delivery, slot);
  const isNoted = slot.window !== null && !slot.hasLeft;
  // The window was closed, and its digest counted the record.
  if (isNoted && (slot.window ?? 0) < budget.window)
    return { delivery: droppedFor(delivery, 'digest', null, now), leaves: null };
  if (slot.isGathered) return gathered(delivery, slot, budget, now, waits);
  const asking = askingOf(delivery, slot);
  const taken = freeSlot(budget, asking, now, waits);
  if (taken) {
    const left = message && slot.use === 'direct' ? { about: message.id, occasion: message.occasion } : null;
    return {
      delivery: { ...delivery, slot: { ...slot, hasLeft: true } },
      leaves: withSlotTaken(budget, taken, { ...delivery, left }, now, waits),
    };
  }
  if (isNoted || (message && slot.use === 'direct')) return forDigest(delivery, slot, budget, isNoted, { now, waits });
  return { delivery: postponed(delivery, waitsUntil(delivery, slot, budget, now, waits)), leaves: null };
}

/** The digest reports the message. A target from which something urgent is held back is looked at soon. */
function forDigest(
  delivery: Delivery,
  slot: Slot,
  target: TargetRecord,
  isNoted: boolean,
  { now, waits }: DepartureTime,
): Dispatch {
  const noted = isNoted ? null : windowId(target.targetId, target.window);
  const dropped = { delivery: droppedFor(delivery, 'digest', noted, now), leaves: null };
  return slot.isUrgent ? { ...dropped, opens: withUntold(target, now, waits) } : dropped;
}

type DepartureTime = { now: Instant; waits: Waits };

/** Ends and escalations of single cameras are the first to wait on a phone that has got many messages. */
function askingOf({ channel, deviceId, groupId, message }: Delivery, slot: Slot): SlotRequest {
  const isMinor = message?.about === 'alert' && ['resolved', 'escalated', 'reminded'].includes(message.occasion);
  return { ...slot, channel, deviceId, groupId, isMinor };
}

/** The digest of the window replaces the message. If no window is open, it opens one, which closes after `digestWindow`. */
function gathered(delivery: Delivery, slot: Slot, target: TargetRecord, now: Instant, waits: Waits): Dispatch {
  const noted = slot.window === null ? windowId(target.targetId, target.window) : null;
  const dropped = { delivery: droppedFor(delivery, 'digest', noted, now), leaves: null };
  if (target.dueAt !== null) return dropped;
  const opens = { ...target, isQuiet: false, dueAt: plus(now, waits.digestWindow), version: target.version + 1 };
  return { ...dropped, opens };
}

function waitsUntil(delivery: Delivery, slot: Slot, target: TargetRecord, now: Instant, waits: Waits): Instant {
  const asking = askingOf(delivery, slot);
  return plus(slotFreeAt(target, asking, now, waits), 1 + spreadMs * jitterOf(delivery, target.version));
}
