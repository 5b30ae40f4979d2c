import type { Delivery } from '../../domain/delivery/delivery.ts';
import { type Departing, departing } from '../../domain/notify/departing.ts';
import type { TargetRecord } from '../../domain/notify/target.ts';
import { wakeAll } from '../commit/commit.ts';
import { put } from '../commit/put.ts';
import { type Rendered, render } from '../messages/render.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';
import { type AttemptParts, type Made, makeAttempt, replace } from './attempt.ts';
import { deliveryWakes } from './wakes.ts';

/** Messages of one target that leave at once write its record one after the other. */
const tries = 6;

/**
 * Lets a message to people leave: it says what is true now, and takes a slot of its target in the write that takes its lease. Where nothing in
 * it is true any more, or there is no slot, it does not leave.
 */
export async function leaveToPeople(parts: AttemptParts, stored: Stored<'deliveries'>): Promise<Made | null> {
  const { world } = parts;
  let known = stored;
  for (let count = 0; count < tries; count += 1) {
    const decided = await decide(world, known);
    const made = await carriedOut(parts, known, decided);
    if (made) return made;
    const [again = null] = await world.store.get('deliveries', [stored.id]);
    // Another has taken up the delivery itself, and not only a slot of its target.
    if (!again || again.data.version !== known.data.version) return null;
    known = again;
  }
  return null;
}

type Decision = { departing: Departing; target: Stored<'targets'> | null; rendered: Rendered | null };

async function decide(world: World, { data }: Stored<'deliveries'>): Promise<Decision> {
  const now = world.now();
  const [[target = null], rendered] = await Promise.all([
    world.store.get('targets', [data.slot?.targetId ?? '']),
    render(world, data, now),
  ]);
  return { departing: departing(data, target?.data ?? null, rendered !== null, now, world.waits), target, rendered };
}

async function carriedOut(
  parts: AttemptParts,
  stored: Stored<'deliveries'>,
  { departing: { delivery, leaves, opens }, target, rendered }: Decision,
): Promise<Made | null> {
  if (!leaves || !rendered) return settled(parts.world, stored, delivery, opens && { opens, target });
  const departure = { body: rendered.body, slot: delivery.slot, beside: besides(leaves, target, rendered) };
  const made = await makeAttempt(parts, stored, null, departure);
  const { targetId: id, version, dueAt } = leaves;
  if (made && dueAt && dueAt !== target?.data.dueAt)
    await wakeAll(parts.world, [{ in: 'targets', id, version, dueAt }]);
  return made;
}

function besides(leaves: TargetRecord, target: Stored<'targets'> | null, { link }: Rendered): Write[] {
  const write = put('targets', leaves.targetId, leaves, target);
  return link ? [write, put('links', link.linkId, link, null)] : [write];
}

/** Writes what was decided of a delivery that does not leave now. Null where another process was first. */
export async function settled(
  world: World,
  { id, revision }: Stored<'deliveries'>,
  delivery: Delivery,
  window?: { opens: TargetRecord; target: Stored<'targets'> | null },
): Promise<Made | null> {
  const beside = window ? [put('targets', window.opens.targetId, window.opens, window.target)] : [];
  if (!(await replace(world, id, delivery, revision, beside))) return null;
  const { targetId = '', version = 0, dueAt: closesAt = null } = window?.opens ?? {};
  const wakes: Wake[] = closesAt ? [{ in: 'targets', id: targetId, version, dueAt: closesAt }] : [];
  await wakeAll(world, [...deliveryWakes([delivery]), ...wakes]);
  const { deliveryId, channel, eventType, eventId, status, dismissedReason, dueAt } = delivery;
  world.log.info('delivery.not-left', { deliveryId, channel, eventType, eventId, status, dismissedReason, dueAt });
  return { kind: 'settled', delivery };
}
