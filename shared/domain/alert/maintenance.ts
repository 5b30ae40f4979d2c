import type { Hold } from '../maintenance/window.ts';
import type { Taken } from '../settings/ladder.ts';
import type { Instant } from '../time.ts';
import type { Life } from './alert.ts';
import { clockFrom } from './resumed.ts';

/**
 * The members that a change sets during a maintenance window: the change is recorded and no clock runs. An alert that is over has no clock
 * anyway.
 */
export function inMaintenance(changes: Partial<Life>, hold: Hold | null): Partial<Life> {
  if (hold === null || changes.status === 'resolved') return changes;
  const { windowId: maintenance, until: maintenanceUntil } = hold;
  const noClock = { respondBy: null, remindAt: null, notifyAfter: null, notifyTakenAt: null, quietUntil: null };
  return { ...changes, maintenance, maintenanceUntil, ...noClock };
}

/**
 * The members of an alert that is still open when maintenance ends. Active and not snoozed: its response time starts. Escalated: its present step is
 * taken again (`escalated`).
 */
export function afterMaintenance(alert: Life, escalated: Taken | null, now: Instant): Partial<Life> {
  const isWaiting = alert.status === 'active' && alert.snoozedUntil === null;
  const respondBy = isWaiting ? clockFrom(now, alert.responseMs) : null;
  return { maintenanceUntil: null, respondBy, ...(escalated ?? { remindAt: null }) };
}
