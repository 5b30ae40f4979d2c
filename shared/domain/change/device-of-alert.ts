import type { AlertRecord } from '../alert/alert.ts';
import { isInformational } from '../alert/catalogue.ts';
import type { AlertChange } from '../alert/change.ts';
import { withSettledFailures } from '../device/auth-failures.ts';
import type { Device, EndedAlert } from '../device/device.ts';
import { thresholds } from '../limits.ts';
import type { Instant } from '../time.ts';

/**
 * Applies a person's action on an alert to the device in the same commit, because the device holds the open alert of each code and its
 * snooze.
 * @returns the device after the action, null where it does not change, or the other alert of that code that is open on the device
 */
export function deviceAfter(
  device: Device,
  alert: AlertRecord,
  change: Exclude<AlertChange, { kind: 'open' }>,
  now: Instant,
): Device | null | { openAlertId: string } {
  const until = change.kind === 'snooze' ? change.until : null;
  const next =
    change.kind === 'resolve'
      ? withEnded(device, alert, now)
      : change.kind === 'reopen'
        ? withReopened(device, alert, now)
        : change.kind === 'snooze' || change.kind === 'unsnooze'
          ? withSnooze(device, alert, until)
          : null;
  return next && !('openAlertId' in next) ? { ...next, version: device.version + 1 } : next;
}

function withEnded(device: Device, { code, alertId }: AlertRecord, now: Instant): Device | null {
  const { [code]: last, ...open } = device.open;
  if (last?.alertId !== alertId) return null;
  const marks = last.marks ? { marks: last.marks } : {};
  const end: EndedAlert = { alertId, endedAt: now, by: 'hand', reopenedAt: [], ...marks };
  return withEventsSettled({ ...device, open, ended: { ...device.ended, [code]: end } }, code, now);
}

/** A person's action settles an alert that events raised: only new events raise it again, whenever they were published. */
function withEventsSettled(device: Device, code: AlertRecord['code'], now: Instant): Device {
  switch (code) {
    case 'SEC_001': {
      const { validity } = device.certificate;
      if (!validity?.isEvent) return device;
      return { ...device, certificate: { ...device.certificate, validity: { ...validity, isSettled: true } } };
    }
    case 'SEC_002': {
      const settled = [...device.settledAttempts, ...device.attempts.map(({ key }) => key)];
      return { ...device, attempts: [], settledAttempts: settled.slice(-thresholds.settledKept) };
    }
    case 'SEC_004':
      return { ...device, authFailures: withSettledFailures(device.authFailures, now) };
    default:
      return device;
  }
}

/** A snooze applies to a device and a code until its instant, whichever alert of that code is open then. */
function withSnooze(device: Device, { code }: AlertRecord, until: Instant | null): Device {
  const { [code]: _, ...others } = device.snoozed;
  return { ...device, snoozed: until === null ? others : { ...others, [code]: until } };
}

function withReopened(
  device: Device,
  { code, alertId }: AlertRecord,
  now: Instant,
): Device | null | { openAlertId: string } {
  const other = device.open[code];
  if (other && other.alertId !== alertId) return { openAlertId: other.alertId };
  if (isInformational(code)) return null;
  const { [code]: _, ...ended } = device.ended;
  return { ...device, ended, open: { ...device.open, [code]: { alertId, since: now, reopened: 'waits' } } };
}
