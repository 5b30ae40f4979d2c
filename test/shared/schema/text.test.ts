import { expect, test } from 'vitest';
import {
  faultOfTexts,
  linePattern,
  textPattern,
  visible,
  visibleText,
  withVisibleTexts,
} from '../../../shared/schema/text.ts';

const line = new RegExp(linePattern, 'u');
const text = new RegExp(textPattern, 'u');

const unseen: [name: string, character: string][] = [
  ['a null', '\u0000'],
  ['an escape', '\u001b'],
  ['a delete', '\u007f'],
  ['a control of C1', '\u0085'],
  ['a soft hyphen', '\u00ad'],
  ['a zero-width space', '\u200b'],
  ['a mark of direction', '\u200f'],
  ['a mark of direction for Arabic', '\u061c'],
  ['an override', '\u202e'],
  ['an isolate', '\u2066'],
  ['a separator of lines', '\u2028'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['an annotation', '\ufff9'],
  ['a tag', '\u{e0041}'],
];

test.each(unseen)('%s is in no text', (_, character) => {
  const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
  const detail = `holds ${code}, which cannot be seen`;
  const value = { a: ['good', { b: `cam${character}1` }] };
  expect(faultOfTexts(value, null)).toEqual({ pointer: '/a/1/b', detail });
  expect(faultOfTexts(value, JSON.stringify(value))).toEqual({ pointer: '/a/1/b', detail });
  expect(faultOfTexts({ [`x${character}`]: 1 }, null)?.detail).toBe(`is a name that ${detail}`);
  expect([line.test(`a${character}b`), text.test(`a${character}b`)]).toEqual([false, false]);
  expect([visible(`a${character}b`), visibleText(`a\n${character}b`)]).toEqual([`a<${code}>b`, `a\n<${code}>b`]);
  expect(withVisibleTexts({ [`x${character}`]: [`a${character}b`, 'good'] }, null)).toEqual({
    value: { [`x<${code}>`]: [`a<${code}>b`, 'good'] },
    faults: [
      { pointer: `/x<${code}>`, detail: `is a name that ${detail}` },
      { pointer: `/x<${code}>/0`, detail },
    ],
  });
});

test.each(['a\nb', 'a\r\nb', 'a\tb'])('a break is in a text and not in a line', (given) => {
  expect(faultOfTexts([given], null)).toBeNull();
  expect([line.test(given), text.test(given)]).toEqual([false, true]);
  expect(visible(given)).not.toMatch(/[\n\r\t]/);
});

test.each([
  'Tor 3 – Süd',
  '正門カメラ',
  'نمی\u200cخواهم',
  'क्\u200dष',
  '👩\u200d🔧',
  '👩🏽\u200d🔧',
  '❤\ufe0f\u200d🔥',
  'é̂',
  '',
])('what people write is a text: %s', (given) => {
  expect(faultOfTexts({ given }, JSON.stringify({ given }))).toBeNull();
  expect([line.test(given), text.test(given), visible(given)]).toEqual([true, true, given]);
});

test.each(['cam\u200d1', 'cam-1\u200c', '\u200d'])('a joiner that joins nothing is refused: %j', (given) => {
  expect(faultOfTexts([given], null)?.detail).toMatch(/^holds U\+200[CD]/);
});

test('half a letter is replaced where other texts are made visible', () => {
  const fault = { pointer: '/a/b', detail: 'is not well-formed Unicode' };
  expect(withVisibleTexts({ a: { b: 'x\ud800' } }, null)).toEqual({ value: { a: { b: 'x\ufffd' } }, faults: [fault] });
});

test('a value whose texts can all be seen is returned as it is', () => {
  const value = { a: ['Süd', 7, null] };
  for (const json of [null, JSON.stringify(value), '{"a":["x"]}'])
    expect(withVisibleTexts(value, json)).toEqual({ value, faults: [] });
  expect(withVisibleTexts(value, '{"a":["x"]}').value).toBe(value);
});

test('fifty faults of one value are named', () => {
  const many = Array.from({ length: 60 }, () => '\u200b');
  const { value, faults } = withVisibleTexts(many, null);
  expect([faults.length, new Set(value as string[])]).toEqual([50, new Set(['<U+200B>'])]);
});

test('an escape is as good as the character', () => {
  expect(faultOfTexts({ a: '\u202e' }, '{"a":"\\u202e"}')).not.toBeNull();
});
