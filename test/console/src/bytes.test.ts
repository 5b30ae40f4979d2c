import { expect, test } from 'vitest';
import { showBytes, shownBytes, visible } from '../../../console/src/bytes.ts';

const show = (...bytes: number[]) => showBytes(Buffer.from(bytes).toString('base64'));
const showText = (text: string) => showBytes(Buffer.from(text).toString('base64'));

test.each([
  ['text as it is, line ends and tabs too', '{\n\t"name": "Grüße 🎥"}', '{\n\t"name": "Grüße 🎥"}'],
  ['what turns the text around as its code', 'abc\u202edef', 'abc⟨U+202E⟩def'],
  ['what takes no room as its code', 'a\u200bb\ufeffc\u2028d\re', 'a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+2028⟩d⟨U+000D⟩e'],
])('shows %s', (_name, text, shown) => {
  expect(showText(text)).toMatchObject({ isText: true, text: shown, isWhole: true });
});

test('shows a byte order mark at the beginning', () => {
  expect(showText('\ufeff{}')).toMatchObject({ isText: true, text: '⟨U+FEFF⟩{}' });
});

test.each([
  ['bytes that are no UTF-8', [0xff, 0xd8, 0xff]],
  ['control characters', [0x41, 0x00, 0x42]],
])('does not treat %s as text', (_name, bytes) => {
  expect(show(...bytes).isText).toBe(false);
});

test('dumps sixteen bytes in a line, with their ASCII characters', () => {
  expect(show(...Array.from({ length: 18 }, (_unused, index) => 0x30 + index)).dump).toBe(
    [
      '00000  30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f  0123456789:;<=>?',
      `00010  ${'40 41'.padEnd(47)}  @A`,
    ].join('\n'),
  );
});

test.each([0, 1, 2, 3, shownBytes - 1, shownBytes, shownBytes + 1, shownBytes * 3])('counts %i bytes', (size) => {
  const shown = showText('x'.repeat(size));
  expect(shown).toMatchObject({ size, isText: true, isWhole: size <= shownBytes });
  expect(shown.text).toHaveLength(Math.min(size, shownBytes));
});

test('text that is cut in the middle of a character is still shown as text', () => {
  expect(showText(`${'x'.repeat(shownBytes - 1)}ü${'x'.repeat(10)}`)).toMatchObject({ isText: true, isWhole: false });
});

test('a lone surrogate is shown and causes no error', () => {
  expect(visible('a\ud800b')).toBe('a\ud800b');
});
