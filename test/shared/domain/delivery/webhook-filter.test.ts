import { describe, expect, test } from 'vitest';
import type { Webhook } from '../../../../shared/domain/delivery/webhook.ts';
import { refusalsOf, takesCritical } from '../../../../shared/domain/delivery/webhook-filter.ts';
import type { EventFacts } from '../../../../shared/domain/event/facts.ts';
import { isWithin, type ScheduleSettings } from '../../../../shared/domain/settings/schedules.ts';
import type { Period } from '../../../../shared/schema/settings/settings.ts';
import type { WebhookFilter } from '../../../../shared/schema/webhook/webhook.ts';

const workdays: Period['days'] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const settings = (timeZone: string): ScheduleSettings => ({
  timeZone,
  businessHours: [{ days: workdays, from: '08:00', to: '18:00' }],
  schedules: {
    nights: { periods: [{ days: ['fri'], from: '22:00', to: '06:00' }] },
    all_day: { timeZone: 'Asia/Kathmandu', periods: [{ days: ['sat'], from: '00:00', to: '24:00' }] },
  },
});

const object = (name: string, confidence: number, detected = true) => ({
  name,
  detected,
  confidence,
  boundingBox: { x: 0, y: 0, width: 1, height: 1 },
});
const event = (given: Partial<EventFacts> = {}): EventFacts => ({
  at: '2026-11-20T10:00:00.000Z',
  deviceId: 'cam-1',
  groupId: 'north',
  objects: [object('Person', 0.9), object('car', 0.6), object('dog', 0.99, false)],
  ...given,
});
const refusedBy = (filter: WebhookFilter | null, given: Partial<EventFacts> = {}) =>
  refusalsOf(filter, event(given), settings('UTC')).map(({ member }) => member);

describe('a filter', () => {
  test.each<[string, WebhookFilter | null, string[]]>([
    ['none lets everything pass', null, []],
    ['without members lets everything pass', {}, []],
    ['with empty lists asks for nothing', { objects: [], groups: [], devices: [] }, []],
    ['compares object names without case', { objects: ['PERSON'] }, []],
    ['does not take an object that was not detected', { objects: ['dog'] }, ['objects']],
    ['takes any of its objects', { objects: ['bird', 'car'] }, []],
    ['measures the confidence of any detected object', { minConfidence: 0.9 }, []],
    ['does not measure an object that was not detected', { minConfidence: 0.95 }, ['minConfidence']],
    ['measures the named objects only', { objects: ['car'], minConfidence: 0.7 }, ['minConfidence']],
    ['lets the exact confidence pass', { objects: ['car'], minConfidence: 0.6 }, []],
    ['wants the group', { groups: ['south'] }, ['groups']],
    ['wants the device', { devices: ['cam-2'] }, ['devices']],
    ['wants the hour', { schedule: 'outside_business_hours' }, ['schedule']],
    ['refuses a schedule that does not exist', { schedule: 'constructor' }, ['schedule']],
    [
      'names every member that refuses',
      { objects: ['bird'], minConfidence: 0.5, groups: ['x'], devices: ['y'], schedule: 'outside_business_hours' },
      ['objects', 'minConfidence', 'groups', 'devices', 'schedule'],
    ],
  ])('%s', (_, filter, expected) => {
    expect(refusedBy(filter)).toEqual(expected);
  });

  const alertFacts = {
    severity: 'ERROR',
    code: 'RES_001',
    category: 'resource',
    change: 'opened',
    site: 'gate',
    tags: { floor: '2' },
  } as const;
  test.each<[string, WebhookFilter, string[]]>([
    ['takes any of its severities', { severities: ['CRITICAL', 'ERROR'] }, []],
    ['wants the severity', { severities: ['CRITICAL'] }, ['severities']],
    ['takes a code and the beginning of codes', { codes: ['CONN_001', 'RES_*'] }, []],
    ['wants the code', { codes: ['RES_002', 'CONN_*'] }, ['codes']],
    ['wants the category', { categories: ['security'] }, ['categories']],
    ['wants the change', { changes: ['resolved'] }, ['changes']],
    ['wants the site', { sites: ['yard'] }, ['sites']],
    ['wants each tag with one of its values', { tags: { floor: ['1', '2'], wing: ['a'] } }, ['tags']],
    ['takes a tag with one of its values', { tags: { floor: ['1', '2'] } }, []],
    ['does not ask an alert for the kind of an incident', { kinds: ['blind'] }, []],
    ['with empty lists asks for nothing', { severities: [], codes: [], categories: [], changes: [], sites: [] }, []],
    [
      'wants all that it names',
      { severities: ['INFO'], codes: ['*'], sites: ['yard'], changes: ['opened'] },
      ['sites', 'severities'],
    ],
  ])('of an alert %s', (_, filter, expected) => {
    expect(refusedBy(filter, alertFacts)).toEqual(expected);
  });

  test('that names sites does not take a camera without one', () => {
    expect(refusedBy({ sites: ['gate'] }, { site: null })).toEqual(['sites']);
  });

  test('does not ask an event without objects about objects', () => {
    const { objects: _, ...about } = event();
    const filter = { objects: ['person'], minConfidence: 1, groups: ['north'] };
    expect(refusalsOf(filter, about, settings('UTC'))).toEqual([]);
  });

  test('wants a confidence of something: nothing detected has none', () => {
    expect(refusedBy({ minConfidence: 0 }, { objects: [] })).toEqual(['minConfidence']);
  });
});

describe('a schedule', () => {
  test.each<[name: string, zone: string, at: string, holds: boolean | null]>([
    ['always', 'UTC', '2026-11-22T03:00:00.000Z', true],
    ['business_hours', 'UTC', '2026-11-20T08:00:00.000Z', true],
    ['business_hours', 'UTC', '2026-11-20T07:59:59.999Z', false],
    ['business_hours', 'UTC', '2026-11-20T17:59:59.999Z', true],
    ['business_hours', 'UTC', '2026-11-20T18:00:00.000Z', false],
    ['business_hours', 'UTC', '2026-11-21T12:00:00.000Z', false],
    ['outside_business_hours', 'UTC', '2026-11-21T12:00:00.000Z', true],
    ['unknown', 'UTC', '2026-11-21T12:00:00.000Z', null],
    // Stockholm is an hour ahead in winter and two in summer.
    ['business_hours', 'Europe/Stockholm', '2026-11-20T07:00:00.000Z', true],
    ['business_hours', 'Europe/Stockholm', '2026-07-03T07:00:00.000Z', true],
    ['business_hours', 'Europe/Stockholm', '2026-07-03T06:00:00.000Z', true],
    ['business_hours', 'Europe/Stockholm', '2026-11-20T06:59:00.000Z', false],
    ['business_hours', 'Europe/Stockholm', '2026-07-03T05:59:00.000Z', false],
    // New York springs forward on 8 March 2026 and back on 1 November: the same UTC hour lies on either side of eight o'clock.
    ['business_hours', 'America/New_York', '2026-03-06T12:30:00.000Z', false],
    ['business_hours', 'America/New_York', '2026-03-09T12:30:00.000Z', true],
    ['business_hours', 'America/New_York', '2026-10-30T12:30:00.000Z', true],
    ['business_hours', 'America/New_York', '2026-11-02T12:30:00.000Z', false],
    // The weekday is the zone's: Friday evening in Los Angeles is Saturday in UTC.
    ['business_hours', 'America/Los_Angeles', '2026-11-21T01:30:00.000Z', true],
    // Past midnight: Friday night runs into Saturday, Saturday night does not exist.
    ['nights', 'UTC', '2026-11-20T22:00:00.000Z', true],
    ['nights', 'UTC', '2026-11-21T05:59:00.000Z', true],
    ['nights', 'UTC', '2026-11-21T06:00:00.000Z', false],
    ['nights', 'UTC', '2026-11-21T23:00:00.000Z', false],
    ['nights', 'UTC', '2026-11-20T05:00:00.000Z', false],
    // The schedule has a zone of its own, 5:45 ahead of UTC; the zone of the settings does not count.
    ['all_day', 'UTC', '2026-11-20T18:15:00.000Z', true],
    ['all_day', 'UTC', '2026-11-20T18:14:00.000Z', false],
    ['all_day', 'UTC', '2026-11-21T18:14:00.000Z', true],
    ['all_day', 'UTC', '2026-11-21T18:15:00.000Z', false],
  ])('%s in %s at %s: %s', (name, zone, at, holds) => {
    expect(isWithin(name, at, settings(zone))).toBe(holds);
  });
});

test.each([
  [['alert'], null, true],
  [['incident'], {}, true],
  [['detection', 'guardian', 'audit'], null, false],
  [['alert'], { severities: ['WARNING'] }, false],
  [['alert'], { severities: ['WARNING', 'CRITICAL'] }, true],
  [['alert'], { codes: ['CONN_002', 'CONN_003'] }, false],
  [['alert'], { codes: ['CONN_002', 'SEC_*'] }, true],
] satisfies [Webhook['events'], Webhook['filter'], boolean][])(
  'an endpoint of %j with the filter %j takes what is CRITICAL: %s',
  (events, filter, takes) => {
    expect(takesCritical({ events, filter })).toBe(takes);
  },
);
