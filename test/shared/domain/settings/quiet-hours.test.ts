import { expect, test } from 'vitest';
import { quietUntil } from '../../../../shared/domain/settings/quiet-hours.ts';
import { defaultSettings } from '../../../../shared/domain/settings/settings.ts';
import { toInstant } from '../../../../shared/domain/time.ts';
import type { Period } from '../../../../shared/schema/settings/settings.ts';
import { weekdays } from '../../../../shared/schema/vocabulary.ts';

const at = (text: string) => toInstant(text);
const until = (now: string, timeZone: string) =>
  quietUntil(defaultSettings.quietHours, { ...defaultSettings, timeZone }, 'WARNING', at(now));

// When the quiet hours begin and end in nights in which the clock changes.
test.each([
  ['Stockholm, forward', 'Europe/Stockholm', '2026-03-28T21:00:00Z', '2026-03-29T05:00:00Z'],
  ['Stockholm, back', 'Europe/Stockholm', '2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z'],
  ['New York, forward', 'America/New_York', '2026-03-08T03:00:00Z', '2026-03-08T11:00:00Z'],
  ['New York, back', 'America/New_York', '2026-11-01T02:00:00Z', '2026-11-01T12:00:00Z'],
  ['Lord Howe, forward', 'Australia/Lord_Howe', '2026-10-03T11:30:00Z', '2026-10-03T20:00:00Z'],
  ['Lord Howe, back', 'Australia/Lord_Howe', '2026-04-04T11:00:00Z', '2026-04-04T20:30:00Z'],
])('a warning waits from 22:00 to 07:00 on the clock on the wall: %s', (_, timeZone, from, to) => {
  const before = (text: string, ms: number) => new Date(Date.parse(text) - ms).toISOString();
  expect(until(before(from, 1), timeZone)).toBeNull();
  expect(until(from, timeZone)).toBe(at(to));
  expect(until(before(to, 1), timeZone)).toBe(at(to));
  expect(until(to, timeZone)).toBeNull();
});

test('nothing else waits unless a person says so, and hours without an end hold nothing', () => {
  const midnight = at('2026-11-20T00:00:00Z');
  for (const severity of ['CRITICAL', 'ERROR', 'INFO'] as const)
    expect(quietUntil(defaultSettings.quietHours, defaultSettings, severity, midnight)).toBeNull();
  const held = (schedule: string, periods: Period[] = []) =>
    quietUntil(
      { schedule, hold: ['CRITICAL'] },
      { ...defaultSettings, schedules: { own: { periods } } },
      'CRITICAL',
      midnight,
    );
  expect(held('night')).toBe(at('2026-11-20T07:00:00Z'));
  expect(held('own', [{ days: ['fri', 'sat', 'sun'], from: '00:00', to: '24:00' }])).toBe(at('2026-11-23T00:00:00Z'));
  expect(held('own', [{ days: [...weekdays], from: '00:00', to: '24:00' }])).toBeNull();
  expect(held('gone')).toBeNull();
});
