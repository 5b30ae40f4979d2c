import type { Instant } from '../time.ts';
import { mayUndo, undoFor } from '../undo.ts';
import type { AlertUndo, Life } from './alert.ts';
import type { Actor, AlertChange } from './change.ts';

/** What is needed to undo an acknowledgement or a snooze: the state and the clock before it. */
export function undoOf(alert: Life, action: AlertUndo['action'], who: Actor, now: Instant): AlertUndo {
  const { status, snoozedUntil, isSnoozed, respondBy, remindAt, notifyAfter, quietUntil = null } = alert;
  const before = { status, snoozedUntil, isSnoozed, respondBy, remindAt, notifyAfter, quietUntil };
  return { ...undoFor(who, now), action, before };
}

/** Whether an undo is allowed: of the last action, by the person who did it, in time. Any other change always is. */
export function isInTime({ undo }: Pick<Life, 'undo'>, change: AlertChange, who: Actor, now: Instant): boolean {
  if (change.kind !== 'unacknowledge' && change.kind !== 'unsnooze') return true;
  return change.kind === `un${undo?.action}` && mayUndo(undo, who, now);
}
