import type { SightState } from '../../schema/vocabulary.ts';
import type { Waits } from '../limits.ts';
import { type Instant, msBetween } from '../time.ts';
import type { DrillView } from './drill-view.ts';
import type { SightRecord } from './sight.ts';

/** What is known of the platform's sight between two sweeps. */
export type SightView = {
  state: SightState;
  /** Null: no sweep has run yet. */
  since: Instant | null;
  isSwept: boolean;
  record: SightRecord | null;
  drill: DrillView | null;
};

/** The present view. If the sweep has stopped, its last result is no longer valid and the platform counts as blind. */
export function viewOfSight(record: SightRecord | null, now: Instant, waits: Waits): SightView {
  if (!record) return { state: 'blind', since: null, isSwept: false, record, drill: null };
  const isSwept = msBetween(record.sweptAt, now) <= waits.canaryBlind;
  return isSwept
    ? { state: record.state, since: record.since, isSwept, record, drill: record.drill ?? null }
    : { state: 'blind', since: record.sweptAt, isSwept, record, drill: withoutSweep(record) };
}

/** Without sweeps no drill starts. */
function withoutSweep({ drill = null, sweptAt: since }: SightRecord): DrillView | null {
  return drill && { state: 'broken', hop: 'sweep', since, lastPassedAt: drill.lastPassedAt };
}
