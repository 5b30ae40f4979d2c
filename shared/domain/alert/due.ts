import { thresholds, type Waits } from '../limits.ts';
import type { Hold } from '../maintenance/window.ts';
import { type Instant, plus } from '../time.ts';
import type { Life } from './alert.ts';
import type { AlertChange } from './change.ts';

/**
 * The change that time causes for an alert now. Null: nothing is due. Returns one change at a time, because the next one depends on its
 * result.
 * @param hold the maintenance window that silences the alert now
 */
export function dueChange(
  alert: Life,
  now: Instant,
  { escalationTeam }: { escalationTeam: string },
  waits: Waits,
  hold: Hold | null = null,
): AlertChange | null {
  const isDue = (at: Instant | null) => at !== null && at <= now;
  if (!alert.isOpen) return null;
  if (isDue(alert.maintenanceUntil)) return hold ? maintained(hold) : maintenanceEnd(alert, now, waits);
  if (isDue(alert.snoozedUntil)) return { kind: 'snooze-end', why: 'The snooze ended' };
  const { notifyAfter, notifyTakenAt = null, quietUntil = null, respondBy, remindAt } = alert;
  if (hold && [notifyAfter, notifyTakenAt, quietUntil, respondBy, remindAt].some(isDue)) return maintained(hold);
  if (isDue(alert.notifyAfter)) {
    return { kind: 'announce', why: 'The condition has lasted' };
  }
  if (isDue(quietUntil)) return { kind: 'quiet-end', why: 'The quiet hours ended' };
  if (isDue(notifyTakenAt)) return { kind: 'announce-taken', why: 'Somebody has it' };
  if (isDue(alert.respondBy) && alert.status === 'active') {
    return {
      kind: 'escalate',
      team: alert.escalation?.team ?? escalationTeam,
      why: 'Nobody acknowledged it within its response time',
      remindAt: plus(now, waits.reminder),
    };
  }
  if (isDue(alert.remindAt) && alert.status === 'escalated') {
    const count = alert.reminders + 1;
    const remindAt = plus(now, count < thresholds.reminders ? waits.reminder : waits.reminderLater);
    return { kind: 'remind', why: `Reminder ${count}: nobody has it yet`, remindAt };
  }
  return null;
}

function maintained({ name }: Hold): AlertChange {
  return { kind: 'maintain', why: `The maintenance window ${name} keeps it quiet` };
}

function maintenanceEnd({ status }: Life, now: Instant, waits: Waits): AlertChange {
  const remindAt = status === 'escalated' ? plus(now, waits.reminder) : null;
  return { kind: 'maintenance-end', why: 'The maintenance window ended', remindAt };
}
