import { expect, test } from 'vitest';
import { gsmLength, smsOf } from '../../../../shared/domain/messages/bodies.ts';
import type { MessageContent } from '../../../../shared/domain/messages/content.ts';

const plain = (text: string) => text;
const content = (
  short: string[],
  url: string | null = 'https://c.example/1',
  severity: MessageContent['severity'] = 'ERROR',
): MessageContent => ({
  ...{ severity, priority: null, title: '', lines: [], short },
  links: url === null ? [] : [{ text: 'Open', url }],
});
const sms = (...given: Parameters<typeof content>) => smsOf(content(...given), plain);

test('a character beyond the basic ones takes two places, and one that the alphabet lacks has no length', () => {
  expect(['', 'abc', 'Å ö', 'a€b', '[x]', 'ñ{}'].map(gsmLength)).toEqual([0, 3, 3, 4, 5, 5]);
  expect(['č', 'я', '“'].map(gsmLength)).toEqual([null, null, null]);
});

test('a message begins with its severity and ends with its link without a scheme', () => {
  expect(sms(['Door offline'])).toBe('ERR Door offline. c.example/1');
  expect(sms(['Door offline.'])).toBe('ERR Door offline. c.example/1');
  expect(sms(['Door offline'], 'http://c.example/1', 'CRITICAL')).toBe('CRIT Door offline. c.example/1');
  expect(sms(['A test'], null, null)).toBe('A test.');
});

test('further sentences follow while they fit, and one that does not is left out for the next', () => {
  expect(sms(['Door offline', 'Nobody has it.', 'Escalated at 11:00'])).toBe(
    'ERR Door offline. Nobody has it. Escalated at 11:00. c.example/1',
  );
  const long = 'x'.repeat(120);
  expect(sms(['Door offline', long, 'Short'])).toBe(`ERR Door offline. ${long}. Short. c.example/1`);
  expect(sms(['Door offline', long, 'Too long'])).toBe(`ERR Door offline. ${long}. c.example/1`);
  expect(sms(['Door offline', 'y'.repeat(200), 'Short'])).toBe('ERR Door offline. Short. c.example/1');
});

test.each([
  // 160 characters: `ERR `, the head, a dot, and ` c.example/1`.
  [143, 143],
  [144, 143],
])('of a name of %d letters %d find place', (letters, left) => {
  expect(sms(['x'.repeat(letters)])).toBe(`ERR ${'x'.repeat(left)}. c.example/1`);
});

test('what does not fit is left out from the end: whole clauses, and of the last one whole words', () => {
  const clause = 'x'.repeat(120);
  expect(sms([`Depot ${clause}: wider than reported before, since 10:50`])).toBe(`ERR Depot ${clause}. c.example/1`);
  expect(sms([`Depot ${clause}: worse, since 10:50`])).toBe(`ERR Depot ${clause}: worse. c.example/1`);
  expect(sms([`${clause} is the name of some depot`])).toBe(`ERR ${clause} is the name of some. c.example/1`);
});

test('a sentence that fills the last place is kept, a longer one is not', () => {
  const head = 'x'.repeat(100);
  const room = 160 - 'ERR '.length - 100 - '. '.length - '.'.length - ' c.example/1'.length;
  expect(gsmLength(sms([head, 'y'.repeat(room)]))).toBe(160);
  expect(sms([head, 'y'.repeat(room + 1)])).toBe(`ERR ${head}. c.example/1`);
});

test('letters of another script leave seventy places', () => {
  const text = sms(['Вход '.repeat(30)]);
  expect(gsmLength(text)).toBeNull();
  expect(text).toBe(`ERR ${Array.from({ length: 10 }, () => 'Вход').join(' ')}. c.example/1`);
});

test('a link that leaves less than forty places for words is dropped', () => {
  const link = (length: number) => 'x'.repeat(length);
  expect(sms(['Door offline'], `https://${link(120)}`)).toBe(`ERR Door offline. ${link(120)}`);
  expect(sms(['Door offline'], `https://${link(121)}`)).toBe('ERR Door offline.');
});

test('accents that the alphabet lacks give way, and runs of spaces become one', () => {
  expect(sms(['Východní  vchod – “č. 2” [x]'])).toBe('ERR Vychodni vchod - "c. 2" [x]. c.example/1');
});
