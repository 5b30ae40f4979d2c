import { undoWindowMs } from './limits.ts';
import { type Instant, plus } from './time.ts';

/** Who may take an action back, and until when. Kept on the record that the action changed. */
export type Undo = { who: string; until: Instant };

/** The undo that an action of now leaves behind. */
export function undoFor(who: string, now: Instant): Undo {
  return { who, until: plus(now, undoWindowMs) };
}

/** Whether it may be taken back: only by who did it, and only for a minute. */
export function mayUndo(undo: Undo | null | undefined, who: string, now: Instant): boolean {
  return undo?.who === who && now <= undo.until;
}

/** `undoUntil` of an answer: there only for who may take it back. */
export function undoUntilOf(undo: Undo | null | undefined, who: string, now: Instant): { undoUntil?: Instant } {
  return undo && mayUndo(undo, who, now) ? { undoUntil: undo.until } : {};
}
