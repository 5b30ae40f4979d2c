import { describe, expect, test } from 'vitest';
import { instantAt, wallTimeAt } from '../../../../shared/domain/settings/local-time.ts';
import { onCallAt, turnsAt, turnsBetween } from '../../../../shared/domain/settings/on-call.ts';
import type { Rotation } from '../../../../shared/schema/settings/on-call.ts';

const wallOf = (text: string) => Date.parse(`${text}:00.000Z`);
const minute = 60_000;
const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString();

describe('the clock on the wall, over both changes of daylight saving', () => {
  test.each([
    // Stockholm goes from +01:00 to +02:00 at 01:00Z, and back at 01:00Z.
    ['Europe/Stockholm', '2026-03-29T01:59', '2026-03-29T00:59:00.000Z'],
    ['Europe/Stockholm', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'], // left out: shown as 03:30
    ['Europe/Stockholm', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
    ['Europe/Stockholm', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'], // twice: the first
    ['Europe/Stockholm', '2026-10-25T03:00', '2026-10-25T02:00:00.000Z'],
    // New York goes from -05:00 to -04:00 at 07:00Z, and back at 06:00Z.
    ['America/New_York', '2026-03-08T01:59', '2026-03-08T06:59:00.000Z'],
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
    ['America/New_York', '2026-11-01T02:00', '2026-11-01T07:00:00.000Z'],
    // Lord Howe goes back by half an hour, from +11:00 to +10:30, and forward again.
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T02:00', '2026-04-04T15:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:30', '2026-10-03T15:30:00.000Z'],
    ['UTC', '2026-03-29T02:30', '2026-03-29T02:30:00.000Z'],
  ])('%s %s is %s', (zone, wall, instant) => {
    expect(instantAt(wallOf(wall), zone)).toBe(instant);
  });

  test.each(['Europe/Stockholm', 'America/New_York', 'Australia/Lord_Howe'])('%s and back', (zone) => {
    for (let at = Date.parse('2026-01-01T00:00:00Z'); at < Date.parse('2027-01-01T00:00:00Z'); at += 331 * minute) {
      const back = Date.parse(instantAt(wallTimeAt(at, zone), zone));
      // In the hour that occurs twice, the first occurrence is taken.
      expect([at, at - 60 * minute, at - 30 * minute]).toContain(back);
      expect(wallTimeAt(back, zone)).toBe(wallTimeAt(at, zone));
    }
  });
});

const rotation = (more: Partial<Rotation> = {}): Rotation => ({
  people: ['anna', 'bo', 'cy'],
  handover: { weekday: 'sun', time: '02:30' },
  timeZone: 'Europe/Stockholm',
  startsAt: '2026-03-22T12:00:00Z',
  ...more,
});

describe('a handover at 02:30 of a Sunday', () => {
  test.each<[string, Partial<Rotation>, string[]]>([
    ['in Stockholm', {}, ['2026-03-29T01:30:00.000Z', '2026-04-05T00:30:00.000Z', '2026-04-12T00:30:00.000Z']],
    [
      'in Stockholm in autumn',
      { startsAt: '2026-10-18T12:00:00Z' },
      ['2026-10-25T00:30:00.000Z', '2026-11-01T01:30:00.000Z', '2026-11-08T01:30:00.000Z'],
    ],
    [
      'in New York',
      { timeZone: 'America/New_York', startsAt: '2026-03-01T12:00:00Z' },
      ['2026-03-08T07:30:00.000Z', '2026-03-15T06:30:00.000Z', '2026-03-22T06:30:00.000Z'],
    ],
    [
      'in New York in autumn',
      { timeZone: 'America/New_York', startsAt: '2026-10-25T12:00:00Z', handover: { weekday: 'sun', time: '01:30' } },
      ['2026-11-01T05:30:00.000Z', '2026-11-08T06:30:00.000Z', '2026-11-15T06:30:00.000Z'],
    ],
    [
      'on Lord Howe Island in autumn',
      {
        timeZone: 'Australia/Lord_Howe',
        startsAt: '2026-03-29T12:00:00Z',
        handover: { weekday: 'sun', time: '01:45' },
      },
      ['2026-04-04T14:45:00.000Z', '2026-04-11T15:15:00.000Z', '2026-04-18T15:15:00.000Z'],
    ],
    [
      'on Lord Howe Island in spring',
      {
        timeZone: 'Australia/Lord_Howe',
        startsAt: '2026-09-27T12:00:00Z',
        handover: { weekday: 'sun', time: '02:15' },
      },
      ['2026-10-03T15:45:00.000Z', '2026-10-10T15:15:00.000Z', '2026-10-17T15:15:00.000Z'],
    ],
  ])('%s', (_, given, handovers) => {
    const own = rotation(given);
    const [first = '', second = '', third = ''] = handovers;
    const at = (instant: string) => onCallAt(own, instant);
    expect([justBefore(first), first, justBefore(second), second, justBefore(third), third].map(at)).toEqual([
      'anna',
      'bo',
      'bo',
      'cy',
      'cy',
      'anna',
    ]);
    expect(turnsAt(own, first)).toEqual({
      now: { personId: 'bo', from: first, to: second },
      next: { personId: 'cy', from: second, to: third },
    });
  });
});

describe('who is on call, and who is next', () => {
  const monday = { weekday: 'mon', time: '08:00' } as const;
  const utc = rotation({ handover: monday, timeZone: 'UTC', startsAt: '2026-11-16T08:00:00Z' });
  const override = (personId: string, from: string, to: string) => ({
    personId,
    from: `2026-11-${from}:00Z`,
    to: `2026-11-${to}:00Z`,
  });
  test.each<[string, Partial<Rotation>, string, string]>([
    ['in the first week', {}, '18T12:00', 'anna 16T08:00–23T08:00, bo 23T08:00–30T08:00'],
    ['before anybody is', {}, '10T12:00', 'nobody –16T08:00, anna 16T08:00–23T08:00'],
    ['of one person', { people: ['anna'] }, '18T12:00', 'anna 16T08:00–, none'],
    [
      'with somebody for a night',
      { overrides: [override('cy', '18T18:00', '19T06:00')] },
      '18T20:00',
      'cy 18T18:00–19T06:00, anna 19T06:00–23T08:00',
    ],
    [
      'with somebody over a handover',
      { overrides: [override('cy', '22T18:00', '24T06:00')] },
      '18T12:00',
      'anna 16T08:00–22T18:00, cy 22T18:00–24T06:00',
    ],
    [
      'with somebody who has it anyway',
      { overrides: [override('anna', '18T18:00', '19T06:00')] },
      '18T12:00',
      'anna 16T08:00–23T08:00, bo 23T08:00–30T08:00',
    ],
    [
      'of two, the later in the list',
      { overrides: [override('cy', '18T00:00', '20T00:00'), override('bo', '18T12:00', '19T00:00')] },
      '18T13:00',
      'bo 18T12:00–19T00:00, cy 19T00:00–20T00:00',
    ],
    [
      'by one before the rotation starts',
      { overrides: [override('bo', '10T00:00', '11T00:00')] },
      '10T12:00',
      'bo 10T00:00–11T00:00, nobody 11T00:00–16T08:00',
    ],
  ])('%s', (_, given, at, expected) => {
    const { now, next } = turnsAt({ ...utc, ...given }, `2026-11-${at}:00.000Z`);
    const day = (instant: string | null) => instant?.slice(8, 16) ?? '';
    const shown = [now, next].map((turn) =>
      turn ? `${turn.personId ?? 'nobody'} ${day(turn.from)}–${day(turn.to)}` : 'none',
    );
    expect(shown.join(', ')).toBe(expected);
  });

  test('without a start weeks are counted from a fixed Monday, before it too', () => {
    const { startsAt: _, ...fixed } = utc;
    const people = ['1969-12-30', '1970-01-06', '1970-01-13', '1970-01-20', '1970-01-27'];
    expect(people.map((day) => onCallAt(fixed, `${day}T00:00:00.000Z`))).toEqual(['cy', 'anna', 'bo', 'cy', 'anna']);
  });
});

test('the turns of four weeks say for each hour who is on call, with a stand-in and before the start', () => {
  const given = rotation({
    people: ['anna', 'bo'],
    startsAt: '2026-03-25T00:00:00Z',
    overrides: [{ personId: 'bo', from: '2026-04-01T20:00:00Z', to: '2026-04-02T06:00:00Z' }],
  });
  const [from, until] = ['2026-03-22T12:30:00.000Z', '2026-04-19T12:30:00.000Z'];
  const turns = turnsBetween(given, from, until);
  for (let ms = Date.parse(from); ms < Date.parse(until); ms += 60 * minute) {
    const at = new Date(ms).toISOString();
    const of = turns.filter(({ from: begin, to }) => (begin ?? '') <= at && at < (to ?? '9'));
    expect(of.map(({ personId }) => personId)).toEqual([onCallAt(given, at)]);
  }
  expect(turns[0]?.personId).toBe(null);
  expect(turns.length).toBeGreaterThan(5);
});
