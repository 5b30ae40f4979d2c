import { expect, test } from 'vitest';
import { clocksIn } from '../../../tools/map/clocks.ts';

const found = (source: string) => clocksIn('planted.ts', source).map(({ found: what }) => what);

test.each([
  ['const at = Date.now();', 'Date.now'],
  ["const at = Date['now']();", 'Date.now'],
  ['const read = (now = Date.now) => now();', 'Date.now'],
  ['const at = new Date();', 'new Date()'],
  ['const at = Date();', 'Date()'],
  ['const share = Math.random();', 'Math.random'],
  ['setTimeout(act, 5);', 'setTimeout'],
  ['const later = setTimeout;', 'setTimeout'],
  ['globalThis.setTimeout(act, 5);', 'setTimeout'],
  ['const timers = { setInterval };', 'setInterval'],
  ['setInterval(act, 5);', 'setInterval'],
  ['setImmediate(act);', 'setImmediate'],
  ['const at = performance.now();', 'performance'],
  ['const id = crypto.randomUUID();', 'crypto.randomUUID'],
  ['const id = randomUUID();', 'randomUUID'],
])('%s counts as a clock', (source, what) => {
  expect(found(source)).toEqual([what]);
});

test.each([
  'const at = new Date(now);',
  'const ms = Date.parse(now);',
  'const at = world.now();',
  'const share = world.random();',
  'timers.setTimeout(act, 5);',
  'type Timers = { setTimeout(act: () => void): void; performance: number };',
  'const timers = { setTimeout: pause };',
  '// Date.now() of the store is not ours.',
  "const text = 'setTimeout';",
])('%s does not count as a clock', (source) => {
  expect(found(source)).toEqual([]);
});

test('each clock is reported with its line', () => {
  expect(clocksIn('planted.ts', 'const a = 1;\nconst b = Date.now();\nconst c = Math.random();')).toEqual([
    { file: 'planted.ts', line: 2, found: 'Date.now' },
    { file: 'planted.ts', line: 3, found: 'Math.random' },
  ]);
});
