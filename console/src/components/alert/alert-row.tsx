import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { Time } from '../time.tsx';
import { SeverityMark, StatusChip } from './severity.tsx';

type Props = {
  alert: Alert;
  address: string;
  isCurrent?: boolean;
  isSelected?: boolean;
  /** In a list with arrow-key navigation, only one row is a tab stop. */
  isTabStop?: boolean | undefined;
  onSelect?: ((isSelected: boolean) => void) | undefined;
};

/** One alert in a list: camera, place, alert, start and state. On a narrow screen the message is shortened, never the camera. */
export function AlertRow(props: Props): JSX.Element {
  const { alert, address, isCurrent = false, isSelected = false, isTabStop, onSelect } = props;
  const { severity, code, message, deviceId, deviceName, groupId, timestamp, occurrences, priority, flapping } = alert;
  return (
    <div
      class={`alert-row${isCurrent ? ' current' : ''}${alert.resolved ? ' over' : ''}${isSelected ? ' selected' : ''}`}
    >
      {onSelect ? (
        <label class="pick">
          <input
            type="checkbox"
            aria-label={`Select ${code} of ${deviceName ?? deviceId}`}
            checked={isSelected}
            {...(isTabStop === undefined ? {} : { tabIndex: -1 })}
            onChange={(event) => onSelect(event.currentTarget.checked)}
          />
        </label>
      ) : null}
      <a
        href={address}
        aria-current={isCurrent ? 'true' : undefined}
        data-alert={alert.alertId}
        {...(isTabStop === undefined ? {} : { tabIndex: isTabStop ? 0 : -1 })}
      >
        <SeverityMark severity={severity} />
        <span class="where" title={deviceName ? `${deviceName} (${deviceId})` : deviceId}>
          <strong>{deviceName ?? deviceId}</strong> <span class="quiet">{groupId}</span>
        </span>
        <span class="what" title={message}>
          {message}
        </span>
        <span class="marks">
          {priority ? <span class="chip">{priority}</span> : null}
          {alert.worsenedAt && !alert.resolved ? <span class="chip wait">Worse</span> : null}
          {flapping ? <span class="chip">Flapping</span> : null}
          {occurrences > 1 ? (
            <span class="count" title={`Seen ${occurrences} times`}>
              ×{occurrences}
            </span>
          ) : null}
        </span>
        <span class="code">{code}</span>
        <span class="when">
          <Time at={timestamp} />
        </span>
        <StatusChip alert={alert} />
      </a>
    </div>
  );
}
