import { expect, test } from 'vitest';
import { endpointName, successWords } from '../../../../../console/src/pages/webhooks/endpoint-words.ts';

test('an endpoint is called by its description, or else by its host', () => {
  expect(endpointName({ description: 'Tickets', url: 'https://hooks.example.com/a' })).toBe('Tickets');
  expect(endpointName({ description: null, url: 'https://hooks.example.com/a' })).toBe('hooks.example.com');
  expect(endpointName({ description: null, url: 'not an address' })).toBe('not an address');
});

test.each([
  [{ delivered: 0, failed: 0 }, 'no deliveries'],
  [{ delivered: 1200, failed: 0 }, '100 % of 1,200'],
  [{ delivered: 99_999, failed: 1 }, '99.9 % of 100,000, 1 failed'],
  [{ delivered: 0, failed: 3 }, '0 % of 3, 3 failed'],
])('deliveries of %o are shown as: %s', (ended, words) => {
  expect(successWords(ended)).toBe(words);
});
