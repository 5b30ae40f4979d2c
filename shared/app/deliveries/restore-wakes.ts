import { wakeAll } from '../commit/commit.ts';
import type { Wake, World } from '../ports.ts';
import { deliveryWakes } from './wakes.ts';

/** Deliveries of one device that are handled. The sweep finds the rest. */
const batchSize = 200;

/**
 * Sets the wakes of a device's records again. When a process dies between a commit and its wakes, the platform repeats the call, which then
 * finds nothing to change. Without this function the deliveries would wait for the sweep, two minutes in the worst case. An existing wake
 * is not set twice.
 */
export async function restoreWakes(world: World, deviceId: string): Promise<void> {
  const { store } = world;
  const [[device = null], deliveries, fanOuts] = await Promise.all([
    store.get('devices', [deviceId]),
    store.find({
      in: 'deliveries',
      where: [
        { field: 'deviceId', is: '==', value: deviceId },
        { field: 'status', is: '==', value: 'pending' },
      ],
      limit: batchSize,
    }),
    // Fan-out records name no device. Each is deleted when its deliveries exist, so there are very few.
    store.find({
      in: 'fanOuts',
      where: [{ field: 'dueAt', is: '<=', value: world.now() }],
      orderBy: [['dueAt', 'asc']],
      limit: 10,
    }),
  ]);
  const open = Object.values(device?.data.open ?? {}).map(({ alertId }) => alertId);
  const alerts = open.length > 0 ? await store.get('alerts', open) : [];
  const wakes: Wake[] = deliveryWakes(deliveries.map(({ data }) => data));
  if (device?.data.dueAt) {
    wakes.push({ in: 'devices', id: deviceId, version: device.data.version, dueAt: device.data.dueAt });
  }
  for (const alert of alerts) {
    if (alert?.data.dueAt) {
      wakes.push({ in: 'alerts', id: alert.id, version: alert.data.version, dueAt: alert.data.dueAt });
    }
  }
  for (const { id, data } of fanOuts) wakes.push({ in: 'fanOuts', id, version: data.version, dueAt: data.dueAt });
  await wakeAll(world, wakes);
}
