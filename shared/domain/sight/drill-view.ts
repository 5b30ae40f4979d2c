import type { DrillHop, DrillState } from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';

/** What is shown of the standing drill. `hop`: the first step that failed. */
export type DrillView = { state: DrillState; hop: DrillHop | null; since: Instant; lastPassedAt: Instant | null };
