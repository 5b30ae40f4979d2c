import { type Device, nameOf } from '../device/device.ts';

/** The new name of a device on an alert that stays open on it. */
export type Rename = { alertId: string; deviceName: string | null };

/** Renames the alerts that stay open on a device whose name changed. */
export function renamesOf(before: Device, after: Device): Rename[] {
  const deviceName = nameOf(after);
  if (deviceName === nameOf(before)) return [];
  const open = new Set(Object.values(after.open).map(({ alertId }) => alertId));
  const stay = Object.values(before.open).filter(({ alertId }) => open.has(alertId));
  return stay.map(({ alertId }) => ({ alertId, deviceName }));
}
