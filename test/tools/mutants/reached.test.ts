import { expect, test } from 'vitest';
import { mutantsOf } from '../../../tools/mutants/mutations.ts';
import { withReached } from '../../../tools/mutants/reached.ts';

/** The source with a call inserted for each mutant of a number. */
const called = (source: string) => {
  const numbers = mutantsOf('a.ts', source).filter(({ from }) => /^[0-9]+$/.test(from));
  return withReached('a.ts', source, [...numbers.entries()]);
};

test('the innermost function around a change gets the call', () => {
  expect(called('function f() { return () => 1; }')).toBe(
    'function f() { return () => (globalThis.reached?.(0), 1); }',
  );
  expect(called('const f = (a: number) => { return a + 1; };')).toBe(
    'const f = (a: number) => {globalThis.reached?.(0); return a + 1; };',
  );
  expect(called('const f = () => ({ a: [2].map((b) => b + 3) });')).toBe(
    'const f = () => (globalThis.reached?.(0), ({ a: [2].map((b) => (globalThis.reached?.(1), b + 3)) }));',
  );
});

test('a change outside of functions gets no call', () => {
  expect(called('export const most = 5;')).toBe('export const most = 5;');
});
