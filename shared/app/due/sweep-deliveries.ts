import type { Delivery } from '../../domain/delivery/delivery.ts';
import { allShards } from '../../domain/shards.ts';
import { plus } from '../../domain/time.ts';
import { wakeAll } from '../commit/commit.ts';
import { deliveryWakes } from '../deliveries/wakes.ts';
import { Conflict, type Stored, type World } from '../ports.ts';
import { forEachOf } from './sweep-pages.ts';

/** Most deliveries that one sweep wakes: the next, a minute later, goes on. */
const batchSize = 400;

/**
 * Wakes deliveries whose alarm was lost, and those whose lease has run out since its process died: a lease moves `dueAt` to its end.
 * Each is given a new version first, since an alarm of the old one may not be set twice.
 */
export async function wakeOverdueDeliveries(world: World): Promise<number> {
  const overdue = await world.store.find({
    in: 'deliveries',
    where: [
      { field: 'shard', is: 'in', value: allShards },
      { field: 'dueAt', is: '<=', value: plus(world.now(), -world.waits.alarmGrace) },
    ],
    orderBy: [['dueAt', 'asc']],
    limit: batchSize,
  });
  const woken: Delivery[] = [];
  await forEachOf(world, overdue, async (stored) => {
    const delivery = await renewed(world, stored);
    if (delivery) woken.push(delivery);
  });
  await wakeAll(world, deliveryWakes(woken));
  return overdue.length;
}

/** Null where somebody has taken it up meanwhile. */
async function renewed(world: World, { id, data, revision }: Stored<'deliveries'>): Promise<Delivery | null> {
  const next = { ...data, version: data.version + 1 };
  try {
    await world.store.commit([{ kind: 'replace', in: 'deliveries', id, data: next, revision }]);
    return next;
  } catch (error) {
    if (error instanceof Conflict) return null;
    throw error;
  }
}
