import { expect, test } from 'vitest';
import type { Spell } from '../../../../shared/domain/incident/incident.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { darkShare, isFlapping, withEnd, withSpell } from '../../../../shared/domain/outage/spells.ts';
import { at, minute } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);

test('the third time within 90 minutes a place comes and goes', () => {
  const times = [0, 40 * minute, 90 * minute].map(at);
  expect(isFlapping(times, at(90 * minute), waits)).toBe(true);
  expect(isFlapping(times, at(91 * minute), waits)).toBe(false);
  expect(isFlapping(times.slice(1), at(90 * minute), waits)).toBe(false);
});

test('it says how long it was dark of the time since it began', () => {
  const spells = [
    { darkAt: at(0), litAt: at(7 * minute) },
    { darkAt: at(14 * minute), litAt: at(21 * minute) },
    { darkAt: at(28 * minute), litAt: null },
  ];
  expect(darkShare(spells, at(35 * minute), waits)).toBe('dark 21 min of the last 35 min');
});

test('the last twenty times are kept; the end of one that has ended stands', () => {
  const many = Array.from({ length: 30 }, (_, n) => at(n)).reduce<Spell[]>(
    (spells, darkAt) => withSpell(spells, darkAt),
    [],
  );
  expect(many).toHaveLength(20);
  expect(withEnd(withEnd(many, at(40)), at(50)).at(-1)).toEqual({
    ...{ darkAt: at(29), litAt: at(40), lastReportBy: null },
  });
});
