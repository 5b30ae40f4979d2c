import { allShards } from '../domain/device.ts';
import { plus } from '../domain/time.ts';
import { handleDeviceDue } from './handle-due.ts';
import type { World } from './ports.ts';
import { wakeOverdueDeliveries } from './sweep-deliveries.ts';

/** Most records that one sweep looks at: the next, a minute later, goes on. */
const batchSize = 400;

/** Finds what no alarm woke: records that have been due for longer than the grace an alarm has. */
export async function sweep(world: World): Promise<{ devices: number; deliveries: number }> {
  const deliveries = await wakeOverdueDeliveries(world);
  const overdue = await world.store.find({
    in: 'devices',
    where: [
      { field: 'shard', is: 'in', value: allShards },
      { field: 'dueAt', is: '<=', value: plus(world.now(), -world.waits.alarmGrace) },
    ],
    orderBy: [['dueAt', 'asc']],
    limit: batchSize,
  });
  for (const { id } of overdue) await handleDeviceDue(world, id);
  const found = { devices: overdue.length, deliveries };
  if (overdue.length + deliveries > 0) world.log.warn('sweep.found', found);
  return found;
}
