import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wordsOf } from '../../../shared/schema/pattern-words.ts';
import { faultsOf } from '../../../shared/schema/validate.ts';

test('each pattern that can refuse a text is said in words', () => {
  const validators = readFileSync('shared/schema/generated/validators.js', 'utf8');
  const patterns = [...validators.matchAll(/pattern:("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) => JSON.parse(text));
  expect(patterns.length).toBeGreaterThan(10);
  expect([...new Set(patterns)].filter((pattern) => wordsOf(pattern) === null)).toEqual([]);
});

test.each([
  [
    'createWebhookBody',
    { url: 'http://x' },
    '/url must begin with https://; for a machine without one use "watchpost listen"',
  ],
  [
    'createRuleBody',
    { name: 'x', condition: { code: 'CONN_009' }, action: { priority: 'P1' } },
    '/condition/code is no alert code',
  ],
] as const)('a fault of %s says what to write', (name, value, fault) => {
  expect(faultsOf(name, value).map(({ pointer, detail }) => `${pointer} ${detail}`)).toEqual([fault]);
});
