import { expect, test } from 'vitest';
import { actorOf, deedOf } from '../../../../../console/src/components/action/trail-words.ts';

test('known kinds of entries are shown in words, unknown kinds by the name that the service uses', () => {
  expect(['worsen', 'return', 'snooze-end', 'widen-again'].map(deedOf)).toEqual([
    'Got worse',
    'Came back',
    'Snooze over',
    'Widen again',
  ]);
});

test.each([
  ['user:olu', 'olu'],
  ['device', 'the camera'],
  ['system', 'Watchpost'],
  ['rule:1', 'a rule'],
  ['incident:1', 'its incident'],
  ['link:o…@example.com', 'link:o…@example.com'],
])('%s did it: %s', (who, words) => {
  expect(actorOf(who)).toBe(words);
});
