import { held, isUnknown, isUnsure } from '../../domain/delivery/decision.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import { type Dispatch, departing } from '../../domain/notify/departing.ts';
import { type TargetRecord, withSlotReturned } from '../../domain/notify/target.ts';
import type { Instant } from '../../domain/time.ts';
import { decideAndCommit, put, wakeAll } from '../commit/commit.ts';

import { type MessageText, render } from '../messages/render.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';
import { type AttemptParts, type AttemptResult, makeAttempt, replace } from './attempt.ts';
import { deliveryWakes } from './wakes.ts';

/** Attempts to commit: messages that are sent to one target at the same moment compete for its record. */
const tries = 6;

/**
 * Sends a message to people. It is rendered from the present state and takes a slot of its target in the commit that takes its lease. It is not sent
 * if it is no longer true or no slot is free.
 */
export async function leaveToPeople(parts: AttemptParts, stored: Stored<'deliveries'>): Promise<AttemptResult | null> {
  const { world } = parts;
  if (isUnsure(stored.data)) return settled(world, stored, held(stored.data, cutOff));
  let known = stored;
  for (let count = 0; count < tries; count += 1) {
    const decided = await decide(world, known);
    const made = await carriedOut(parts, known, decided);
    if (made) return made;
    const [again = null] = await world.store.get('deliveries', [stored.id]);
    // Another process has started on the delivery itself, and not only used a slot of its target.
    if (!again || again.data.version !== known.data.version) return null;
    known = again;
  }
  return null;
}

const cutOff = 'An attempt was cut off, and it may have arrived: send it again if it has not.';

type Decision = { at: Instant; departing: Dispatch; target: Stored<'targets'> | null; rendered: MessageText | null };

async function decide(world: World, { data }: Stored<'deliveries'>): Promise<Decision> {
  const [[target = null], rendered] = await Promise.all([
    world.store.get('targets', [data.slot?.targetId ?? '']),
    render(world, data, world.now()),
  ]);
  // Taken after the read: what makes the message outdated may have happened during it, and the delivery must not end before that.
  const now = world.now();
  return {
    at: now,
    departing: departing(data, target?.data ?? null, rendered !== null, now, world.waits),
    target,
    rendered,
  };
}

async function carriedOut(
  parts: AttemptParts,
  stored: Stored<'deliveries'>,
  { at, departing: { delivery, leaves, opens }, target, rendered }: Decision,
): Promise<AttemptResult | null> {
  if (!leaves || !rendered) return settled(parts.world, stored, delivery, opens && { opens, target });
  const { body, isCritical } = rendered;
  const departure = { body, isCritical, slot: delivery.slot, beside: besides(leaves, target, rendered) };
  const made = await makeAttempt(parts, stored, null, departure);
  const { targetId: id, version, dueAt } = leaves;
  if (made?.kind === 'attempted' && made.outcome.errorClass !== null && !isUnknown(made.outcome))
    await returnSlot(parts.world, id, at);
  if (made && dueAt && dueAt !== target?.data.dueAt)
    await wakeAll(parts.world, [{ in: 'targets', id, version, dueAt }]);
  return made;
}

/** A channel that is away for hours must not use up the messages that its receivers may get when it works again. */
async function returnSlot(world: World, targetId: string, at: Instant): Promise<void> {
  await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('targets', [targetId]);
    const target = stored && withSlotReturned(stored.data, at);
    const writes = target ? [put('targets', targetId, target, stored)] : [];
    return { writes, wakes: [], answer: undefined };
  });
}

function besides(leaves: TargetRecord, target: Stored<'targets'> | null, { link }: MessageText): Write[] {
  const write = put('targets', leaves.targetId, leaves, target);
  return link ? [write, put('links', link.linkId, link, null)] : [write];
}

/** Writes the decision on a delivery that is not sent now. Null where another process was first. */
export async function settled(
  world: World,
  { id, revision }: Stored<'deliveries'>,
  delivery: Delivery,
  window?: { opens: TargetRecord; target: Stored<'targets'> | null },
): Promise<AttemptResult | null> {
  const beside = window ? [put('targets', window.opens.targetId, window.opens, window.target)] : [];
  if (!(await replace(world, id, delivery, revision, beside))) return null;
  const { targetId = '', version = 0, dueAt: closesAt = null } = window?.opens ?? {};
  const wakes: Wake[] = closesAt ? [{ in: 'targets', id: targetId, version, dueAt: closesAt }] : [];
  await wakeAll(world, [...deliveryWakes([delivery]), ...wakes]);
  const { deliveryId, channel, eventType, eventId, status, dismissedReason, dueAt } = delivery;
  world.log.info('delivery.not-left', { deliveryId, channel, eventType, eventId, status, dismissedReason, dueAt });
  return { kind: 'settled', delivery };
}
