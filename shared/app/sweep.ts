import { allShards } from '../domain/device.ts';
import { plus } from '../domain/time.ts';
import { handleDeviceDue } from './handle-due.ts';
import type { World } from './ports.ts';
import { wakeOverdueDeliveries } from './sweep-deliveries.ts';
import { findAll, forEachOf, pageSize } from './sweep-pages.ts';
import { sweepSilence } from './sweep-silence.ts';

/** Finds what no alarm woke, and the devices that have fallen silent. */
export async function sweep(world: World): Promise<{ devices: number; silent: number; deliveries: number }> {
  const devices = await sweepDevices(world);
  const silent = await sweepSilence(world);
  const deliveries = await wakeOverdueDeliveries(world);
  return { devices, silent, deliveries };
}

/** Devices that have been due for longer than the grace an alarm has. */
async function sweepDevices(world: World): Promise<number> {
  const until = plus(world.now(), -world.waits.alarmGrace);
  const overdue = await findAll<'devices'>((after) =>
    world.store.find({
      in: 'devices',
      where: [
        { field: 'shard', is: 'in', value: allShards },
        { field: 'dueAt', is: '<=', value: until },
      ],
      orderBy: [['dueAt', 'asc']],
      limit: pageSize,
      ...(after ? { after: [after.data.dueAt, after.id] } : {}),
    }),
  );
  await forEachOf(world, overdue, ({ id }) => handleDeviceDue(world, id));
  if (overdue.length > 0) world.log.warn('sweep.found', { devices: overdue.length });
  return overdue.length;
}
