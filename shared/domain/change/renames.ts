import { type Device, type Whereabouts, whereaboutsOf } from '../device/device.ts';
import { isSame } from '../same.ts';

/** The new name and site of a device on an alert that stays open on it. */
export type Rename = Whereabouts & { alertId: string };

/** Renames the alerts that stay open on a device whose name or site changed. */
export function renamesOf(before: Device, after: Device): Rename[] {
  const whereabouts = whereaboutsOf(after);
  if (isSame(whereabouts, whereaboutsOf(before))) return [];
  const open = new Set(Object.values(after.open).map(({ alertId }) => alertId));
  const stay = Object.values(before.open).filter(({ alertId }) => open.has(alertId));
  return stay.map(({ alertId }) => ({ alertId, ...whereabouts }));
}
