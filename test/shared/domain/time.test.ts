import { expect, test } from 'vitest';
import { chainEndsAt, closedChain, prolonged } from '../../../shared/domain/chain.ts';
import { isSame } from '../../../shared/domain/same.ts';
import { earliest, latest, msBetween, plus, spell } from '../../../shared/domain/time.ts';

const [one, two] = ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:10.000Z'];

test.each([
  [-1, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [59 * 60_000 + 59_999, '59 min'],
  [60 * 60_000, '1 h'],
  [61 * 60_000, '1 h 1 min'],
  [47 * 3_600_000, '47 h'],
  [48 * 3_600_000 - 1, '47 h 59 min'],
  [48 * 3_600_000, '2 days'],
  [73 * 3_600_000, '3 days'],
])('%d ms are spelled %s', (ms, text) => {
  expect(spell(ms)).toBe(text);
});

test('instants are moved and compared in milliseconds', () => {
  expect(plus(one, 10_000)).toBe(two);
  expect(plus(one, 0.6)).toBe('2026-11-20T10:00:00.001Z');
  expect(msBetween(one, two)).toBe(10_000);
  expect(msBetween(two, one)).toBe(-10_000);
});

test('the earliest and the latest are among those that are known', () => {
  expect(earliest([null, two, undefined, one, two])).toBe(one);
  expect(earliest([null, undefined])).toBeNull();
  expect([latest(one, two), latest(two, one), latest(one, null), latest(null, two), latest(null, null)]).toEqual([
    two,
    two,
    one,
    two,
    null,
  ]);
});

test('a state lasts as long as its events come within the quiet time, and only some of them begin it', () => {
  const open = prolonged(closedChain, one, true, 10_000);
  expect(open).toEqual({ isOpen: true, lastAt: one });
  expect(prolonged(closedChain, one, false, 10_000)).toEqual({ isOpen: false, lastAt: one });
  expect(prolonged(open, '2026-11-20T10:00:09.999Z', false, 10_000).isOpen).toBe(true);
  expect(prolonged(open, two, false, 10_000)).toEqual({ isOpen: false, lastAt: two });
  expect(prolonged(open, two, true, 10_000).isOpen).toBe(true);
  expect(prolonged({ isOpen: true, lastAt: null }, one, false, 10_000).isOpen).toBe(false);
  expect(chainEndsAt(open, 10_000)).toBe(two);
  expect(chainEndsAt(closedChain, 10_000)).toBeNull();
  expect(chainEndsAt({ isOpen: false, lastAt: one }, 10_000)).toBeNull();
  expect(chainEndsAt({ isOpen: true, lastAt: null }, 10_000)).toBeNull();
});

test.each([
  [1, 1, true],
  [1, '1', false],
  [null, null, true],
  [null, {}, false],
  [{}, null, false],
  [{ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
  ['a', {}, false],
  [{}, 'a', false],
])('%j and %j: the same %s', (a, b, same) => {
  expect(isSame(a, b)).toBe(same);
});
