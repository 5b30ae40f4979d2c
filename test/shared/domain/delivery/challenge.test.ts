import { expect, test } from 'vitest';
import { challengeDelivery, challengeOutcome, echoes } from '../../../../shared/domain/delivery/challenge.ts';
import { endpoint, failure, success } from '../../../support/records/deliveries.ts';

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
  // A failed attempt keeps its outcome and is retried.
  expect(challengeOutcome(failure, false)).toEqual({ ...failure, responseExcerpt: null });
});

test('a challenge is seen by those who see the first group of its endpoint, or by all', () => {
  const groupOf = (filter: { groups?: string[] } | null) =>
    challengeDelivery(endpoint({ challenge: 'abc', filter }), '2026-11-20T10:00:00.000Z')?.groupId;
  expect(groupOf({ groups: ['north', 'south'] })).toBe('north');
  expect([groupOf({ groups: [] }), groupOf({}), groupOf(null)]).toEqual([null, null, null]);
  expect(challengeDelivery(endpoint(), '2026-11-20T10:00:00.000Z')).toBeNull();
});
