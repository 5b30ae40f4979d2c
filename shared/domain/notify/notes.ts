import { type Occasion, occasions } from '../../schema/vocabulary.ts';
import type { Left } from '../delivery/delivery.ts';
import { occasionTable } from './occasions.ts';

/** What a record notes of a target: in which window it was to be notified of what. `went`: it ended before that had left. */
export type Note = { targetId: string; window: number; occasion: Occasion | 'went' };

/** What tells whether a note has left. */
type Windows = { window: number; left: readonly Left[] };

/** The text by which a digest counts all that is noted in a window. */
export function windowId(targetId: string, window: number): string {
  return `${targetId}@${window}`;
}

/** The text by which it counts what is noted of one occasion. */
export function noteId({ targetId, window, occasion }: Note): string {
  return `${windowId(targetId, window)}:${occasion}`;
}

export function notesOf(foldIds: readonly string[]): Note[] {
  return foldIds.flatMap((text) => {
    const [, targetId, window, occasion] = /^(.+)@(\d+):([a-z-]+)$/.exec(text) ?? [];
    if (!targetId || !isNoted(occasion)) return [];
    return [{ targetId, window: Number(window), occasion }];
  });
}

function isNoted(text: string | undefined): text is Note['occasion'] {
  return text === 'went' || occasions.some((occasion) => occasion === text);
}

/**
 * The notes of a record with one more. Of a target, a window knows the latest only; of windows long closed it is enough to know the last:
 * whether the target knows of it.
 */
export function withNote(foldIds: readonly string[], note: Note): string[] {
  const all = notesOf(foldIds);
  const others = all.filter(({ targetId }) => targetId !== note.targetId);
  const own = all.filter(({ targetId, window }) => targetId === note.targetId && window !== note.window);
  const recent = own.filter(({ window }) => window >= note.window - 1);
  const last = own.filter(({ window }) => window < note.window - 1).toSorted((a, b) => b.window - a.window)[0];
  return [...others, ...(last ? [last] : []), ...recent, note].flatMap((each) => [
    windowId(each.targetId, each.window),
    noteId(each),
  ]);
}

/** Whether a target has been notified that a record's matter began, and not since that it is over. */
export function knowsOf(foldIds: readonly string[], about: string, targetId: string, windows: Windows | null): boolean {
  if (!windows) return false;
  const direct = windows.left.findLast((each) => each.about === about);
  if (direct) return occasionTable[direct.occasion].phase !== 'over';
  const closed = notesOf(foldIds)
    .filter((note) => note.targetId === targetId && note.window < windows.window)
    .toSorted((a, b) => b.window - a.window)[0];
  return closed !== undefined && closed.occasion !== 'went' && occasionTable[closed.occasion].phase !== 'over';
}

/** Whether a target is still to be notified that it began, with the digest of its open window. */
export function isAwaited(foldIds: readonly string[], targetId: string, window: number): boolean {
  return notesOf(foldIds).some(
    (note) =>
      note.targetId === targetId &&
      note.window === window &&
      note.occasion !== 'went' &&
      occasionTable[note.occasion].phase === 'began',
  );
}
