import { expect, test } from 'vitest';
import { isSame } from '../../../shared/domain/same.ts';

test.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [1, 2, false],
  [1, '1', false],
  [null, null, true],
  [null, undefined, false],
  [null, {}, false],
  [{}, null, false],
  [{}, 'text', false],
  ['text', {}, false],
  [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1 }, true],
  [{ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 3 }], a: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
])('%j and %j are the same: %s', (a, b, same) => {
  expect(isSame(a, b)).toBe(same);
});
