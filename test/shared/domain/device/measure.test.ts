import { describe, expect, test } from 'vitest';
import {
  type Level,
  latestReading,
  levelOf,
  type Measure,
  type Reading,
  rebased,
  stampOf,
  withReading,
} from '../../../../shared/domain/device/measure.ts';

import type { MeasureName } from '../../../../shared/schema/vocabulary.ts';
import { report } from '../../../support/records/reports.ts';
import { at } from '../../../support/world/timeline.ts';

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
  const made = (seconds: number, value: number) => ({
    ...stampOf(report('status', { timestamp: new Date(seconds * 1000).toISOString() }, seconds)),
    value,
  });
  const [first, second, third] = [made(0, 85), made(60, 95), made(120, 78)];
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

describe('of the readings of a measure', () => {
  const reading = (seconds: number, value: number, given: Partial<Reading> = {}): Reading => ({
    ...{ deviceAt: at(seconds), receivedAt: at(seconds), messageId: `m-${seconds}`, bootId: null, seq: null, value },
    ...given,
  });
  const eight = Array.from({ length: 8 }, (_, index) => reading(index * 60, 50));
  const measure = (recent: Reading[], baseLevel: Level = 'normal'): Measure => ({ baseLevel, recent });

  test('the newest is shown, and without any there is none and the level is normal', () => {
    expect(latestReading(measure(eight))).toBe(eight[7]);
    expect(latestReading(measure([]))).toBeNull();
    expect(latestReading(undefined)).toBeNull();
    expect(levelOf('memory', undefined)).toBe('normal');
    expect(levelOf('memory', measure([], 'high'))).toBe('high');
  });

  test('eight are kept; what the oldest did to the level stays', () => {
    const next = reading(480, 78);
    expect(withReading('memory', measure(eight.slice(0, 7)), next)).toEqual(measure([...eight.slice(0, 7), next]));
    const [, ...others] = eight;
    const high = [reading(0, 85), ...others];
    expect(withReading('memory', measure(high), next)).toEqual(measure([...others, next], 'high'));
    expect(withReading('memory', measure(eight, 'high'), next)).toEqual(measure([...others, next], 'normal'));
  });

  test('one that is older than all of them counts only while there is room', () => {
    const old = reading(-60, 99);
    expect(withReading('memory', measure(eight), old)).toBeNull();
    expect(withReading('memory', measure(eight.slice(1)), old)).toEqual(measure([old, ...eight.slice(1)]));
    // The second oldest of nine takes the place of the oldest.
    const second = reading(30, 99);
    expect(withReading('memory', measure(eight), second)).toEqual(measure([second, ...eight.slice(1)]));
  });

  test('a copy changes nothing, and the copy that came first stands in for one that came later', () => {
    const [first = reading(0, 50), ...others] = eight;
    const copy = { ...first, messageId: 'copy', receivedAt: at(9) };
    expect(withReading('memory', measure(eight), copy)).toBeNull();
    expect(withReading('memory', measure([copy, ...others]), first)).toEqual(measure(eight));
  });

  test.each<[string, Partial<Reading>, boolean]>([
    ['the same time and value', {}, true],
    ['another time', { deviceAt: at(1) }, false],
    ['another value', { value: 51 }, false],
    ['another place in its boot', { seq: 4 }, false],
    ['no time', { deviceAt: null }, false],
  ])('one sent again is known by its time and value: %s', (_, given, isCopy) => {
    const known = reading(0, 50);
    const again = reading(0, 50, { messageId: 'again', receivedAt: at(9), ...given });
    expect(withReading('memory', measure([known]), again) === null).toBe(isCopy);
    const untimed = { ...known, deviceAt: null };
    expect(withReading('memory', measure([untimed]), { ...again, deviceAt: null })).not.toBeNull();
  });

  test('two of the same time that differ are two, in the order of their messages', () => {
    const [a, b] = [reading(0, 50), reading(0, 60)];
    const twin = { ...b, messageId: 'n' };
    expect(withReading('memory', measure([a]), twin)?.recent).toEqual([a, twin]);
  });

  test('after the clock was set back the level and the last value stay, by our time alone', () => {
    const last = reading(60, 78, { bootId: 'b', seq: 7 });
    expect(rebased('memory', measure([reading(0, 95), last], 'normal'))).toEqual(
      measure([{ ...last, deviceAt: null, bootId: null, seq: null }], 'normal'),
    );
    expect(rebased('memory', measure([], 'high'))).toEqual(measure([], 'high'));
  });
});
