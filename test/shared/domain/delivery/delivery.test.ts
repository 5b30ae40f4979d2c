import { expect, test } from 'vitest';
import { nextAttemptAt, readRetryAfter } from '../../../../shared/domain/delivery/delivery.ts';
import {
  afterFailure,
  behindTrial,
  flightLimit,
  isGivenUp,
  returnAt,
  soundHealth,
} from '../../../../shared/domain/delivery/endpoint-health.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { msBetween, plus } from '../../../../shared/domain/time.ts';
import { startOfTests as now } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const delayAfter = (failed: number, jitter: number, retryAfterMs: number | null) =>
  msBetween(now, nextAttemptAt(failed, now, { jitter, retryAfterMs }, waits)) / 1000;

test.each([
  [1, 30],
  [2, 120],
  [3, 600],
  [4, 3600],
])(
  'after failure %i the next attempt is due in %i seconds, never earlier and at most a tenth later',
  (failed, delay) => {
    expect(delayAfter(failed, 0, null)).toBe(delay);
    expect(delayAfter(failed, 0.5, null)).toBe(delay * 1.05);
    expect(delayAfter(failed, 0.999_999, null)).toBeLessThanOrEqual(delay * 1.1);
  },
);

test.each([
  [1, 10_000, 30],
  [1, 45_000, 45],
  [1, 86_400_000, 3600],
  [4, 7_200_000, 3600],
  [2, 0, 120],
])('after failure %i a receiver that asks for %i ms is left alone for %i seconds', (failed, asked, expected) => {
  expect(delayAfter(failed, 0, asked)).toBe(expected);
});

test.each<[header: string | string[] | undefined, seconds: number | null]>([
  // Of two values the valid one counts.
  [['Mon, 99 Foo 2026 00:00:00 GMT', '60'], 60],
  [undefined, null],
  ['', null],
  ['0', null],
  ['1', 1],
  [' 120 ', 120],
  ['+5', null],
  ['-5', null],
  ['1.5', null],
  ['1e3', null],
  ['0x10', null],
  ['NaN', null],
  ['Infinity', null],
  ['99999999999999999999', null],
  ['9999999999', 9_999_999_999],
  ['soon', null],
  ['Fri, 20 Nov 2026 10:01:00 GMT', 60],
  ['Friday, 20-Nov-26 10:01:00 GMT', 60],
  ['Fri Nov 20 10:01:00 2026', 60],
  ['Fri, 20 Nov 2026 09:00:00 GMT', null],
  ['Fri, 32 Nov 2026 09:00:00 GMT', null],
  ['2026-11-20T10:01:00Z', null],
  ['10, 20', null],
  [['10', '20'], 20],
  [['soon', '20'], 20],
  [['soon', 'later'], null],
  ['１２', null],
])('Retry-After %j means %j seconds', (header, seconds) => {
  expect(readRetryAfter(header, now)).toBe(seconds === null ? null : seconds * 1000);
});

test('the circuit opens at five failures in a row, and its pause doubles from 30 s to 10 min', () => {
  let health = soundHealth('w');
  let at = now;
  for (let failure = 1; failure <= 4; failure += 1) health = afterFailure(health, at, at, waits);
  expect(returnAt(health, 0, at, waits)).toBe(null);
  expect(flightLimit(health)).toBe(4);
  const pauses: number[] = [];
  for (let probe = 0; probe < 8; probe += 1) {
    health = afterFailure(health, at, at, waits);
    pauses.push(msBetween(at, health.openUntil ?? at) / 1000);
    expect(flightLimit(health)).toBe(1);
    at = health.openUntil ?? at;
    expect(returnAt(health, 0, at, waits)).toBe(null);
  }
  expect(pauses).toEqual([30, 60, 120, 240, 480, 600, 600, 600]);
});

test('deliveries that meet an open circuit come back one after another, from its end to half its pause later', () => {
  let health = soundHealth('w');
  for (let failure = 0; failure < 6; failure += 1)
    health = afterFailure(health, plus(now, failure), plus(now, failure), waits);
  const probed = afterFailure(health, health.openUntil ?? '', health.openUntil ?? '', waits);
  const pause = msBetween(health.openUntil ?? '', probed.openUntil ?? '');
  const backAt = (share: number) => returnAt(probed, share, health.openUntil ?? '', waits);
  expect(backAt(0)).toBe(probed.openUntil);
  expect(backAt(0.5)).toBe(plus(probed.openUntil ?? '', pause / 4));
  expect(backAt(1)).toBe(plus(probed.openUntil ?? '', pause / 2));
});

test('deliveries beside the one that tries an endpoint after its pause come back when that is over, spread over half the pause', () => {
  let health = soundHealth('w');
  for (let failure = 0; failure < 4; failure += 1) health = afterFailure(health, now, now, waits);
  expect(behindTrial(health, 0.5, now, 10_000, waits)).toBe(null);
  health = afterFailure(health, now, now, waits);
  const back = [0, 0.5, 1].map((share) => msBetween(now, behindTrial(health, share, now, 10_000, waits) ?? ''));
  expect(back).toEqual([10_000, 17_500, 25_000]);
});

test('requests that were in flight when the circuit opened do not lengthen its pause', () => {
  let health = soundHealth('w');
  for (let failure = 0; failure < 5; failure += 1) health = afterFailure(health, now, now, waits);
  const late = afterFailure(health, plus(now, -1), plus(now, 5000), waits);
  expect(late.openUntil).toBe(health.openUntil);
});

test('an endpoint is given up after five days of nothing but failures, and at least twenty of them', () => {
  const fiveDays = 5 * 24 * 3600_000;
  const failed = (times: number, over: number) => {
    let health = soundHealth('w');
    for (let failure = 0; failure < times; failure += 1) {
      const at = plus(now, (over * failure) / Math.max(1, times - 1));
      health = afterFailure(health, at, at, waits);
    }
    return isGivenUp(health, plus(now, over), waits);
  };
  expect(failed(20, fiveDays)).toBe(true);
  expect(failed(19, fiveDays)).toBe(false);
  expect(failed(200, fiveDays - 1000)).toBe(false);
});
