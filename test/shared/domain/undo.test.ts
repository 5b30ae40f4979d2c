import { expect, test } from 'vitest';
import { mayUndo, undoFor, undoUntilOf } from '../../../shared/domain/undo.ts';
import { at } from '../../support/world/timeline.ts';

const undo = undoFor('user:ana', at(0));

test.each([
  ['user:ana', 0, true],
  ['user:ana', 60, true],
  ['user:ana', 60.001, false],
  ['user:bo', 1, false],
])('%s may undo what user:ana did after %d s: %s', (who, seconds, may) => {
  expect(mayUndo(undo, who, at(seconds))).toBe(may);
  expect(undoUntilOf(undo, who, at(seconds))).toEqual(may ? { undoUntil: at(60) } : {});
});

test('there is nothing to undo where nothing was done', () => {
  expect([mayUndo(null, 'user:ana', at(0)), mayUndo(undefined, 'user:ana', at(0))]).toEqual([false, false]);
  expect(undoUntilOf(null, 'user:ana', at(0))).toEqual({});
});
