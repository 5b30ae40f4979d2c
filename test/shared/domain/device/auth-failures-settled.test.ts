import { describe, expect, test } from 'vitest';
import {
  type AuthFailure,
  type AuthFailures,
  failuresAt,
  failuresEndAt,
  noFailures,
  withFailures,
  withSettledFailures,
} from '../../../../shared/domain/device/auth-failures.ts';
import type { Stamp } from '../../../../shared/domain/device/measure.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const stamp = (seconds: number, messageId = `m-${seconds}`): Stamp => {
  return { deviceAt: null, receivedAt: at(seconds), messageId, bootId: null, seq: null };
};
const notified = (
  failures: AuthFailures,
  seconds: number,
  failedAttempts: number,
  windowSeconds?: number,
  id?: string,
) =>
  withFailures(
    failures,
    { failedAttempts, ...(windowSeconds === undefined ? {} : { windowSeconds }) },
    stamp(seconds, id),
    waits,
  );
const failure = (seconds: number, count: number, windowSeconds: number | null = null): AuthFailure => {
  return { key: `m-${seconds}`, at: at(seconds), count, windowSeconds };
};
const counted = (...recent: AuthFailure[]) => failuresAt(recent, recent.at(-1)?.at ?? at(0), waits);

describe('after a person settled the alert', () => {
  const settled = withSettledFailures({ ...noFailures, recent: [failure(0, 5), failure(60, 2)] }, at(100));

  test('nothing is counted, and the reports known then are remembered', () => {
    expect(settled).toEqual({ ...noFailures, settled: { at: at(100), keys: ['m-0', 'm-60'] } });
    expect(notified(settled, 60, 2)).toBeNull();
    const again = withSettledFailures({ ...settled, recent: [failure(200, 5)] }, at(300));
    expect(again.settled).toEqual({ at: at(300), keys: ['m-0', 'm-60', 'm-200'] });
  });

  test('at most 32 of them are remembered, the newest', () => {
    const many = Array.from({ length: 16 }, (_, index) => failure(index, 1));
    const keys = Array.from({ length: 17 }, (_, index) => `old-${index}`);
    const next = withSettledFailures({ ...noFailures, recent: many, settled: { at: at(0), keys } }, at(100));
    expect(next.settled?.keys).toEqual([...keys.slice(1), ...many.map(({ key }) => key)]);
  });

  test.each([
    ['that fell after it, whole where the window is as long', 200, 10, 100, 10],
    ['that fell after it, half of a window twice as long', 200, 10, 200, 5],
    ['rounded down', 200, 10, 300, 3],
    ['all of a shorter window', 200, 10, 50, 10],
    ['all of what has no window', 101, 10, undefined, 10],
    ['all of what counts no time', 101, 10, 0, 10],
  ])('counts the failures %s', (_, seconds, count, windowSeconds, expected) => {
    expect(notified(settled, seconds, count, windowSeconds)?.recent.map((each) => each.count)).toEqual([expected]);
  });

  test('a report of which nothing falls after it, and one from before it, say nothing', () => {
    expect(notified(settled, 101, 10, 3600)).toBeNull();
    expect(notified(settled, 90, 10, 3600)).toBeNull();
    expect(notified(settled, 100, 10, 3600)).toBeNull();
  });
});

describe('what is kept', () => {
  const full: AuthFailures = {
    ...noFailures,
    recent: Array.from({ length: 16 }, (_, index) => failure(100 + index, 1)),
  };

  test('is a report with its window, or none', () => {
    expect(notified(noFailures, 5, 3, 60)).toEqual({ ...noFailures, recent: [failure(5, 3, 60)] });
    expect(notified(noFailures, 5, 3)).toEqual({ ...noFailures, recent: [failure(5, 3)] });
    expect(notified(noFailures, 5, 0)).toBeNull();
    expect(notified(noFailures, 5, 0, 60)).toBeNull();
  });

  test('is in the order of time, and of keys at one time', () => {
    const two = notified(notified(noFailures, 5, 1, 0, 'b') ?? noFailures, 5, 1, 0, 'a') ?? noFailures;
    expect(notified(two, 3, 1, 0, 'c')?.recent.map(({ key }) => key)).toEqual(['c', 'a', 'b']);
  });

  test('is the copy that was published first', () => {
    const known = notified(noFailures, 60, 5, 30, 'x') ?? noFailures;
    expect([notified(known, 60, 5, 30, 'x'), notified(known, 61, 5, 30, 'x')]).toEqual([null, null]);
    expect(notified(known, 59, 5, 30, 'x')?.recent).toEqual([{ ...failure(59, 5, 30), key: 'x' }]);
  });

  test('is sixteen; what is as old as the forgotten is taken, what is older is not', () => {
    const next = notified(full, 200, 1) ?? noFailures;
    expect(next.recent).toEqual([...full.recent.slice(1), failure(200, 1)]);
    expect(next.before).toEqual({ isOpen: false, lastAt: at(100) });
    expect(notified(next, 99, 5)).toBeNull();
    expect(notified(next, 100, 5, undefined, 'other')?.before).toEqual({ isOpen: true, lastAt: at(100) });
  });
});

describe('failures in ten minutes', () => {
  test('of reports that count since the last one add up, and of a later time do not count', () => {
    expect(counted(failure(0, 2), failure(60, 3))).toBe(5);
    expect(failuresAt([failure(0, 2), failure(60, 3)], at(59), waits)).toBe(2);
    expect(failuresAt([], at(59), waits)).toBe(0);
  });

  test('a window covers a report that came exactly when it began, not one from just before', () => {
    expect(counted(failure(0, 3, 60), failure(60, 4, 60))).toBe(7);
    expect(counted(failure(1, 3, 60), failure(60, 4, 60))).toBe(4);
    expect(counted(failure(0, 3), failure(60, 4))).toBe(7);
    // A report without a window covers no other report, not even one of the same time.
    expect(counted(failure(0, 3), { ...failure(0, 4), key: 'other' })).toBe(7);
  });

  test('of a window as long as ours all count, of a longer one the share, rounded down', () => {
    expect([counted(failure(0, 7, 600)), counted(failure(0, 7, 601)), counted(failure(0, 12, 1200))]).toEqual([
      7, 6, 6,
    ]);
    expect(counted(failure(0, 7, 30))).toBe(7);
  });

  test('are many from five on, and end an hour after the last', () => {
    const ends = (...recent: AuthFailure[]) => failuresEndAt({ ...noFailures, recent }, waits);
    expect([ends(failure(0, 4)), ends(failure(0, 5))]).toEqual([null, at(3600)]);
    expect(ends(failure(0, 2), failure(60, 3))).toBe(at(3660));
    // The first two are not many: the condition begins with the second report, at 599 s, and ends an hour later if none follows.
    expect(ends(failure(0, 2), failure(599, 3), failure(4198, 1))).toBe(at(7798));
    expect(ends(failure(0, 2), failure(599, 3), failure(4199, 1))).toBeNull();
  });
});
