import { expect, test } from 'vitest';
import { heldUntil } from '../../../../shared/domain/maintenance/window.ts';

const nightly = { weekdays: ['sat', 'sun'] as const, from: '22:00', to: '04:30' };
const daily = { weekdays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const };
const at = (text: string) => new Date(text).toISOString();

test('once: from its begin up to its end', () => {
  const window = { startsAt: at('2026-11-20T10:00:00Z'), endsAt: at('2026-11-20T12:00:00Z') };
  expect(heldUntil(window, at('2026-11-20T09:59:59.999Z'), 'UTC')).toBeNull();
  expect(heldUntil(window, window.startsAt, 'UTC')).toBe(window.endsAt);
  expect(heldUntil(window, at('2026-11-20T11:59:59.999Z'), 'UTC')).toBe(window.endsAt);
  expect(heldUntil(window, window.endsAt, 'UTC')).toBeNull();
});

test.each([
  ['Saturday evening', '2026-11-21T22:00:00Z', '2026-11-22T04:30:00Z'],
  ['past midnight, of the day on which it began', '2026-11-22T04:29:59.999Z', '2026-11-22T04:30:00Z'],
  ['Sunday night into Monday', '2026-11-23T04:00:00Z', '2026-11-23T04:30:00Z'],
  ['its end', '2026-11-22T04:30:00Z', null],
  ['Friday evening', '2026-11-20T23:00:00Z', null],
  ['Saturday before it', '2026-11-21T21:59:59Z', null],
])('weekly, over midnight: %s', (_, now, until) => {
  const recurrence = { ...nightly, weekdays: [...nightly.weekdays] };
  expect(heldUntil({ recurrence }, at(now), 'UTC')).toBe(until === null ? null : at(until));
});

test('a recurring window ends for good when it is said to', () => {
  const recurrence = { ...nightly, weekdays: [...nightly.weekdays], until: at('2026-11-22T01:00:00Z') };
  expect(heldUntil({ recurrence }, at('2026-11-21T23:00:00Z'), 'UTC')).toBe(recurrence.until);
  expect(heldUntil({ recurrence }, at('2026-11-22T01:00:00Z'), 'UTC')).toBeNull();
});

// Where clocks change at night: Stockholm at 01:00 UTC, New York at 02:00 local time, Lord Howe by half an hour.
test.each([
  ['Europe/Stockholm, forward', 'Europe/Stockholm', '22:00', '06:00', '2026-03-28T22:00:00Z', '2026-03-29T04:00:00Z'],
  ['Europe/Stockholm, back', 'Europe/Stockholm', '22:00', '06:00', '2026-10-24T21:00:00Z', '2026-10-25T05:00:00Z'],
  [
    'its end lies in the hour that is left out',
    'Europe/Stockholm',
    '22:00',
    '02:30',
    '2026-03-28T22:00:00Z',
    '2026-03-29T01:00:00Z',
  ],
  [
    'its end lies in the hour that comes twice: the first',
    'Europe/Stockholm',
    '22:00',
    '02:30',
    '2026-10-24T21:00:00Z',
    '2026-10-25T00:30:00Z',
  ],
  ['America/New_York, forward', 'America/New_York', '20:00', '05:00', '2026-03-08T02:00:00Z', '2026-03-08T09:00:00Z'],
  ['America/New_York, back', 'America/New_York', '20:00', '05:00', '2026-11-01T01:00:00Z', '2026-11-01T10:00:00Z'],
  [
    'Australia/Lord_Howe, forward',
    'Australia/Lord_Howe',
    '20:00',
    '05:00',
    '2026-10-03T11:00:00Z',
    '2026-10-03T18:00:00Z',
  ],
  [
    'Australia/Lord_Howe, back',
    'Australia/Lord_Howe',
    '20:00',
    '05:00',
    '2026-04-04T11:00:00Z',
    '2026-04-04T18:30:00Z',
  ],
])('the clock on the wall ends it: %s', (_, timeZone, from, to, now, until) => {
  const recurrence = { weekdays: [...daily.weekdays], from, to, timeZone };
  expect(heldUntil({ recurrence }, at(now), 'UTC')).toBe(at(until));
});

test('all day on all days: it is looked at once a day, and holds on', () => {
  const recurrence = { weekdays: [...daily.weekdays], from: '00:00', to: '24:00' };
  const now = at('2026-11-20T10:00:30Z');
  const until = heldUntil({ recurrence }, now, 'UTC') ?? '';
  expect(until > now).toBe(true);
  expect(heldUntil({ recurrence }, until, 'UTC')).not.toBeNull();
});
