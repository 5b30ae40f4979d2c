import type { DrillHop, DrillState } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';

/** What is shown of the standing drill. `hop`: the first that is broken. */
export type DrillView = { state: DrillState; hop: DrillHop | null; since: Instant; lastPassedAt: Instant | null };

/** No drill begins without a sweep. @param sweptAt when the last one ran */
export function withoutSweep(drill: DrillView | null, sweptAt: Instant): DrillView | null {
  return drill && { state: 'broken', hop: 'sweep', since: sweptAt, lastPassedAt: drill.lastPassedAt };
}
