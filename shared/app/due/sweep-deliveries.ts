import type { Delivery } from '../../domain/delivery/delivery.ts';
import { allShards } from '../../domain/shards.ts';
import { plus } from '../../domain/time.ts';
import { wakeAll } from '../commit/commit.ts';
import { deliveryWakes } from '../deliveries/wakes.ts';
import { Conflict, type Stored, type World } from '../ports.ts';
import { forEachOf } from './sweep-pages.ts';

/** Maximum number of deliveries that one sweep wakes. The next sweep, a minute later, continues. */
const batchSize = 400;

/**
 * Wakes deliveries whose wake was lost, and those whose lease has ended because its process died (a lease moves `dueAt` to its end). Each
 * first gets a new version, because a wake of the old version cannot be set twice.
 */
export async function wakeOverdueDeliveries(world: World): Promise<number> {
  const overdue = await world.store.find({
    in: 'deliveries',
    where: [
      { field: 'shard', is: 'in', value: allShards },
      { field: 'dueAt', is: '<=', value: plus(world.now(), -world.waits.wakeGrace) },
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

/** Null where another process has started on it in the meantime. */
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
