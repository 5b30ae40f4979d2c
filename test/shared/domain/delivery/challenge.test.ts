import { expect, test } from 'vitest';
import { echoes } from '../../../../shared/domain/delivery/challenge.ts';

test.each([
  ['abc', true],
  [' abc\n', true],
  ['"abc"', true],
  ['{"challenge": "abc"}', true],
  ['{"challenge": "abd"}', false],
  ['{"challenge": "abc", "eventType": "challenge"}', false],
  ['["abc"]', false],
  ['abcd', false],
  ['ABC', false],
  ['null', false],
  ['', false],
  [null, false],
])('the answer %j echoes the challenge `abc`: %s', (answer, isEcho) => {
  expect(echoes(answer, 'abc')).toBe(isEcho);
});
