import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { AlertStatus, Severity } from '../../../../shared/schema/vocabulary.ts';
import { severityNames } from '../../model.ts';

/** Each severity has its own shape, so that colour is never the only sign. */
const shapes: Record<Severity, string> = {
  CRITICAL: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z',
  ERROR: 'M8 0.5L15.5 8 8 15.5 0.5 8z',
  WARNING: 'M8 1.2L15.6 14.6H0.4z',
  INFO: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z',
};

export function SeverityMark({ severity }: { severity: Severity }): JSX.Element {
  return (
    <svg class={`mark mark-${severity}`} viewBox="0 0 16 16" role="img" aria-label={severityNames[severity]}>
      <title>{severityNames[severity]}</title>
      <path d={shapes[severity]} />
    </svg>
  );
}

export function SeverityBadge({ severity }: { severity: Severity }): JSX.Element {
  return (
    <span class={`badge sev-${severity}`}>
      <svg class={`mark mark-${severity}`} viewBox="0 0 16 16" aria-hidden="true">
        <path d={shapes[severity]} />
      </svg>
      {severityNames[severity]}
    </span>
  );
}

const statusNames: Record<AlertStatus, string> = {
  active: 'Active',
  acknowledged: 'Acknowledged',
  escalated: 'Escalated',
  resolved: 'Resolved',
};

/** The state of an alert as one word, with details such as a snooze. */
export function StatusChip({ alert }: { alert: Pick<Alert, 'status' | 'snoozedUntil'> }): JSX.Element {
  const isSnoozed = alert.snoozedUntil !== null && alert.status === 'active';
  return (
    <span class={`chip status-${isSnoozed ? 'snoozed' : alert.status}`}>
      {isSnoozed ? 'Snoozed' : statusNames[alert.status]}
    </span>
  );
}
