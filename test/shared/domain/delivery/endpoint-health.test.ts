import { describe, expect, test } from 'vitest';
import {
  afterFailure,
  behindTrial,
  flightLimit,
  forgiven,
  isFailingForSure,
  isGivenUp,
  isPaused,
  returnAt,
  soundHealth,
  withFailedEvent,
} from '../../../../shared/domain/delivery/endpoint-health.ts';
import type { EndpointHealth } from '../../../../shared/domain/delivery/webhook.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const health = (given: Partial<EndpointHealth> = {}): EndpointHealth => ({ ...soundHealth('w-1'), ...given });
const day = 86_400;

test('an endpoint is sound until it fails', () => {
  expect(soundHealth('w-1')).toEqual({
    ...{
      webhookId: 'w-1',
      failuresInRow: 0,
      failingSince: null,
      timesOpened: 0,
      openUntil: null,
      failedEvents: [],
      toldAt: null,
    },
  });
});

describe('the circuit of an endpoint', () => {
  test('opens with the fifth failure in a row, for 30 s', () => {
    const fourth = afterFailure(health({ failuresInRow: 3, failingSince: at(-60) }), at(-1), at(0), waits);
    expect(fourth).toEqual(health({ failuresInRow: 4, failingSince: at(-60) }));
    expect(afterFailure(fourth, at(-1), at(0), waits)).toEqual(
      health({ failuresInRow: 5, failingSince: at(-60), timesOpened: 1, openUntil: at(30) }),
    );
    expect(afterFailure(health(), at(-1), at(0), waits)).toEqual(health({ failuresInRow: 1, failingSince: at(-1) }));
  });

  test.each([
    [1, 60],
    [2, 120],
    [3, 240],
    [4, 480],
    [5, 600],
    [30, 600],
    [2000, 600],
  ])('opens again for twice as long, ten minutes at most: after %d times for %d s', (timesOpened, seconds) => {
    const open = health({ failuresInRow: 9, failingSince: at(-60), timesOpened, openUntil: at(-1) });
    expect(afterFailure(open, at(-1), at(0), waits)).toMatchObject({
      timesOpened: timesOpened + 1,
      openUntil: at(seconds),
    });
  });

  test('is opened again only by an attempt that began after its pause', () => {
    const open = health({ failuresInRow: 5, failingSince: at(-60), timesOpened: 1, openUntil: at(0) });
    expect(afterFailure(open, at(-0.001), at(5), waits)).toEqual({ ...open, failuresInRow: 6 });
    expect(afterFailure(open, at(0), at(5), waits)).toMatchObject({ timesOpened: 2, openUntil: at(65) });
  });

  test('is closed from the end of its pause on', () => {
    expect(isPaused(health({ openUntil: at(0) }), at(-0.001))).toBe(true);
    expect(isPaused(health({ openUntil: at(0) }), at(0))).toBe(false);
    expect(isPaused(health(), at(0))).toBe(false);
  });
});

describe('what waits for an endpoint', () => {
  const open = health({ failuresInRow: 5, timesOpened: 2, openUntil: at(60) });

  test('comes back when its pause ends, spread over half a pause', () => {
    expect(returnAt(open, 0, at(0), waits)).toBe(at(60));
    expect(returnAt(open, 1, at(0), waits)).toBe(at(90));
    expect(returnAt(open, 0.5, at(0), waits)).toBe(at(75));
    expect(returnAt(open, 0, at(60), waits)).toBeNull();
    expect(returnAt(health(), 0, at(0), waits)).toBeNull();
  });

  test('comes back behind the attempt that tests it', () => {
    expect(behindTrial(open, 0, at(0), 10_000, waits)).toBe(at(10));
    expect(behindTrial(open, 0.5, at(0), 10_000, waits)).toBe(at(25));
    expect(behindTrial({ ...open, failuresInRow: 4 }, 0, at(0), 10_000, waits)).toBeNull();
  });

  test.each([
    [0, 4],
    [4, 4],
    [5, 1],
    [6, 1],
  ])('after %d failures in a row has %d requests in flight', (failuresInRow, limit) => {
    expect(flightLimit(health({ failuresInRow }))).toBe(limit);
  });
});

test.each([
  [20, -5 * day, true],
  [19, -5 * day, false],
  [20, -5 * day + 0.001, false],
  [20, null, false],
])('after %d failures since %s s an endpoint is given up: %s', (failuresInRow, since, expected) => {
  const failingSince = since === null ? null : at(since);
  expect(isGivenUp(health({ failuresInRow, failingSince }), at(0), waits)).toBe(expected);
});

test('an event that fails again counts once, and three different ones tell', () => {
  const two = ['a', 'b', 'a', 'b', 'b'].reduce(withFailedEvent, health());
  expect([two.failedEvents, isFailingForSure(two)]).toEqual([['a', 'b'], false]);
  expect(isFailingForSure(withFailedEvent(two, 'c'))).toBe(true);
});

test('a second pause tells too, though no event is lost yet', () => {
  expect([1, 2].map((timesOpened) => isFailingForSure(health({ timesOpened })))).toEqual([false, true]);
});

test('a person who enables it clears its failures, and what was told is open until it works', () => {
  const failed = health({ failuresInRow: 30, timesOpened: 4, failedEvents: ['a'], toldAt: '2026-07-18T10:00:00.000Z' });
  expect(forgiven(failed)).toEqual(health({ toldAt: failed.toldAt }));
});
