import type { AlertStatus, Occasion, Severity } from '../../schema/vocabulary.ts';

/** What makes a message of an occasion true, in the terms of a query. */
type State = { field: 'isOpen'; value: boolean } | { field: 'status'; value: AlertStatus };

/** `began`: news for whoever is on duty. The others are for those who were notified that it began. */
type Row = { phase: 'began' | 'taken' | 'over'; holds: State };

const isOpen: State = { field: 'isOpen', value: true };

/** Every occasion on which people are notified, of alerts and of incidents. */
export const occasionTable: Record<Occasion, Row> = {
  opened: { phase: 'began', holds: isOpen },
  reopened: { phase: 'began', holds: isOpen },
  worsened: { phase: 'began', holds: isOpen },
  flapping: { phase: 'began', holds: isOpen },
  'snooze-ended': { phase: 'began', holds: isOpen },
  'maintenance-ended': { phase: 'began', holds: isOpen },
  // That nobody has answered is no longer true when somebody has.
  escalated: { phase: 'began', holds: { field: 'status', value: 'escalated' } },
  reminded: { phase: 'began', holds: { field: 'status', value: 'escalated' } },
  acknowledged: { phase: 'taken', holds: { field: 'status', value: 'acknowledged' } },
  resolved: { phase: 'over', holds: { field: 'isOpen', value: false } },
};

/** Whether a message of the occasion is true of a record as it is now. What is informational is over at birth, and told all the same. */
export function holdsFor(
  occasion: Occasion,
  record: { severity: Severity; isOpen: boolean; status: AlertStatus },
): boolean {
  const { field, value } = occasionTable[occasion].holds;
  return record.severity === 'INFO' || record[field] === value;
}
