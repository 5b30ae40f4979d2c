import { put } from '../../../shared/app/commit/put.ts';
import type { World } from '../../../shared/app/ports.ts';
import { newSight, type SightRecord, sightId } from '../../../shared/domain/sight/sight.ts';

/** Stores what the last sweep saw of the platform's own sight. */
export async function giveSight({ store, now }: Pick<World, 'store' | 'now'>, given: Partial<SightRecord> = {}) {
  const [stored = null] = await store.get('platform', [sightId]);
  await store.commit([put('platform', sightId, { ...newSight(now()), ...given }, stored)]);
}
