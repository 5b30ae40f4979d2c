import { type Device, type Whereabouts, whereaboutsOf } from '../device/device.ts';
import { isSame } from '../same.ts';

/** The new name, site, parents, tags and places of a device, for an alert that stays open on it. */
export type Rename = Whereabouts & { alertId: string };

/** Copies the device's name, site, parents, tags and places to the alerts that stay open on it, where one of them changed. */
export function renamesOf(before: Device, after: Device): Rename[] {
  const whereabouts = whereaboutsOf(after);
  if (isSame(whereabouts, whereaboutsOf(before))) return [];
  const open = new Set(Object.values(after.open).map(({ alertId }) => alertId));
  const stay = Object.values(before.open).filter(({ alertId }) => open.has(alertId));
  return stay.map(({ alertId }) => ({ alertId, ...whereabouts }));
}
