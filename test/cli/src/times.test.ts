import { expect, test } from 'vitest';
import { clockTimeIn, instantIn, withTimes } from '../../../cli/src/times.ts';

const nowMs = Date.parse('2026-11-24T09:30:00.000Z');
const inStockholm = { nowMs, timeZone: 'Europe/Stockholm' };
const said = (text: string, reading = inStockholm) => withTimes(text, reading).replaceAll('\u00a0', ' ');

test.each([
  ['2026-11-24T09:29:55.500Z', '10:29 (now)'],
  ['2026-11-24T09:29:18Z', '10:29 (42 s ago)'],
  ['2026-11-24T09:17:01.000Z', '10:17 (12 min ago)'],
  ['2026-11-24T09:30:59Z', '10:30 (in 59 s)'],
  ['2026-11-24T05:20Z', '06:20 (4 h 10 min ago)'],
  ['2026-11-24T12:30:00Z', '13:30 (in 3 h)'],
  // The day begins an hour earlier there than in UTC.
  ['2026-11-23T23:05:00Z', '00:05 (10 h ago)'],
  ['2026-11-23T22:55:00Z', '23 Nov 23:55 (10 h ago)'],
  ['2026-11-26T09:30:00Z', '26 Nov 10:30 (in 2 d)'],
  // Summer time.
  ['2026-07-01T12:00:00Z', '1 Jul 14:00 (145 d ago)'],
  ['2025-12-31T23:30:00Z', '1 Jan 00:30 (327 d ago)'],
  ['2025-12-31T22:30:00Z', '31 Dec 2025 23:30 (327 d ago)'],
])('%s is said as %s to a reader in Stockholm at 10:30', (at, expected) => {
  expect(said(at)).toBe(expected);
});

test('the same instant is another time of day elsewhere', () => {
  const at = '2026-11-24T09:17:01.000Z';
  expect(said(at, { nowMs, timeZone: 'Asia/Kolkata' })).toBe('14:47 (12 min ago)');
  expect(said(at, { nowMs, timeZone: 'UTC' })).toBe('09:17 (12 min ago)');
});

test('every instant in a text becomes a time; what only contains one, and what is none, stays', () => {
  expect(said('since 2026-11-24T09:17:01.000Z, until 2026-11-24T10:30:00.000Z.')).toBe(
    'since 10:17 (12 min ago), until 11:30 (in 1 h).',
  );
  for (const text of ['cam-2026-11-24T09:17:01Z', '2026-11-24T09:17:01Zulu', '2026-13-45T09:17:01Z', '2026-11-24'])
    expect(said(text)).toBe(text);
});

test('a cell that is an instant shows only the clock; one that contains an instant stays', () => {
  expect(clockTimeIn('2026-11-24T09:17:01.000Z', inStockholm)).toBe('10:17');
  expect(clockTimeIn('at 2026-11-24T09:17:01.000Z', inStockholm)).toBe('at 2026-11-24T09:17:01.000Z');
});

test.each([
  ['2026-11-22T18:00Z', '2026-11-22T18:00:00.000Z'],
  ['2026-11-22T18:00:00+05:30', '2026-11-22T12:30:00.000Z'],
  ['2026-11-22 18:00', new Date(2026, 10, 22, 18).toISOString()],
  ['2026-11-22T18:00', new Date(2026, 10, 22, 18).toISOString()],
  ['2026-02-30 18:00', null],
  ['24:00', null],
  ['6:00', null],
  ['2026-11-22', null],
  ['yesterday', null],
])('as an argument, %s is %s', (text, expected) => {
  for (const which of ['last', 'next'] as const) expect(instantIn(text, which, nowMs)).toBe(expected);
});

test.each(['00:00', '09:30', '12:00', '23:59'])(
  'the time of day %s is the last one or the next one of this machine',
  (text) => {
    const [last, next] = (['last', 'next'] as const).map((which) => new Date(instantIn(text, which, nowMs) ?? 0));
    for (const at of [last, next]) expect(at?.toTimeString().slice(0, 5)).toBe(text);
    const agoMs = nowMs - Number(last);
    const aheadMs = Number(next) - nowMs;
    expect([agoMs >= 0, agoMs < 86_400_000, aheadMs >= 0, aheadMs < 86_400_000]).toEqual([true, true, true, true]);
  },
);
