import { expect, test } from 'vitest';
import { dateText, dayOfWeek, localDateAt, startOfDay } from '../../../../shared/domain/settings/local-time.ts';

test.each<[string, [number, number, number], string, string]>([
  ['UTC', [2026, 11, 20], 'UTC', '2026-11-20T00:00:00.000Z'],
  ['a zone ahead', [2026, 11, 20], 'Europe/Stockholm', '2026-11-19T23:00:00.000Z'],
  ['a zone half an hour off', [2026, 11, 20], 'Asia/Kolkata', '2026-11-19T18:30:00.000Z'],
  ['the farthest zone ahead', [2026, 11, 20], 'Pacific/Kiritimati', '2026-11-19T10:00:00.000Z'],
  ['the farthest zone behind', [2026, 11, 20], 'Pacific/Pago_Pago', '2026-11-20T11:00:00.000Z'],
  ['the day after a month', [2026, 11, 31], 'UTC', '2026-12-01T00:00:00.000Z'],
  ['the month after a year', [2026, 13, 1], 'Europe/Stockholm', '2026-12-31T23:00:00.000Z'],
  ['the day on which the clock goes forward', [2026, 3, 29], 'Europe/Stockholm', '2026-03-28T23:00:00.000Z'],
  ['the day after it', [2026, 3, 30], 'Europe/Stockholm', '2026-03-29T22:00:00.000Z'],
  ['a day without a midnight', [2026, 3, 29], 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
  ['a day with two midnights', [2026, 11, 1], 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ['a day that was left out', [2011, 12, 30], 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
])('a day begins at its first instant: %s', (_what, [year, month, day], timeZone, expected) => {
  expect(startOfDay({ year, month, day }, timeZone)).toBe(expected);
});

test('each instant of two years lies in the day that its zone shows', () => {
  for (const timeZone of [
    'Europe/Stockholm',
    'America/St_Johns',
    'Asia/Beirut',
    'America/Havana',
    'Australia/Lord_Howe',
  ]) {
    for (let ms = Date.UTC(2025, 0, 1); ms < Date.UTC(2027, 0, 1); ms += 37 * 3_600_000 + 60_000) {
      const at = new Date(ms).toISOString();
      const date = localDateAt(at, timeZone);
      const [from, to] = [startOfDay(date, timeZone), startOfDay({ ...date, day: date.day + 1 }, timeZone)];
      if (!(from <= at && at < to)) expect.fail(`${timeZone}: ${at} is not in ${dateText(date)}, ${from} to ${to}`);
    }
  }
});

test('days of the week count from Monday', () => {
  expect([20, 22, 23].map((day) => dayOfWeek({ year: 2026, month: 11, day }))).toEqual([4, 6, 0]);
});
