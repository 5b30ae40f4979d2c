import { expect, test } from 'vitest';
import { mutantsOf, sampleOf } from '../../../tools/mutants/mutations.ts';

const said = (source: string) => mutantsOf('a.ts', source).map(({ line, from, to }) => `${line} ${from} -> ${to}`);

test('operators, conditions, numbers and booleans are changed, each at its position', () => {
  expect(said('export const f = (a: number) =>\n  a < 3 && !(a === 1) ? a + 2 : 0;').toSorted()).toEqual(
    [
      '2 < -> <=',
      '2 && -> ||',
      '2 !(a === 1) -> (a === 1)',
      '2 === -> !==',
      '2 + -> -',
      '2 3 -> 4',
      '2 1 -> 2',
      '2 2 -> 3',
      '2 0 -> 1',
      '2 a < 3 && !(a === 1) -> true',
      '2 a < 3 && !(a === 1) -> false',
    ].toSorted(),
  );
});

test('types are not changed, and characters beyond ASCII do not shift a change', () => {
  expect(said("type A = 1 | true;\nexport const b: 2 | 3 = '人é' ? (2 as 2) : 3;")).toEqual([
    "2 '人é' -> true",
    "2 '人é' -> false",
    '2 2 -> 3',
    '2 3 -> 4',
  ]);
});

test('the same seed gives the same sample, another seed another one', () => {
  const all = Array.from({ length: 100 }, (_, at) => at);
  expect(sampleOf(all, 10, 7)).toEqual(sampleOf(all, 10, 7));
  expect(sampleOf(all, 10, 7)).not.toEqual(sampleOf(all, 10, 8));
  expect(new Set(sampleOf(all, 200, 7)).size).toBe(100);
});
