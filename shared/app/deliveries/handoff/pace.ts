import { isOpen, slotsAfter } from '../../../domain/delivery/handoff/pace.ts';
import type { Instant } from '../../../domain/time.ts';
import { decideAndCommit, put } from '../../commit/commit.ts';

import type { World } from '../../ports.ts';

/** Assigns a send time to each request with a key that allows only some requests per minute. All processes share the times. */
export type Pace = { slot(paceId: string, perMinute: number): Promise<Instant> };

/** One write reserves several times, and the process keeps the rest. While little is sent, each request costs one read and one write. */
export function createPace(world: World): Pace {
  const lanes = new Map<string, { slots: Instant[]; taking: Promise<void> | null }>();
  return {
    async slot(paceId, perMinute) {
      const lane = lanes.get(paceId) ?? { slots: [], taking: null };
      lanes.set(paceId, lane);
      for (;;) {
        lane.slots = lane.slots.filter((at) => isOpen(at, world.now()));
        const slot = lane.slots.shift();
        if (slot) return slot;
        lane.taking ??= taken(world, paceId, perMinute)
          .then((slots) => void lane.slots.push(...slots))
          .finally(() => {
            lane.taking = null;
          });
        await lane.taking;
      }
    },
  };
}

function taken(world: World, paceId: string, perMinute: number): Promise<Instant[]> {
  return decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('paces', [paceId]);
    const { slots, nextAt } = slotsAfter(stored?.data.nextAt ?? null, perMinute, world.now());
    const record = { paceId, nextAt, by: world.newToken() };
    return { writes: [put('paces', paceId, record, stored)], wakes: [], answer: slots };
  });
}
