import { type CanaryRecord, canariesOf, canaryIdOf } from '../../domain/sight/canary.ts';
import { type SightRecord, sightId } from '../../domain/sight/sight.ts';
import { type SightView, viewOfSight } from '../../domain/sight/view.ts';
import type { Instant } from '../../domain/time.ts';
import { wayNames } from '../../schema/vocabulary.ts';
import type { Reads, Stored, World } from '../ports.ts';

/** The horizon of the last sweep: no message that was published before it is missing. Null: no sweep has run yet. */
export async function loadHorizon({ store }: Reads<'platform'>): Promise<Instant | null> {
  return (await loadSight({ store }))?.data.horizonAt ?? null;
}

/** The incident of a blindness that continues. */
export async function blindIncidentId({ store }: Reads<'platform'>): Promise<string | null> {
  return (await loadSight({ store }))?.data.incidentId ?? null;
}

/** What is needed to view the platform's sight. */
export type SightReads = Reads<'platform'> & Pick<World, 'now' | 'waits'>;

/** What the platform can see now. */
export async function viewSight({ store, now, waits }: SightReads): Promise<SightView> {
  const stored = await loadSight({ store });
  return viewOfSight(stored?.data ?? null, now(), waits);
}

type StoredSight = Stored<'platform'> & { data: SightRecord };

async function loadSight({ store }: Reads<'platform'>): Promise<StoredSight | null> {
  const [stored = null] = await store.get('platform', [sightId]);
  return isSight(stored) ? stored : null;
}

const canaryIds = wayNames.flatMap((way) =>
  Array.from({ length: canariesOf[way] }, (_unused, n) => canaryIdOf({ way, n })),
);

/** The record of the last sweep, and the canaries that have arrived. */
export async function loadSightings({
  store,
}: Pick<World, 'store'>): Promise<{ stored: StoredSight | null; canaries: CanaryRecord[] }> {
  const [stored = null, ...found] = await store.get('platform', [sightId, ...canaryIds]);
  const canaries = found.flatMap((record) => (record?.data.kind === 'canary' ? [record.data] : []));
  return { stored: isSight(stored) ? stored : null, canaries };
}

function isSight(stored: Stored<'platform'> | null): stored is StoredSight {
  return stored?.data.kind === 'sight';
}
