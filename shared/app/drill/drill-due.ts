import { judged } from '../../domain/drill/drill.ts';
import type { Instant } from '../../domain/time.ts';
import { type Decided, put } from '../commit/commit.ts';

import type { Stored, World } from '../ports.ts';

/** Judges a round of the standing drill by its traces, and names the step that failed. */
export async function handleDrillDue(world: World, stored: Stored<'drills'>, now: Instant): Promise<Decided<boolean>> {
  const deliveries = await world.store.get('deliveries', stored.data.deliveryIds);
  const round = judged(
    stored.data,
    deliveries.map((delivery) => delivery?.data ?? null),
    now,
    world.waits,
  );
  const { state, hop, detail, since } = round.verdict;
  if (state === 'broken') world.log.error('drill.broken', { hop, detail, since });
  else world.log.info('drill.passed', { since });
  return { writes: [put('drills', stored.id, round, stored)], wakes: [], answer: false };
}
