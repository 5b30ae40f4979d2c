import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSchedule } from '../../../../device/guardian/process/schedule.ts';

describe('looks every 30 s', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
  /** A schedule and a clock that start together; `lasts` is how long each look takes, in seconds. */
  const begin = (lasts: number[]) => {
    const startMs = Date.now();
    const schedule = createSchedule(30_000, () => Date.now() - startMs);
    const slots: number[] = [];
    const ended = schedule.run(async (slotMs) => {
      slots.push(slotMs / 1000);
      await schedule.wait((lasts[slots.length - 1] ?? 0) * 1000);
    });
    return { schedule, slots, ended };
  };

  test('start at once, and their duration does not shift the later ones', async () => {
    const { slots } = begin([5, 29, 0]);
    await seconds(95);
    expect(slots).toEqual([0, 30, 60, 90]);
  });

  test('skip the slots during which a long look still runs', async () => {
    const { slots } = begin([0, 70]);
    await seconds(155);
    expect(slots).toEqual([0, 30, 120, 150]);
  });

  test('end with the current look, whose waiting is cut short', async () => {
    const { schedule, slots, ended } = begin([0, 20]);
    await seconds(35);
    schedule.stop();
    await ended;
    await seconds(100);
    expect(slots).toEqual([0, 30]);
  });
});
