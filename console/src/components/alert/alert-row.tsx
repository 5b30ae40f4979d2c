import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { Age } from '../time.tsx';
import { ResponseRing } from './response.tsx';
import { SeverityMark, StatusChip } from './severity.tsx';

type Props = {
  alert: Alert;
  address: string;
  isCurrent?: boolean;
  isSelected?: boolean;
  /** In a list with arrow-key navigation, only one row is a tab stop. */
  isTabStop?: boolean | undefined;
  onSelect?: ((isSelected: boolean, isRange: boolean) => void) | undefined;
};

/**
 * One alert in a list: camera, place, alert, age, and who acknowledged it or how much time is left. On a narrow screen the message is shortened,
 * never the camera.
 */
export function AlertRow(props: Props): JSX.Element {
  const { alert, address, isCurrent = false, isSelected = false, isTabStop, onSelect } = props;
  const { severity, code, message, deviceId, deviceName, groupId, site, timestamp } = alert;
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
            onClick={(event) => onSelect(event.currentTarget.checked, event.shiftKey)}
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
          <strong>{deviceName ?? deviceId}</strong> <span class="quiet">{site ?? groupId}</span>
        </span>
        <span class="what" title={message}>
          {message}
        </span>
        <Marks alert={alert} />
        <span class="code">{code}</span>
        <Age at={timestamp} mayHaveFocus={isTabStop !== false} />
        {alert.resolved ? <StatusChip alert={alert} /> : <ResponseRing of={{ ...alert, startedAt: timestamp }} />}
      </a>
    </div>
  );
}

/** What is unusual about an alert: most have nothing here. */
function Marks({ alert }: { alert: Alert }): JSX.Element | null {
  const { priority, worsenedAt, resolved, flapping, occurrences } = alert;
  const isWorse = worsenedAt !== null && !resolved;
  if (!priority && !isWorse && !flapping && occurrences <= 1) return null;
  return (
    <span class="marks">
      {priority ? <span class="chip">{priority}</span> : null}
      {isWorse ? <span class="chip wait">Worse</span> : null}
      {flapping ? <span class="chip">Flapping</span> : null}
      {occurrences > 1 ? (
        <span class="count" title={`Seen ${occurrences} times`}>
          ×{occurrences}
        </span>
      ) : null}
    </span>
  );
}
