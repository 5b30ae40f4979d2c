import type { CanaryRecord } from '../../domain/sight/canary.ts';
import { type SightRecord, type SightView, sightId, viewOfSight } from '../../domain/sight/sight.ts';

import type { Instant } from '../../domain/time.ts';
import type { Filter, Reads, Stored, World } from '../ports.ts';

/** The horizon of the last sweep: no message that was published before it is missing. Null: no sweep has run yet. */
export async function loadHorizon({ store }: Reads<'platform'>): Promise<Instant | null> {
  return (await loadSight({ store }))?.data.horizonAt ?? null;
}

/** What is needed to view the platform's sight. */
export type SightReads = Reads<'platform'> & Pick<World, 'now' | 'waits'>;

/** What the platform can see now. */
export async function viewSight({ store, now, waits }: SightReads): Promise<SightView> {
  const stored = await loadSight({ store });
  return viewOfSight(stored?.data ?? null, now(), waits);
}

type StoredSight = Stored<'platform'> & { data: SightRecord };

/** The record of the last sweep. */
export async function loadSight({ store }: Reads<'platform'>): Promise<StoredSight | null> {
  const [stored = null] = await store.get('platform', [sightId]);
  return isSight(stored) ? stored : null;
}

/** More canaries than there can be: those of Pub/Sub, and one for each bridge of every division. */
const mostCanaries = 200;

/** The canaries that have arrived. */
export async function loadCanaries({ store }: Pick<World, 'store'>): Promise<CanaryRecord[]> {
  const where: Filter<'platform'>[] = [{ field: 'kind', is: '==', value: 'canary' }];
  const found = await store.find({ in: 'platform', where, limit: mostCanaries });
  return found.flatMap(({ data }) => (data.kind === 'canary' ? [data] : []));
}

function isSight(stored: Stored<'platform'> | null): stored is StoredSight {
  return stored?.data.kind === 'sight';
}
