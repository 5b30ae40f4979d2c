import type { AlertRecord } from '../alert/alert.ts';
import { isInformational } from '../alert/catalogue.ts';
import type { AlertChange } from '../alert/change.ts';
import type { Device } from '../device/device.ts';
import type { Waits } from '../limits.ts';
import { earliest, type Instant, plus } from '../time.ts';

/**
 * The device holds the open alert of each code, so resolving and reopening by hand change it in the same commit. One that was resolved by
 * hand stays quiet for a while although its condition holds, and the device is looked at when that while is over: it may never report again.
 * @returns the device as it shall be, null where it stays; or the other alert of the code that is open on it
 */
export function deviceAfter(
  device: Device,
  alert: AlertRecord,
  change: AlertChange['kind'],
  now: Instant,
  waits: Waits,
): Device | null | { openAlertId: string } {
  const next =
    change === 'resolve'
      ? withEnded(device, alert, now, waits)
      : change === 'reopen'
        ? withReopened(device, alert, now)
        : null;
  return next && !('openAlertId' in next) ? { ...next, version: device.version + 1 } : next;
}

function withEnded(device: Device, { code, alertId }: AlertRecord, now: Instant, waits: Waits): Device | null {
  if (device.open[code]?.alertId !== alertId) return null;
  const { [code]: _, ...open } = device.open;
  const ended = { ...device.ended, [code]: { alertId, endedAt: now, by: 'hand' as const, reopenedAt: [] } };
  return { ...device, open, ended, dueAt: earliest([device.dueAt, plus(now, waits.manualMute)]) };
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
  return { ...device, ended, open: { ...device.open, [code]: { alertId, since: now } } };
}
