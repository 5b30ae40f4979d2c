import type { AlertStatus, Occasion, Severity } from '../../schema/vocabulary.ts';

/** What makes a message of an occasion true, in the terms of a query. */
type State = { field: 'isOpen' | 'isFolded'; value: boolean } | { field: 'status'; value: AlertStatus };

/** `began`: news for whoever is on duty. The others are for those who were notified that it began. */
type Row = { phase: 'began' | 'taken' | 'over'; holds: readonly State[] };

// Of what is part of an incident by now, the incident tells.
const isAlone: State = { field: 'isFolded', value: false };
const isOpen: State[] = [{ field: 'isOpen', value: true }, isAlone];
const isEscalated: State[] = [{ field: 'status', value: 'escalated' }, isAlone];
const isOver: State[] = [{ field: 'isOpen', value: false }];

/** Every occasion on which people are notified, of alerts and of incidents. */
export const occasionTable: Record<Occasion, Row> = {
  opened: { phase: 'began', holds: isOpen },
  reopened: { phase: 'began', holds: isOpen },
  worsened: { phase: 'began', holds: isOpen },
  // An incident is wider than it was told to be.
  updated: { phase: 'began', holds: isOpen },
  flapping: { phase: 'began', holds: isOpen },
  'snooze-ended': { phase: 'began', holds: isOpen },
  'maintenance-ended': { phase: 'began', holds: isOpen },
  // That nobody has answered is no longer true when somebody has.
  escalated: { phase: 'began', holds: isEscalated },
  reminded: { phase: 'began', holds: isEscalated },
  acknowledged: { phase: 'taken', holds: [{ field: 'status', value: 'acknowledged' }, isAlone] },
  resolved: { phase: 'over', holds: isOver },
  // A wider incident speaks for this one.
  joined: { phase: 'over', holds: isOver },
};

/** Whether a message of the occasion is true of a record as it is now. What is informational is over at birth, and told all the same. */
export function holdsFor(
  occasion: Occasion,
  record: { severity: Severity; isOpen: boolean; isFolded: boolean; status: AlertStatus },
): boolean {
  if (record.severity === 'INFO') return !record.isFolded;
  return occasionTable[occasion].holds.every(({ field, value }) => record[field] === value);
}
