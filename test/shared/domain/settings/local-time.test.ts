import { expect, test } from 'vitest';
import { localTimeAt } from '../../../../shared/domain/settings/local-time.ts';

test.each([
  ['2026-11-20T00:00:00.000Z', 'UTC', 'fri', 0],
  ['2026-11-20T23:59:59.999Z', 'UTC', 'fri', 1439],
  ['2026-11-20T23:30:00.000Z', 'Europe/Stockholm', 'sat', 30],
  ['2026-11-20T03:00:00.000Z', 'America/Los_Angeles', 'thu', 19 * 60],
  ['2026-11-20T18:15:00.000Z', 'Asia/Kathmandu', 'sat', 0],
  // The night on which the clocks of Stockholm jump from two to three, and that on which they go back from three to two.
  ['2026-03-29T00:59:00.000Z', 'Europe/Stockholm', 'sun', 119],
  ['2026-03-29T01:00:00.000Z', 'Europe/Stockholm', 'sun', 180],
  ['2026-10-25T00:30:00.000Z', 'Europe/Stockholm', 'sun', 150],
  ['2026-10-25T01:30:00.000Z', 'Europe/Stockholm', 'sun', 150],
])('at %s the clock in %s shows %s, minute %i', (at, timeZone, weekday, minuteOfDay) => {
  expect(localTimeAt(at, timeZone)).toEqual({ weekday, minuteOfDay });
});

test('a zone that does not exist is an error, each time it is asked for', () => {
  for (const _ of [1, 2]) expect(() => localTimeAt('2026-11-20T00:00:00.000Z', 'Mars/Olympus')).toThrow(RangeError);
});
