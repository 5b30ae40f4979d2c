import { drillId, drillNow } from '../../domain/drill/drill.ts';
import type { DrillView } from '../../domain/sight/drill-view.ts';
import type { Reads, Stored, World } from '../ports.ts';

/** The record of the standing drill. Null: no round has begun yet. */
export async function loadDrill({ store }: Reads<'drills'>): Promise<Stored<'drills'> | null> {
  const [stored = null] = await store.get('drills', [drillId]);
  return stored;
}

/** The present state of the standing drill. Null: no drill is set up, or the first round is not over. */
export async function viewOfDrill(world: World): Promise<DrillView | null> {
  const stored = world.drill ? await loadDrill(world) : null;
  const verdict = stored && drillNow(stored.data, world.now(), world.waits);
  if (!verdict) return null;
  const { state, hop, since, lastPassedAt } = verdict;
  return { state, hop, since, lastPassedAt };
}
