import { expect, test } from 'vitest';
import { faultOfTemplate, filledTemplate } from '../../../../../shared/domain/delivery/handoff/template.ts';
import { handoffWords } from '../../../../../shared/schema/settings/handoff-kinds.ts';

const words = Object.fromEntries(handoffWords.map((word) => [word, `<${word}>`])) as Record<
  (typeof handoffWords)[number],
  string
>;

test.each([
  ['', 'is not JSON'],
  ['"{{key}}"', 'must be an object or a list'],
  ['null', 'must be an object or a list'],
  ['{"a":"b"}', 'must contain {{key}}, by which the receiver recognizes related events'],
  ['{"a":"{{key}} {{toString}}"}', 'contains {{toString}}, which is not a word of an event'],
  ['{"a":"{{key}} {{}}"}', 'contains {{}}, which is not a word of an event'],
  ['[{"a":"{{ key }}"}]', null],
])('%s: %s', (template, fault) => {
  expect(faultOfTemplate(template)).toBe(fault);
});

test('each word is filled into texts at any depth, and nothing else changes', () => {
  const template = JSON.stringify({
    all: handoffWords.map((word) => `{{${word}}}`),
    n: 1,
    deep: [{ a: '{{key}}/{{key}}' }],
  });
  expect(JSON.parse(filledTemplate(template, words))).toEqual({
    all: handoffWords.map((word) => `<${word}>`),
    n: 1,
    deep: [{ a: '<key>/<key>' }],
  });
});

test('a value that looks like JSON or like a word stays a text', () => {
  const filled = filledTemplate('{"a":"{{title}}","k":"{{key}}"}', { ...words, title: '","b":"{{key}}$&' });
  expect(JSON.parse(filled)).toEqual({ a: '","b":"{{key}}$&', k: '<key>' });
});
