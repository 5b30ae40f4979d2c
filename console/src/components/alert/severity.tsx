import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { AlertStatus, Severity } from '../../../../shared/schema/vocabulary.ts';
import { severityNames } from '../../model.ts';

/**
 * Each severity has its own shape, so that colour is never the only sign. The mark is a single element without an SVG,
 * because a long list has many marks.
 */
export function SeverityMark({ severity }: { severity: Severity }): JSX.Element {
  const name = severityNames[severity];
  return <span class={`mark mark-${severity}`} role="img" aria-label={name} title={name} />;
}

export function SeverityBadge({ severity }: { severity: Severity }): JSX.Element {
  return (
    <span class={`badge sev-${severity}`}>
      <span class={`mark mark-${severity}`} aria-hidden="true" />
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

/** The state of an alert as one word. An active alert that is snoozed shows `Snoozed`. */
export function StatusChip({ alert }: { alert: Pick<Alert, 'status' | 'snoozedUntil'> }): JSX.Element {
  const isSnoozed = alert.snoozedUntil !== null && alert.status === 'active';
  return (
    <span class={`chip status-${isSnoozed ? 'snoozed' : alert.status}`}>
      {isSnoozed ? 'Snoozed' : statusNames[alert.status]}
    </span>
  );
}
