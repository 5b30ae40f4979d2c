import { expect, test } from 'vitest';
import { isWithin, type ScheduleSettings } from '../../../../shared/domain/settings/schedules.ts';

const settings: ScheduleSettings = {
  timeZone: 'Europe/Stockholm',
  businessHours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '18:00' }],
  schedules: {
    nights: { timeZone: 'UTC', periods: [{ days: ['fri'], from: '22:00', to: '06:00' }] },
    sundays: { timeZone: 'UTC', periods: [{ days: ['sun'], from: '00:00', to: '24:00' }] },
    round_the_clock: { timeZone: 'UTC', periods: [{ days: ['mon'], from: '07:00', to: '07:00' }] },
    shop: { periods: [{ days: ['sat'], from: '10:00', to: '16:00' }] },
  },
};

// 20 November 2026 is a Friday; Stockholm is an hour ahead of UTC then.
test.each<[name: string, at: string, isWithin: boolean | null]>([
  ['always', '2026-11-22T03:00:00.000Z', true],
  ['business_hours', '2026-11-20T06:59:59.999Z', false],
  ['business_hours', '2026-11-20T07:00:00.000Z', true],
  ['business_hours', '2026-11-20T16:59:59.999Z', true],
  ['business_hours', '2026-11-20T17:00:00.000Z', false],
  ['business_hours', '2026-11-21T10:00:00.000Z', false],
  ['business_hours', '2026-07-20T06:00:00.000Z', true],
  ['outside_business_hours', '2026-11-20T07:00:00.000Z', false],
  ['outside_business_hours', '2026-11-20T17:00:00.000Z', true],
  ['nights', '2026-11-20T21:59:59.999Z', false],
  ['nights', '2026-11-20T22:00:00.000Z', true],
  ['nights', '2026-11-21T05:59:59.999Z', true],
  ['nights', '2026-11-21T06:00:00.000Z', false],
  ['nights', '2026-11-20T05:00:00.000Z', false],
  ['nights', '2026-11-21T22:00:00.000Z', false],
  ['sundays', '2026-11-22T00:00:00.000Z', true],
  ['sundays', '2026-11-22T23:59:59.999Z', true],
  ['sundays', '2026-11-23T00:00:00.000Z', false],
  ['round_the_clock', '2026-11-23T07:00:00.000Z', true],
  ['round_the_clock', '2026-11-24T06:59:59.999Z', true],
  ['round_the_clock', '2026-11-24T07:00:00.000Z', false],
  ['shop', '2026-11-21T09:00:00.000Z', true],
  ['shop', '2026-11-21T15:00:00.000Z', false],
  ['never_heard_of', '2026-11-21T15:00:00.000Z', null],
  ['constructor', '2026-11-21T15:00:00.000Z', null],
])('%s at %s: %s', (name, at, expected) => {
  expect(isWithin(name, at, settings)).toBe(expected);
});
