import { describe, expect, test } from 'vitest';
import { rollUpIds, rollUpsOf, sumOf, type TrendRecord, trendsOf } from '../../../../shared/domain/fleet/trends.ts';

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
  test('what opened is told for each hour, and nothing outside of it counts', () => {
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

  test('times are told as mean and percentiles, and not at all where nothing was done', () => {
    const cells = {
      '2026-11-20T00': { 'acknowledge count': 10, 'acknowledge ms': 100_440, 'acknowledge class 0': 5 },
      '2026-11-20T01': { 'acknowledge class 10': 4, 'acknowledge class 20': 1 },
    };
    const { timeToAcknowledge, timeToResolve } = trendsOf([record(cells)], since, until, hour);
    expect(timeToAcknowledge).toEqual({
      count: 10,
      meanSeconds: 10,
      // Half of them took a second or less. A class ends a quarter of a doubling above the one before.
      medianSeconds: 1,
      p95Seconds: Math.round(2 ** (19.5 / 4) * 10) / 10,
    });
    expect(timeToResolve).toEqual({ count: 0, meanSeconds: null, medianSeconds: null, p95Seconds: null });
  });
});
