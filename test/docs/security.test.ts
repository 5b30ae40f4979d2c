import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asvs } from './asvs.ts';

const page = readFileSync('docs/security.md', 'utf8');
/** Cells of every row that is about requirements. */
const rows = page.split('\n').flatMap((line) => {
  const [, first = '', verdict = '', how = ''] = line.split('|').map((cell) => cell.trim());
  return /^V\d+\.\d/.test(first) ? [{ ids: first.split(', '), verdict, how }] : [];
});

test('every requirement of ASVS 5.0.0 at the levels 1 and 2 is judged exactly once, and no other is', () => {
  const wanted = Object.entries(asvs).flatMap(([section, numbers]) => numbers.map((each) => `V${section}.${each}`));
  expect(wanted).toHaveLength(253);
  expect(rows.flatMap(({ ids }) => ids).toSorted()).toEqual(wanted.toSorted());
});

test('a verdict is one of five words; a missing or inapplicable requirement has a reason', () => {
  for (const { ids, verdict, how } of rows) {
    expect(['holds', 'partly', 'no', 'installation', '–'], ids.join(' ')).toContain(verdict);
    if (verdict !== 'holds' && verdict !== 'installation') expect(how, ids.join(' ')).not.toBe('');
  }
});

test('every file that the page names exists', () => {
  const named = [
    ...page.matchAll(/`((?:console|device|docs|functions|local|shared|terraform|test|tools)\/[\w./-]+)`/g),
  ];
  const files = new Set(named.map(([, path = '']) => path));
  expect(files.size).toBeGreaterThan(40);
  expect([...files].filter((path) => !existsSync(path))).toEqual([]);
  const decisions = [...page.matchAll(/decision (\d{4})/g)].map(([, number]) => number);
  const known = readdirSync('docs/decisions').map((file) => file.slice(0, 4));
  expect(decisions.filter((number = '') => !known.includes(number))).toEqual([]);
});
