import { put } from '../../../shared/app/commit/commit.ts';
import type { World } from '../../../shared/app/ports.ts';
import { newSight, type SightRecord, sightId } from '../../../shared/domain/sight/sight.ts';

/** Stores the record of the platform's sight (its state and horizon), as if the last sweep had written it. */
export async function giveSight({ store, now }: Pick<World, 'store' | 'now'>, given: Partial<SightRecord> = {}) {
  const [stored = null] = await store.get('platform', [sightId]);
  await store.commit([put('platform', sightId, { ...newSight(now()), ...given }, stored)]);
}
