import type { Waits } from '../limits.ts';
import type { Hold } from '../maintenance/window.ts';
import { type Ladder, nextStep, sameStep, taken, takenAsPlanned } from '../settings/escalation.ts';
import { earliest, type Instant } from '../time.ts';
import type { Life } from './alert.ts';
import type { AlertChange } from './change.ts';

/**
 * The change that time causes for an alert now. Null: nothing is due. Returns one change at a time, because the next one depends on its result.
 * @param ladder the steps of its escalation as configured now
 * @param hold the maintenance window that silences the alert now
 */
export function dueChange(
  alert: Life,
  now: Instant,
  ladder: Ladder,
  waits: Waits,
  hold: Hold | null = null,
): AlertChange | null {
  const isDue = (at: Instant | null) => at !== null && at <= now;
  if (!alert.isOpen) return null;
  if (isDue(alert.maintenanceUntil)) return hold ? maintained(hold) : maintenanceEnd(alert, ladder, now, waits);
  if (isDue(alert.snoozedUntil)) return { kind: 'snooze-end', why: 'The snooze ended' };
  const { notifyAfter, notifyTakenAt = null, quietUntil = null, respondBy, remindAt } = alert;
  if (hold && [notifyAfter, notifyTakenAt, quietUntil, respondBy, remindAt].some(isDue)) return maintained(hold);
  if (isDue(alert.notifyAfter)) {
    return { kind: 'announce', why: 'The condition has lasted' };
  }
  if (isDue(quietUntil)) return quietEnd(alert, ladder, now, waits);
  if (isDue(notifyTakenAt)) return { kind: 'announce-taken', why: 'Somebody has it' };
  if (isDue(alert.respondBy) && alert.status === 'active') {
    const why = 'Nobody acknowledged it within its response time';
    return { kind: 'escalate', why, ...takenAsPlanned(ladder, { index: 0, reminders: 0 }, respondBy, now, waits) };
  }
  return isDue(alert.remindAt) && alert.status === 'escalated' ? goesOn(alert, ladder, now, waits) : null;
}

/** Nobody has acknowledged it: takes the next step, or repeats the last one. */
function goesOn(alert: Life, ladder: Ladder, now: Instant, waits: Waits): AlertChange {
  const { index, isRepeat } = nextStep(alert, ladder);
  if (!isRepeat) {
    const why = `Nobody has answered: step ${index + 1} of ${ladder.steps.length}`;
    return { kind: 'escalate', why, ...takenAsPlanned(ladder, { index, reminders: 0 }, alert.remindAt, now, waits) };
  }
  const reminders = alert.reminders + 1;
  const why = `Reminder ${reminders}: nobody has it yet`;
  return { kind: 'remind', why, ...takenAsPlanned(ladder, { index, reminders }, alert.remindAt, now, waits) };
}

/** The end of quiet hours: sends what waited to the receivers of the present step. */
function quietEnd(alert: Life, ladder: Ladder, now: Instant, waits: Waits): AlertChange {
  const why = 'The quiet hours ended';
  if (alert.status !== 'escalated') return { kind: 'quiet-end', why, escalated: null };
  return { kind: 'quiet-end', why, escalated: taken(ladder, sameStep(alert, ladder), alert.reminders, now, waits) };
}

function maintained({ name }: Hold): AlertChange {
  return { kind: 'maintain', why: `The maintenance window ${name} keeps it quiet` };
}

function maintenanceEnd(alert: Life, ladder: Ladder, now: Instant, waits: Waits): AlertChange {
  const isEscalated = alert.status === 'escalated';
  const escalated = isEscalated ? taken(ladder, sameStep(alert, ladder), alert.reminders, now, waits) : null;
  return { kind: 'maintenance-end', why: 'The maintenance window ended', escalated };
}

/** When it must be evaluated again. */
export function dueOf(alert: Life): Instant | null {
  const { respondBy, remindAt, notifyAfter, notifyTakenAt, quietUntil, snoozedUntil, maintenanceUntil } = alert;
  return earliest([respondBy, remindAt, notifyAfter, notifyTakenAt, quietUntil, snoozedUntil, maintenanceUntil]);
}
