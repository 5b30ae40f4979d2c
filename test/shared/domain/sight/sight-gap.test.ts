import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { gapsAfterSleep, gapsBegin, gapsThatLast, gapsWhileMissing } from '../../../../shared/domain/sight/sight.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const gap = (from: number, until: number | null) => ({ from: at(from), until: until === null ? null : at(until) });

describe('after a period without a sweep', () => {
  test('the first gap begins where the horizon was', () => {
    expect(gapsAfterSleep([], at(-60), at(180))).toEqual([gap(-60, 180)]);
  });

  test('while an earlier one is held a second begins, and what failed again in it holds the first as long', () => {
    expect(gapsAfterSleep([gap(-300, 30)], at(-60), at(180))).toEqual([gap(-300, 180), gap(-60, 180)]);
    expect(gapsAfterSleep([gap(-300, 600)], at(-60), at(180))).toEqual([gap(-300, 600), gap(-60, 180)]);
  });

  test('a third lengthens the second alone, so that the first ends', () => {
    expect(gapsAfterSleep([gap(-300, 30), gap(-200, 40)], at(-60), at(180))).toEqual([gap(-300, 30), gap(-200, 180)]);
    expect(gapsAfterSleep([gap(-300, 30), gap(-200, 600)], at(-60), at(180))[1]).toEqual(gap(-200, 600));
  });

  test('one in which canaries were missing goes on, and none of its messages came in between', () => {
    expect(gapsAfterSleep([gap(-300, null)], at(-60), at(180))).toEqual([gap(-300, 180)]);
  });

  test('where one sweep in three is missed, the horizon goes on and is never more than 12 minutes behind', () => {
    let gaps: ReturnType<typeof gapsAfterSleep> = [];
    const behind: number[] = [];
    for (let minutes = 0; minutes < 240; minutes += 1) {
      const now = minutes * 60;
      if (minutes % 3 === 1) continue;
      if (minutes % 3 === 2) gaps = gapsAfterSleep(gaps, at(now - 180), at(now + 190));
      gaps = gapsThatLast(gaps, at(now), waits);
      behind.push((Date.parse(at(now)) - Date.parse(gapsBegin(gaps) ?? at(now))) / 60_000);
    }
    expect(Math.max(...behind)).toBeLessThanOrEqual(12);
    expect(Math.max(...behind)).toBeGreaterThan(5);
  });
});

test('while canaries are missing all gaps are one, without an end', () => {
  expect(gapsWhileMissing([], at(-60))).toEqual([gap(-60, null)]);
  expect(gapsWhileMissing([gap(-300, 30), gap(-200, 180)], at(-60))).toEqual([gap(-300, null)]);
});

test('a gap lasts for the longest back-off and an acknowledgement after its canaries arrive', () => {
  expect(gapsThatLast([gap(-300, null)], at(0), waits)).toEqual([gap(-300, 180)]);
  expect(gapsThatLast([gap(-300, 0), gap(-200, 1)], at(0), waits)).toEqual([gap(-200, 1)]);
  expect(gapsThatLast([], at(0), waits)).toEqual([]);
});

test('the gaps begin where the earliest does', () => {
  expect(gapsBegin([])).toBeNull();
  expect(gapsBegin([gap(-300, 0), gap(-200, 1)])).toBe(at(-300));
});
