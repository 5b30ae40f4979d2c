import type { AlertStatus, Occasion, Severity } from '../../schema/vocabulary.ts';

/** Conditions on a record, in the terms of a query, under which a message is still true. */
type State = { field: 'isOpen' | 'isMember'; value: boolean } | { field: 'status'; value: AlertStatus };

/** `began`: news for whoever is on duty. Other phases go to those who were notified of the beginning. */
type OccasionRow = { phase: 'began' | 'taken' | 'over'; holds: readonly State[] };

// Excludes members of an incident, because the incident notifies people instead.
const isAlone: State = { field: 'isMember', value: false };
const isOpen: State[] = [{ field: 'isOpen', value: true }, isAlone];
const isEscalated: State[] = [{ field: 'status', value: 'escalated' }, isAlone];
const isOver: State[] = [{ field: 'isOpen', value: false }];

/** Every occasion on which people are notified, of alerts and of incidents. */
export const occasionTable: Record<Occasion, OccasionRow> = {
  opened: { phase: 'began', holds: isOpen },
  reopened: { phase: 'began', holds: isOpen },
  worsened: { phase: 'began', holds: isOpen },
  // The incident covers more than the last notification said.
  updated: { phase: 'began', holds: isOpen },
  // Part of the incident is over.
  recovering: { phase: 'taken', holds: isOpen },
  flapping: { phase: 'began', holds: isOpen },
  'snooze-ended': { phase: 'began', holds: isOpen },
  'maintenance-ended': { phase: 'began', holds: isOpen },
  // No longer true once somebody acknowledges.
  escalated: { phase: 'began', holds: isEscalated },
  reminded: { phase: 'began', holds: isEscalated },
  acknowledged: { phase: 'taken', holds: [{ field: 'status', value: 'acknowledged' }, isAlone] },
  resolved: { phase: 'over', holds: isOver },
  // A wider incident has replaced this one.
  joined: { phase: 'over', holds: isOver },
};

/** Whether the message of an occasion is true for a record now. An informational alert is over from the start and is notified nevertheless. */
export function holdsFor(
  occasion: Occasion,
  record: { severity: Severity; isOpen: boolean; isMember: boolean; status: AlertStatus },
): boolean {
  if (record.severity === 'INFO') return !record.isMember;
  return occasionTable[occasion].holds.every(({ field, value }) => record[field] === value);
}
