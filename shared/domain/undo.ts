import { undoWindowMs } from './limits.ts';
import { type Instant, plus } from './time.ts';

/** Who may undo an action, and until when. Kept on the record that the action changed. */
export type Undo = { who: string; until: Instant };

/** The undo for an action made now. */
export function undoFor(who: string, now: Instant): Undo {
  return { who, until: plus(now, undoWindowMs) };
}

/** Whether the action can be undone: only by the person who did it, within a minute. */
export function mayUndo(undo: Undo | null | undefined, who: string, now: Instant): boolean {
  return undo?.who === who && now <= undo.until;
}

/** `undoUntil` for an answer. Present only for a viewer who may undo the action. */
export function undoUntilOf(undo: Undo | null | undefined, who: string, now: Instant): { undoUntil?: Instant } {
  return undo && mayUndo(undo, who, now) ? { undoUntil: undo.until } : {};
}
