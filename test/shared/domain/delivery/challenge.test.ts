import { expect, test } from 'vitest';
import { challengeOutcome, echoes } from '../../../../shared/domain/delivery/challenge.ts';
import { failure, success } from '../../../support/records/deliveries.ts';

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

test('an answer without the challenge ends it for good, and no answer of a stranger is kept', () => {
  expect(challengeOutcome(success, true)).toEqual({ ...success, responseExcerpt: null });
  expect(challengeOutcome(success, false)).toEqual({
    ...success,
    ...{ responseExcerpt: null, errorClass: 'not_echoed', isRetryable: false },
    detail: 'It answered 200, but not with the challenge that the endpoint has now.',
  });
  // One that failed stays what it was: it is tried again.
  expect(challengeOutcome(failure, false)).toEqual({ ...failure, responseExcerpt: null });
});
