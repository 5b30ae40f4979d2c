import { expect, test } from 'vitest';
import {
  type AuthFailures,
  failuresAt,
  failuresEndAt,
  noFailures,
  withFailures,
} from '../../../../shared/domain/device/auth-failures.ts';
import type { Stamp } from '../../../../shared/domain/device/measure.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const at = (seconds: number) => plus(startOfTests, seconds * 1000);
const stamp = (seconds: number, messageId = `m-${seconds}`): Stamp => ({
  deviceAt: null,
  receivedAt: at(seconds),
  messageId,
  bootId: null,
  seq: null,
});
type Notified = [seconds: number, failedAttempts: number, windowSeconds?: number];
function after(notified: readonly Notified[], from: AuthFailures = noFailures): AuthFailures {
  return notified.reduce((failures, [seconds, failedAttempts, windowSeconds]) => {
    const given = { failedAttempts, ...(windowSeconds === undefined ? {} : { windowSeconds }) };
    return withFailures(failures, given, stamp(seconds), waits) ?? failures;
  }, from);
}

test.each<[string, Notified[], number]>([
  [
    'reports that count since the last one add up',
    [
      [0, 2],
      [60, 3],
    ],
    5,
  ],
  [
    'what is ten minutes old is out of the window',
    [
      [0, 4],
      [600, 1],
    ],
    1,
  ],
  [
    'a moment less is still in it',
    [
      [0.001, 4],
      [600, 1],
    ],
    5,
  ],
  [
    'a report whose window reaches back over another has counted it',
    [
      [0, 3, 300],
      [60, 4, 300],
    ],
    4,
  ],
  [
    'windows that do not touch add up',
    [
      [0, 3, 60],
      [120, 4, 60],
    ],
    7,
  ],
  [
    'a newer count that is less hides no older one',
    [
      [0, 6, 300],
      [60, 1, 300],
    ],
    6,
  ],
  ['of a window longer than ours only its share is proven', [[0, 12, 3600]], 2],
])('%s', (_, notified, expected) => {
  const last = notified.at(-1)?.[0] ?? 0;
  expect(failuresAt(after(notified).recent, at(last), waits)).toBe(expected);
});

test('many end an hour after the last failure; few never began', () => {
  expect(failuresEndAt(after([[0, 4]]), waits)).toBeNull();
  expect(failuresEndAt(after([[0, 5]]), waits)).toBe(at(3600));
  expect(
    failuresEndAt(
      after([
        [0, 5],
        [3000, 1],
      ]),
      waits,
    ),
  ).toBe(at(6600));
  expect(
    failuresEndAt(
      after([
        [0, 5],
        [3600, 1],
      ]),
      waits,
    ),
  ).toBeNull();
});

test('in whatever order reports come, and however often, the same is known', () => {
  const notified: Notified[] = [
    [0, 2],
    [60, 3, 30],
    [120, 1],
  ];
  expect(after(notified.toReversed())).toEqual(after(notified));
  expect(after([...notified, ...notified])).toEqual(after(notified));
});

test('a report of no failure, and one that is known, say nothing new', () => {
  expect(withFailures(noFailures, { failedAttempts: 0 }, stamp(0), waits)).toBeNull();
  const known = after([[0, 5]]);
  expect(withFailures(known, { failedAttempts: 5 }, stamp(0), waits)).toBeNull();
});

test('a long attack goes on though its first reports are forgotten, and what is older than those is not taken', () => {
  const many = after(Array.from({ length: 40 }, (_, index): Notified => [index * 60, 5]));
  expect(many.recent).toHaveLength(16);
  expect(many.before.isOpen).toBe(true);
  expect(failuresEndAt(many, waits)).toBe(at(39 * 60 + 3600));
  expect(withFailures(many, { failedAttempts: 5 }, stamp(30), waits)).toBeNull();
});
