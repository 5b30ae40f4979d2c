import type { JSX } from 'preact';
import type { Alert } from '../../../shared/schema/alert/alert.ts';
import { SeverityMark, StatusChip } from './severity.tsx';
import { Time } from './time.tsx';

type Props = {
  alert: Alert;
  address: string;
  isCurrent?: boolean;
  isSelected?: boolean;
  onSelect?: ((isSelected: boolean) => void) | undefined;
};

/** One alert in a list: a box to select it and a link that opens it. */
export function AlertRow({ alert, address, isCurrent = false, isSelected = false, onSelect }: Props): JSX.Element {
  const { severity, code, message, deviceId, groupId, timestamp, occurrences, priority, flapping } = alert;
  return (
    <div
      class={`alert-row${isCurrent ? ' current' : ''}${alert.resolved ? ' over' : ''}${isSelected ? ' selected' : ''}`}
    >
      {onSelect ? (
        <label class="pick">
          <input
            type="checkbox"
            aria-label={`Select ${code} of ${deviceId}`}
            checked={isSelected}
            onChange={(event) => onSelect(event.currentTarget.checked)}
          />
        </label>
      ) : null}
      <a href={address} aria-current={isCurrent ? 'true' : undefined} data-alert={alert.alertId}>
        <SeverityMark severity={severity} />
        <span class="when">
          <Time at={timestamp} />
        </span>
        <span class="code">{code}</span>
        <span class="what" title={message}>
          {message}
        </span>
        <span class="marks">
          {priority ? <span class="chip">{priority}</span> : null}
          {flapping ? <span class="chip">Flapping</span> : null}
          {occurrences > 1 ? (
            <span class="count" title={`Seen ${occurrences} times`}>
              ×{occurrences}
            </span>
          ) : null}
        </span>
        <span class="where">
          {deviceId} <span class="quiet">{groupId}</span>
        </span>
        <StatusChip alert={alert} />
      </a>
    </div>
  );
}
