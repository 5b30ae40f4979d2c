import type { Detection } from '../../schema/detection/detection.ts';
import type {
  AlertCode,
  Category,
  guardianAlertCodes,
  IncidentKind,
  incidentEventChanges,
  Severity,
} from '../../schema/vocabulary.ts';
import type { Instant } from '../time.ts';

/** Where a camera is. Null site: it has none. */
export type Location = { site: string | null; tags: Readonly<Record<string, string>> };

/**
 * What filters compare an event with. A member that the event does not have is absent, and no filter asks for it: an incident has no code, and a
 * detection no severity.
 */
export type EventFacts = Partial<Location> & {
  at: Instant;
  /** Empty: the event is not about one camera. */
  deviceId: string;
  groupId: string;
  objects?: Detection['analysis']['objects'];
  severity?: Severity;
  code?: AlertCode | (typeof guardianAlertCodes)[number];
  category?: Category;
  change?: (typeof incidentEventChanges)[number];
  kind?: IncidentKind;
  /** An alert that belongs to an open incident. */
  isMember?: true;
};
