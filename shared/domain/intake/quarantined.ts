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
/** What lists do not carry of a message in quarantine: its bytes in base64, and all of its attributes as JSON text. */
export type QuarantinedBytes = { data: string; attributes: string; expireAt: Instant };
/** How many messages of one device and hour quarantine has kept, and the last of them. */
export type QuarantineBudget = { count: number; lastReportId: string; expireAt: Instant };
