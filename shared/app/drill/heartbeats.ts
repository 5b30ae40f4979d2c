import { heartbeatIdOf, heartbeatOf } from '../../domain/drill/heartbeat.ts';
import { decideAndCommit, put } from '../commit/commit.ts';

import { deliveryWakes } from '../deliveries/wakes.ts';
import type { World } from '../ports.ts';

/**
 * Creates the next heartbeat of each external watchdog address. `deliver` sends it, so a beat proves that the sweep and `deliver` work. The caller
 * must make sure that the platform sees, which includes `ingest`.
 */
export async function beatHearts(world: World, addresses: number): Promise<void> {
  const ids = Array.from({ length: addresses }, (_unused, index) => heartbeatIdOf(index));
  if (ids.length === 0) return;
  await decideAndCommit(world, async () => {
    const stored = await world.store.get('deliveries', ids);
    const beats = ids.flatMap((id, index) => {
      const before = stored[index] ?? null;
      const delivery = heartbeatOf(index, before?.data ?? null, world.now());
      return delivery ? [{ delivery, write: put('deliveries', id, delivery, before) }] : [];
    });
    return {
      writes: beats.map(({ write }) => write),
      wakes: deliveryWakes(beats.map(({ delivery }) => delivery)),
      answer: undefined,
    };
  });
}
