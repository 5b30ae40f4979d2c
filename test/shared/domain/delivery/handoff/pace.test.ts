import { expect, test } from 'vitest';
import { isGood, isOpen, slotsAfter } from '../../../../../shared/domain/delivery/handoff/pace.ts';
import { at } from '../../../../support/world/timeline.ts';

test.each([
  [0, 0, true, true],
  [0, 4.999, true, true],
  [0, 5, false, false],
  [1, 0, false, true],
])('a time of %d s is at %d s good: %s, open: %s', (slot, now, good, open) => {
  expect([isGood(at(slot), at(now)), isOpen(at(slot), at(now))]).toEqual([good, open]);
});

test('after a pause five leave together, then they are evenly apart', () => {
  // 30 a minute: one every two seconds.
  expect(slotsAfter(null, 30, at(0))).toEqual({ slots: [at(-10)], nextAt: at(-8) });
  expect(slotsAfter(at(-60), 30, at(0))).toEqual({ slots: [at(-10)], nextAt: at(-8) });
  expect(slotsAfter(at(-4), 30, at(0))).toEqual({ slots: [at(-4)], nextAt: at(-2) });
  expect(slotsAfter(at(0), 30, at(0))).toEqual({ slots: [at(0)], nextAt: at(2) });
});

test.each([
  [7, 1],
  [8, 2],
  [100, 25],
  [400, 100],
  [404, 100],
])('of %d times that are promised already %d are taken at once', (promised, count) => {
  const { slots, nextAt } = slotsAfter(at(promised * 2), 30, at(0));
  expect(slots).toEqual(Array.from({ length: count }, (_, index) => at(promised * 2 + index * 2)));
  expect(nextAt).toBe(at(promised * 2 + count * 2));
});

test('a step is never shorter than the pace allows', () => {
  expect(slotsAfter(at(0), 7, at(0)).nextAt).toBe(at(8.572));
});
