import { type Occasion, occasions } from '../../schema/vocabulary.ts';
import type { Left } from '../delivery/delivery.ts';
import { occasionTable } from './occasions.ts';

/** The note of a record about a target: the occasion and the digest window. `went`: the record ended before its message was sent. */
export type Note = { targetId: string; window: number; occasion: Occasion | 'went' };

/** The open window of a target and the messages that were sent individually in it. They show whether a noted message was sent. */
type Windows = { window: number; left: readonly Left[] };

/** The text that marks a record for the digest of a window. */
export function windowId(targetId: string, window: number): string {
  return `${targetId}@${window}`;
}

/** The text that marks a record for one occasion of a window. */
export function noteId({ targetId, window, occasion }: Note): string {
  return `${windowId(targetId, window)}:${occasion}`;
}

export function notesOf(digestIds: readonly string[]): Note[] {
  return digestIds.flatMap((text) => {
    const [, targetId, window, occasion] = /^(.+)@(\d+):([a-z-]+)$/.exec(text) ?? [];
    if (!targetId || !isNoted(occasion)) return [];
    return [{ targetId, window: Number(window), occasion }];
  });
}

function isNoted(text: string | undefined): text is Note['occasion'] {
  return text === 'went' || occasions.some((occasion) => occasion === text);
}

/**
 * Adds a note. For each target and window only the latest note is kept, and of windows closed long ago only the last one: it shows whether the target
 * knows of the record.
 */
export function withNote(digestIds: readonly string[], note: Note): string[] {
  const all = notesOf(digestIds);
  const others = all.filter(({ targetId }) => targetId !== note.targetId);
  const own = all.filter(({ targetId, window }) => targetId === note.targetId && window !== note.window);
  const recent = own.filter(({ window }) => window >= note.window - 1);
  const last = own.filter(({ window }) => window < note.window - 1).toSorted((a, b) => b.window - a.window)[0];
  return [...others, ...(last ? [last] : []), ...recent, note].flatMap((each) => [
    windowId(each.targetId, each.window),
    noteId(each),
  ]);
}

/** Whether a target was notified of a record's beginning, and not of its end since. */
export function knowsOf(
  digestIds: readonly string[],
  about: string,
  targetId: string,
  windows: Windows | null,
): boolean {
  if (!windows) return false;
  const direct = windows.left.findLast((each) => each.about === about);
  if (direct) return occasionTable[direct.occasion].phase !== 'over';
  const closed = notesOf(digestIds)
    .filter((note) => note.targetId === targetId && note.window < windows.window)
    .toSorted((a, b) => b.window - a.window)[0];
  return closed !== undefined && closed.occasion !== 'went' && occasionTable[closed.occasion].phase !== 'over';
}

/** Whether the digest of a target's open window will still report the beginning. */
export function isAwaited(digestIds: readonly string[], targetId: string, window: number): boolean {
  return notesOf(digestIds).some(
    (note) =>
      note.targetId === targetId &&
      note.window === window &&
      note.occasion !== 'went' &&
      occasionTable[note.occasion].phase === 'began',
  );
}
