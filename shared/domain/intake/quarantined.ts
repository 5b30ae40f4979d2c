import type { QuarantinedReport } from '../../schema/quarantine/quarantine.ts';
import type { Instant } from '../time.ts';
import type { Undo } from '../undo.ts';

/**
 * A message that could not be read. `undo`: who may undo its dismissal. `attributes`: JSON text, because anybody can choose their names and
 * the store does not allow all names.
 */
export type QuarantineRecord = Omit<QuarantinedReport, 'undoUntil' | 'attributes' | 'deviceName' | 'site'> & {
  attributes: string;
  /** The last message that `suppressed` counts, so that a count written by another instance is not taken for ours. */
  lastSuppressed: string | null;
  undo: Undo | null;
  expireAt: Instant;
};
/** Members of a message in quarantine that lists omit: its bytes in base64, and all of its attributes as JSON text. */
export type QuarantinedBytes = { data: string; attributes: string; expireAt: Instant };
/** How many messages of one device and hour quarantine has kept, and the last of them. */
export type QuarantineBudget = { count: number; lastReportId: string; expireAt: Instant };
