import type { Hold } from '../maintenance/window.ts';
import type { Instant } from '../time.ts';
import type { Life } from './alert.ts';
import { clockFrom } from './resumed.ts';

/** What a change sets while a maintenance window holds: it is recorded, and no clock runs. What is over has none anyway. */
export function inMaintenance(changes: Partial<Life>, hold: Hold | null): Partial<Life> {
  if (hold === null || changes.status === 'resolved') return changes;
  const { windowId: maintenance, until: maintenanceUntil } = hold;
  const noClock = { respondBy: null, remindAt: null, notifyAfter: null, notifyTakenAt: null, quietUntil: null };
  return { ...changes, maintenance, maintenanceUntil, ...noClock };
}

/** What is open when the maintenance ends: its response time starts, unless somebody has it or has snoozed it. */
export function afterMaintenance(alert: Life, remindAt: Instant | null, now: Instant): Partial<Life> {
  const isWaiting = alert.status === 'active' && alert.snoozedUntil === null;
  return { maintenanceUntil: null, respondBy: isWaiting ? clockFrom(now, alert.responseMs) : null, remindAt };
}
