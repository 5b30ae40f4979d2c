import { expect, test } from 'vitest';
import {
  type Level,
  levelOf,
  type Measure,
  type MeasureName,
  withReading,
} from '../../../../shared/domain/device/measure.ts';
import { stampOf } from '../../../../shared/domain/device/stamp.ts';
import { report } from '../../../support/records/reports.ts';

function levelAfter(name: MeasureName, values: number[]): Level {
  let measure: Measure | undefined;
  for (const [index, value] of values.entries()) {
    const stamp = stampOf(report('status', {}, index * 60));
    measure = withReading(name, measure, { ...stamp, value }) ?? measure;
  }
  return levelOf(name, measure);
}

test.each<[MeasureName, number[], Level]>([
  ['memory', [80], 'normal'],
  ['memory', [80.01], 'high'],
  ['memory', [90], 'high'],
  ['memory', [90.01], 'critical'],
  ['memory', [95, 85.01], 'critical'],
  ['memory', [95, 85], 'high'],
  ['memory', [95, 80], 'normal'],
  ['memory', [85, 75.01], 'high'],
  ['memory', [85, 75], 'normal'],
  ['storage', [100], 'normal'],
  ['storage', [99.9], 'high'],
  ['storage', [50, 119.9], 'high'],
  ['storage', [50, 120], 'normal'],
  ['latency', [500], 'normal'],
  ['latency', [501], 'high'],
  ['latency', [800, 400], 'high'],
  ['latency', [800, 399.9], 'normal'],
])('%s after %j is %s', (name, values, level) => {
  expect(levelAfter(name, values)).toBe(level);
});

test('a reading that arrives late finds its place and gives the same level as one in time', () => {
  const at = (seconds: number, value: number) => ({
    ...stampOf(report('status', { timestamp: new Date(seconds * 1000).toISOString() }, seconds)),
    value,
  });
  const [first, second, third] = [at(0, 85), at(60, 95), at(120, 78)];
  const inOrder = [first, second, third].reduce<Measure | undefined>(
    (m, r) => withReading('memory', m, r) ?? m,
    undefined,
  );
  const shuffled = [third, first, second].reduce<Measure | undefined>(
    (m, r) => withReading('memory', m, r) ?? m,
    undefined,
  );
  expect(shuffled).toEqual(inOrder);
});

test('the same reading twice says nothing new', () => {
  const reading = { ...stampOf(report('status', {})), value: 95 };
  const measure = withReading('memory', undefined, reading);
  expect(withReading('memory', measure ?? undefined, reading)).toBeNull();
});
