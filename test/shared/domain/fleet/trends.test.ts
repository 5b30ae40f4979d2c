import { describe, expect, test } from 'vitest';
import type { AlertRecord } from '../../../../shared/domain/alert/alert.ts';
import type { AuditEntry } from '../../../../shared/domain/alert/lifecycle.ts';
import {
  accrualOf,
  rollUpIds,
  rollUpsOf,
  sumOf,
  type TrendRecord,
  trendsOf,
} from '../../../../shared/domain/fleet/trends.ts';

const [hour, day] = [3_600_000, 86_400_000];
const record = (cells: TrendRecord['cells']): TrendRecord => ({
  ...{ groupId: '*', span: 'day', start: '2026-11-20', cells, expireAt: '2028-01-01T00:00:00.000Z' },
});
const [since, until] = ['2026-11-20T00:00:00.000Z', '2026-11-20T02:00:00.000Z'];

test('two counts are summed name by name', () => {
  expect(sumOf({ a: 1, b: 2 }, { b: -2, c: 3 })).toEqual({ a: 1, b: 0, c: 3 });
});

test('counters go to the day and the month of their group and of the whole fleet, kept for 400 days', () => {
  const rollUps = rollUpsOf([
    { day: '2026-11-20', groupId: 'g', hours: { '07': { n: 1 }, '08': { n: 2 } } },
    { day: '2026-11-20', groupId: 'h', hours: { '07': { n: 4 } } },
  ]);
  expect(Object.fromEntries(rollUps.map(({ id, add }) => [id, add.cells]))).toEqual({
    'day 2026-11-20 g': { '2026-11-20T07': { n: 1 }, '2026-11-20T08': { n: 2 } },
    'day 2026-11-20 h': { '2026-11-20T07': { n: 4 } },
    'day 2026-11-20 *': { '2026-11-20T07': { n: 5 }, '2026-11-20T08': { n: 2 } },
    'month 2026-11-01 g': { '2026-11-20': { n: 3 } },
    'month 2026-11-01 h': { '2026-11-20': { n: 4 } },
    'month 2026-11-01 *': { '2026-11-20': { n: 7 } },
  });
  expect(rollUps[0]?.set.expireAt).toBe('2027-12-25T00:00:00.000Z');
});

test('hours are read from days, and days from months', () => {
  const end = '2026-11-21T00:00:00.000Z';
  expect(rollUpIds(['g', '*'], since, end, hour)).toEqual(['day 2026-11-20 g', 'day 2026-11-20 *']);
  expect(rollUpIds(['g'], '2026-11-30T00:00:00.000Z', '2026-12-02T00:00:00.000Z', day)).toEqual([
    'month 2026-11-01 g',
    'month 2026-12-01 g',
  ]);
});

describe('over a period', () => {
  test('what opened is counted for each hour, and nothing outside of it counts', () => {
    const cells = { '2026-11-20T00': { 'opened ERROR': 2 }, '2026-11-20T02': { 'opened ERROR': 9 } };
    const { buckets } = trendsOf(
      [record(cells), record({ '2026-11-20T00': { 'opened ERROR': 1 } })],
      since,
      until,
      hour,
    );
    expect(buckets.map(({ at, opened }) => [at, opened.ERROR])).toEqual([
      [since, 3],
      ['2026-11-20T01:00:00.000Z', 0],
    ]);
  });

  test('times are given as mean and percentiles, and not at all where nothing was done', () => {
    const cells = {
      '2026-11-20T00': { 'acknowledge count': 10, 'acknowledge ms': 100_440, 'acknowledge class 0': 5 },
      '2026-11-20T01': { 'acknowledge class 10': 4, 'acknowledge class 20': 1 },
    };
    const { timeToAcknowledge, timeToResolve } = trendsOf([record(cells)], since, until, hour);
    expect(timeToAcknowledge).toEqual({
      count: 10,
      meanSeconds: 10,
      // The median is in the class up to one second. The bound of each class is 2^(1/4) times that of the class before.
      medianSeconds: 1,
      p95Seconds: Math.round(2 ** (19.5 / 4) * 10) / 10,
    });
    expect(timeToResolve).toEqual({ count: 0, meanSeconds: null, medianSeconds: null, p95Seconds: null });
  });
});

describe('what a change of an alert adds to the counters', () => {
  const begin = '2026-11-20T07:00:00.000Z';
  const at = (seconds: number) => new Date(Date.parse(begin) + seconds * 1000).toISOString();
  const alert = (given: Partial<AlertRecord> = {}) =>
    ({ alertId: '0041aaaa', groupId: 'g', severity: 'ERROR', timestamp: begin, isOpen: true, ...given }) as AlertRecord;
  const added = (action: AuditEntry['action'], before: AlertRecord | null = alert(), seconds = 60) =>
    accrualOf(before, alert(), { action, at: at(seconds) } as AuditEntry)?.add.hours ?? null;
  const took = (what: string, ms: number, ofClass: number) => ({
    [`${what} count`]: 1,
    [`${what} ms`]: ms,
    [`${what} class ${ofClass}`]: 1,
  });

  test.each<[AuditEntry['action'], Partial<AlertRecord> | null, object | null]>([
    ['open', null, { 'opened ERROR': 1 }],
    ['reopen', { isOpen: false }, { 'opened ERROR': 1 }],
    ['return', { isOpen: false }, { 'opened ERROR': 1 }],
    ['worsen', { isOpen: false }, { 'opened ERROR': 1 }],
    ['worsen', { isOpen: true }, null],
    ['acknowledge', {}, took('acknowledge', 60_000, 24)],
    ['resolve', {}, took('resolve', 60_000, 24)],
    ['end', {}, took('resolve', 60_000, 24)],
    ['end', { isOpen: false }, null],
    ['see', {}, null],
    ['escalate', {}, null],
  ])('%s of %j adds %j', (action, before, counts) => {
    expect(added(action, before && alert(before))).toEqual(counts && { '07': counts });
  });

  test.each([
    [0, 0],
    [1, 0],
    [1.1, 1],
    [2, 4],
    [2.001, 5],
    [-5, 0],
  ])('an answer after %d s is of class %d', (seconds, ofClass) => {
    const ms = Math.max(0, seconds * 1000);
    expect(added('acknowledge', alert(), seconds)).toEqual({
      [seconds < 0 ? '06' : '07']: took('acknowledge', ms, ofClass),
    });
  });

  test('an undo takes away what was counted, where it was counted', () => {
    const counted = added('acknowledge', alert(), 3500)?.['07'] ?? {};
    const undone = added('unacknowledge', alert({ acknowledgedAt: at(3500) }), 3605);
    expect(undone).toEqual({
      '07': Object.fromEntries(Object.entries(counted).map(([name, count]) => [name, -count])),
    });
    expect(Object.keys(added('unacknowledge', alert({ acknowledgedAt: null }), 3605) ?? {})).toEqual(['08']);
  });

  test('an acknowledgement counts when it is made, whatever was made before', () => {
    expect(Object.keys(added('acknowledge', alert({ acknowledgedAt: at(60) }), 3605) ?? {})).toEqual(['08']);
  });

  test('goes to one of 64 counters of its group and day', () => {
    const idOf = (alertId: string) =>
      accrualOf(null, alert({ alertId }), { action: 'open', at: at(0) } as AuditEntry)?.id ?? '';
    expect([idOf('0041aaaa'), idOf('003faaaa'), idOf('0040aaaa')]).toEqual([
      '2026-11-20 g 1',
      '2026-11-20 g 63',
      '2026-11-20 g 0',
    ]);
  });
});

describe('times of a period', () => {
  const taken = (counts: Record<string, number>) => {
    const cells = { '2026-11-20T00': { 'acknowledge count': 20, 'acknowledge ms': 1_000_000, ...counts } };
    return trendsOf([record(cells)], since, until, hour).timeToAcknowledge;
  };
  const middle = (number: number) => Math.round(2 ** ((number - 0.5) / 4) * 10) / 10;

  test('are those of the class in which the share of them is reached, in the order of the classes', () => {
    const counts = (low: number) => ({ 'acknowledge class 12': 20 - low, 'acknowledge class 8': low });
    expect(taken(counts(10)).medianSeconds).toBe(middle(8));
    expect(taken(counts(9)).medianSeconds).toBe(middle(12));
    expect(taken(counts(19)).p95Seconds).toBe(middle(8));
    expect(taken(counts(18)).p95Seconds).toBe(middle(12));
    expect(taken({ 'acknowledge class 0': 20 })).toMatchObject({ meanSeconds: 50, medianSeconds: 1, p95Seconds: 1 });
    expect(taken({ 'acknowledge class 1': 20, 'resolve class 9': 90 })).toMatchObject({ medianSeconds: 1.1 });
    expect(taken({})).toMatchObject({ medianSeconds: 0, p95Seconds: 0 });
    expect(taken({ 'acknowledge ms': 20_000_000 }).meanSeconds).toBe(1000);
  });

  test('have a mean of none where no time was counted, and are given for ends as well', () => {
    const cells = { '2026-11-20T00': { 'resolve count': 4, 'resolve class 4': 4 } };
    const { timeToAcknowledge, timeToResolve } = trendsOf([record(cells)], since, until, hour);
    expect(timeToAcknowledge.count).toBe(0);
    expect(timeToResolve).toEqual({ count: 4, meanSeconds: 0, medianSeconds: middle(4), p95Seconds: middle(4) });
  });

  test('and openings are read by the day from months', () => {
    const cells = { '2026-11-20': { 'opened ERROR': 2 }, '2026-11-20T00': { 'opened ERROR': 9 } };
    const { buckets } = trendsOf([record(cells)], since, '2026-11-22T00:00:00.000Z', day);
    expect(buckets.map(({ at: begin, opened }) => [begin, opened])).toEqual([
      ['2026-11-20T00:00:00.000Z', { CRITICAL: 0, ERROR: 2, WARNING: 0, INFO: 0 }],
      ['2026-11-21T00:00:00.000Z', { CRITICAL: 0, ERROR: 0, WARNING: 0, INFO: 0 }],
    ]);
  });
});
