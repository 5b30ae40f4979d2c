import { describe, expect, test } from 'vitest';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import {
  type Ladder,
  type LadderStep,
  nextStep,
  repeatAt,
  sameStep,
  type TakenStep,
  taken,
} from '../../../../shared/domain/settings/escalation.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { startOfTests } from '../../../support/world/world.ts';

const waits = waitsAt(1);
const minute = 60_000;
const at = (minutes: number) => plus(startOfTests, minutes * minute);
const step = (team: string, afterMinutes: number): LadderStep => ({
  ...{ team, to: `${team} people`, people: ['anna'], channels: ['sms'], missing: null },
  afterMs: afterMinutes * minute,
});
const ladder = (repeatMinutes = 30): Ladder => ({
  steps: [step('day', 0), step('night', 20), step('head', 50)],
  repeatMs: repeatMinutes * minute,
});
const reached = (number: number): TakenStep => ({
  ...{ number, of: 3, to: 'x', people: [], channels: [], reminders: 9, missing: null },
});

describe('the next step of an escalation', () => {
  test.each([
    ['active', null, { index: 0, isRepeat: false }],
    ['active', 2, { index: 0, isRepeat: false }],
    ['escalated', 1, { index: 1, isRepeat: false }],
    ['escalated', 2, { index: 2, isRepeat: false }],
    ['escalated', 3, { index: 2, isRepeat: true }],
    // The policy has become shorter since.
    ['escalated', 5, { index: 2, isRepeat: true }],
    // Escalated before the step was stored.
    ['escalated', null, { index: 1, isRepeat: false }],
  ] as const)('of one that is %s, after step %s, is %j', (status, number, expected) => {
    expect(nextStep({ status, step: number === null ? null : reached(number) }, ladder())).toEqual(expected);
  });

  test.each([
    [null, 0],
    [1, 0],
    [3, 2],
    [5, 2],
  ])('that was reached, once more: %s', (number, index) => {
    expect(sameStep({ step: number === null ? null : reached(number) }, ladder())).toBe(index);
  });
});

describe('a step that is taken', () => {
  test('names whom it notifies, and when the next one comes', () => {
    expect(taken(ladder(), 0, 0, at(0), waits)).toEqual({
      team: 'day',
      step: { number: 1, of: 3, to: 'day people', people: ['anna'], channels: ['sms'], reminders: 9, missing: null },
      remindAt: at(20),
    });
    expect(taken(ladder(), 1, 0, at(0), waits)).toMatchObject({ team: 'night', step: { number: 2 }, remindAt: at(30) });
  });

  test.each([
    // Every 30 min; after 4 h every 4 h.
    [30, 0, 30],
    [30, 8, 30],
    [30, 9, 240],
    // A policy that repeats less often keeps its interval.
    [300, 0, 300],
    [300, 99, 300],
    [240, 1, 240],
  ])('as the last, repeated every %d min, %d times before, is repeated after %d min', (every, reminders, gap) => {
    const given = { ...ladder(every), steps: [step('head', 0)] } as const;
    const { remindAt, step: last } = taken(given, 0, reminders, at(0), waits);
    expect(remindAt).toBe(repeatAt(given, at(0), gap * minute));
    expect(last.reminders).toBe(every === 30 ? 9 : 2);
  });
});

describe('repeats of all alerts leave together', () => {
  test.each([
    // On a half hour if that is at least half the gap away, otherwise on a quarter.
    [0, 30, 30],
    [7, 30, 30],
    [15, 30, 30],
    [16, 30, 45],
    [29, 30, 45],
    [31, 30, 60],
    [7, 240, 240],
  ])('taken at %d min, with %d min between: at %d min', (from, gap, expected) => {
    expect(repeatAt(ladder(), at(from), gap * minute)).toBe(at(expected));
  });
});
