import { describe, expect, test } from 'vitest';
import { isNearlyNone, newGathering, withMembers } from '../../../../shared/domain/incident/gathered.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { incident } from '../../../support/records/incidents.ts';
import { startOfTests } from '../../../support/world/world.ts';

const counts = (now: number, peak: number) => ({ now, peak, back: peak - now });

test('the first sweep of all looks at what began in the hour before', () => {
  expect(newGathering('unreadable', startOfTests, waitsAt(1))).toEqual({
    platformId: 'unreadable',
    kind: 'gathering',
    upTo: '2026-11-20T09:00:00.000Z',
    open: [],
  });
});

describe('the members of an incident', () => {
  test('are counted in all and by group, and the highest number is kept', () => {
    const before = incident({
      members: counts(7, 8),
      groups: ['north', 'south'],
      byGroup: { south: counts(5, 6), north: counts(2, 2) },
    });
    expect(withMembers(before, { now: 6, byGroup: { west: 1, north: 5 } })).toEqual({
      ...before,
      members: counts(6, 8),
      groups: ['north', 'south', 'west'],
      // South has no members left, but it was affected.
      byGroup: { north: counts(5, 5), south: counts(0, 6), west: counts(1, 1) },
    });
  });

  test.each([
    [30, false],
    [31, true],
  ])('of %d groups concern everybody: %s', (count, isEverybodys) => {
    const names = Array.from({ length: count }, (_, n) => `g-${n}`);
    const seen = withMembers(incident({ groups: [] }), {
      now: count,
      byGroup: Object.fromEntries(names.map((n) => [n, 1])),
    });
    expect(seen.groups).toEqual(isEverybodys ? ['*'] : names.toSorted());
    expect(Object.keys(seen.byGroup)).toHaveLength(isEverybodys ? 0 : count);
    expect(seen.members).toEqual(counts(count, count));
  });

  test('what concerned everybody still does, without counts of groups', () => {
    const seen = withMembers(incident({ groups: ['*'] }), { now: 3, byGroup: { north: 3 } });
    expect(seen).toMatchObject({ groups: ['*'], byGroup: {}, members: counts(3, 3) });
  });
});

test('a group without a member has had none', () => {
  const seen = withMembers(incident({ groups: [] }), { now: 0, byGroup: { north: 0 } });
  expect(seen).toMatchObject({ byGroup: { north: counts(0, 0) } });
});

test.each([
  [0, 0, true],
  [0, 5, true],
  [1, 5, false],
  [1, 10, false],
  [1, 11, true],
])('%d of %d are nearly none: %s', (now, peak, expected) => {
  expect(isNearlyNone(counts(now, peak))).toBe(expected);
});
