import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import type { Instant } from '../time.ts';
import type { Undo } from '../undo.ts';

/**
 * What could not be read. `undo`: who may take its dismissal back. `attributes`: JSON text, since their names are anybody's and none of the
 * store's.
 */
export type QuarantineRecord = Omit<QuarantinedReport, 'undoUntil' | 'attributes'> & {
  attributes: string;
  /** The last message that `suppressed` counts, so that no count of another instance looks like one of ours. */
  lastSuppressed: string | null;
  undo: Undo | null;
  expireAt: Instant;
};
