import { heartbeatIdOf, heartbeatOf } from '../../domain/drill/heartbeat.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { put } from '../commit/put.ts';
import { deliveryWakes } from '../deliveries/wakes.ts';
import type { World } from '../ports.ts';

/**
 * Owes each address of the watch outside its beat. `deliver` sends it, so that a beat proves the sweep and `deliver`; that the platform sees,
 * and so `ingest`, is for the caller to know.
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
