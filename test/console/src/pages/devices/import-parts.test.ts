import { expect, test } from 'vitest';
import { type Part, partsOf } from '../../../../../console/src/pages/devices/import-parts.ts';

const fileOf = (rows: number) =>
  ['deviceId,name', ...Array.from({ length: rows }, (_, index) => `cam-${index},x`)].join('\r\n');
const parted = (file: string): Part[] => {
  const result = partsOf(file);
  if (result.kind === 'refused') throw new Error(result.why);
  return result.parts;
};

test('a file is sent in parts of 500 lines, each with the header, and every line is in one of them', () => {
  const parts = parted(fileOf(1201));
  expect(parts.map(({ rows }) => rows)).toEqual([500, 500, 201]);
  const lines = parts.flatMap(({ table }) => table.split('\n').slice(1));
  expect(parts.every(({ table }) => table.startsWith('deviceId,name\n'))).toBe(true);
  expect(lines).toEqual(fileOf(1201).split('\r\n').slice(1));
  expect(parted(fileOf(20_000)).map(({ rows }) => rows)).toEqual(Array(40).fill(500));
});

test('a line of an answer leads to the line of the file, also below blank lines and a byte order mark', () => {
  const file = `\ufeff\n${fileOf(499)}\n\n\ncam-499,x\ncam-500,x\n`;
  const all = file.split(/\r\n|\n/);
  for (const { table, offset } of parted(file)) {
    for (const [index, line] of table.split('\n').entries()) {
      if (index > 0) expect(all[index + 1 + offset - 1]).toBe(line);
    }
  }
});

test('a part stays within the size limit of a request', () => {
  const wide = ['deviceId,name', ...Array.from({ length: 500 }, (_, index) => `cam-${index},${'å'.repeat(2000)}`)].join(
    '\n',
  );
  const parts = parted(wide);
  expect(parts.length).toBeGreaterThan(1);
  for (const { table } of parts) expect(Buffer.byteLength(table)).toBeLessThan(1024 * 1024);
});

test.each([
  ['', 'empty'],
  ['deviceId\n\n', 'no line below'],
  [fileOf(20_001), 'has 20001 lines'],
  ['deviceId,name\na,"x\ny"', 'Line 2 has a quotation mark'],
])('a file that cannot be split is refused with the reason', (file, why) => {
  expect(partsOf(file)).toEqual({ kind: 'refused', why: expect.stringContaining(why) });
});
