import { describe, expect, test } from 'vitest';
import type { Left } from '../../../../shared/domain/delivery/delivery.ts';
import { isAwaited, knowsOf, noteId, notesOf, windowId, withNote } from '../../../../shared/domain/notify/target.ts';

const note = (
  window: number,
  occasion: 'opened' | 'escalated' | 'resolved' | 'acknowledged' | 'went',
  targetId = 't-1',
) => ({
  targetId,
  window,
  occasion,
});
const notified = (...notes: ReturnType<typeof note>[]) =>
  notes.flatMap((each) => [windowId(each.targetId, each.window), noteId(each)]);
const windows = (window: number, ...left: Left[]) => ({ window, left });

describe('a note', () => {
  test('has a text for its window, and one for its occasion', () => {
    expect(notified(note(3, 'opened'))).toEqual(['t-1@3', 't-1@3:opened']);
    expect(notesOf(notified(note(3, 'opened'), note(12, 'went', 'mail a@b')))).toEqual([
      note(3, 'opened'),
      note(12, 'went', 'mail a@b'),
    ]);
  });

  test('is none in any other text', () => {
    expect(notesOf(['t-1@3', 't-1@3:never-heard-of', '@3:opened', 't-1@x:opened', 't-1@3:Opened', ''])).toEqual([]);
  });
});

describe('of a target a record notes', () => {
  test('the latest of each window', () => {
    expect(withNote(notified(note(3, 'opened')), note(3, 'escalated'))).toEqual(notified(note(3, 'escalated')));
  });

  test('the window before, and of those long closed the last', () => {
    const before = notified(note(1, 'opened'), note(2, 'escalated'), note(4, 'acknowledged'), note(3, 'escalated'));
    expect(withNote(before, note(5, 'resolved'))).toEqual(
      notified(note(3, 'escalated'), note(4, 'acknowledged'), note(5, 'resolved')),
    );
    expect(withNote(notified(note(3, 'opened')), note(5, 'escalated'))).toEqual(
      notified(note(3, 'opened'), note(5, 'escalated')),
    );
    // A note for a later window stays.
    expect(withNote(notified(note(6, 'opened')), note(5, 'went'))).toEqual(
      notified(note(6, 'opened'), note(5, 'went')),
    );
  });

  test('nothing that concerns another target', () => {
    const other = notified(note(1, 'opened', 't-2'), note(5, 'opened', 't-2'));
    expect(withNote(other, note(5, 'opened'))).toEqual([...other, ...notified(note(5, 'opened'))]);
  });
});

describe('a target knows of it', () => {
  const digestIds = notified(note(3, 'opened'), note(4, 'resolved'), note(9, 'opened', 't-2'));

  test.each([
    ['no window was ever opened for it', digestIds, null, false],
    ['its digest has left', notified(note(3, 'opened')), windows(4), true],
    ['its digest has not left', notified(note(3, 'opened')), windows(3), false],
    ['the last digest contained the end', digestIds, windows(5), false],
    ['the digest of the end has not left', digestIds, windows(4), true],
    ['it came and went', notified(note(3, 'opened'), note(4, 'went')), windows(5), false],
    ['only others were notified', notified(note(3, 'opened', 't-2')), windows(5), false],
    ['it has left by itself', [], windows(1, { about: 'a-1', occasion: 'opened' }), true],
    ['somebody has it', [], windows(1, { about: 'a-1', occasion: 'acknowledged' }), true],
    [
      'its end has left by itself',
      notified(note(3, 'opened')),
      windows(5, { about: 'a-1', occasion: 'resolved' }),
      false,
    ],
    ['something else has left', [], windows(5, { about: 'a-2', occasion: 'opened' }), false],
    [
      'it ended and began anew',
      [],
      windows(5, { about: 'a-1', occasion: 'resolved' }, { about: 'a-1', occasion: 'reopened' }),
      true,
    ],
  ])('%s', (_, noted, seen, expected) => {
    expect(knowsOf(noted, 'a-1', 't-1', seen)).toBe(expected);
  });

  test('whatever the order in which windows were noted', () => {
    expect(knowsOf(notified(note(4, 'resolved'), note(3, 'opened')), 'a-1', 't-1', windows(5))).toBe(false);
    expect(knowsOf(notified(note(4, 'opened'), note(3, 'resolved')), 'a-1', 't-1', windows(5))).toBe(true);
  });
});

test.each([
  ['its beginning', note(3, 'opened'), true],
  ['an escalation', note(3, 'escalated'), true],
  ['its end', note(3, 'resolved'), false],
  ['that it came and went', note(3, 'went'), false],
  ['that somebody has it', note(3, 'acknowledged'), false],
  ['its beginning, for a window before', note(2, 'opened'), false],
  ['its beginning, for another target', note(3, 'opened', 't-2'), false],
])('the digest of the open window is awaited where it notes %s', (_, noted, expected) => {
  expect(isAwaited(notified(noted), 't-1', 3)).toBe(expected);
});
