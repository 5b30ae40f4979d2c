import { allShards } from '../../domain/device/device.ts';
import { plus } from '../../domain/time.ts';
import type { World } from '../ports.ts';
import { alertParts } from './alert-due.ts';
import { handleDeviceDue } from './device-due.ts';
import { wakeOverdueDeliveries } from './sweep-deliveries.ts';
import { findAll, forEachOf, inTurn, pageSize } from './sweep-pages.ts';
import { sweepSilence } from './sweep-silence.ts';

const parts = { devices: sweepDevices, silent: sweepSilence, deliveries: wakeOverdueDeliveries };

/** Finds what no alarm woke, and the devices that have fallen silent. */
export function sweep(world: World): Promise<Record<keyof typeof parts, number>> {
  return inTurn(world, parts);
}

/** The sweep of each minute: that, and the alerts with all that belongs to them. */
export function sweepAll(world: World): Promise<Record<keyof typeof parts | keyof typeof alertParts, number>> {
  return inTurn(world, { ...parts, ...alertParts });
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
