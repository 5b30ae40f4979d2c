import { describe, expect, test } from 'vitest';
import type { IncidentRecord, OutageScope } from '../../../../shared/domain/incident/incident.ts';
import { isWider, type Looked, lookAtOutage } from '../../../../shared/domain/incident/look.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { incident } from '../../../support/records/incidents.ts';
import { startOfTests } from '../../../support/world/world.ts';

const minute = 60_000;
const at = (ms: number) => plus(startOfTests, ms);
const scope = (given: Partial<OutageScope> = {}): OutageScope => ({
  placeId: 'p-1',
  from: at(-minute),
  size: 40,
  backSince: null,
  announcedCount: 20,
  ...given,
});
const outage = (given: Partial<OutageScope> = {}, rest: Partial<IncidentRecord> = {}) =>
  incident({ members: { now: 20, peak: 20, back: 0 }, outage: scope(given), ...rest });
const counts = (now: number, peak: number) => ({ now, peak, back: peak - now });
/** A look at an outage that finds `dark` of 40 cameras dark, and `now` of 20 members left. */
const look = (before: IncidentRecord, dark: number, now: number, given: Partial<Looked> = {}, ms = 0) => {
  const byGroup = { north: counts(now, 20) };
  return lookAtOutage(before, { total: 40, dark, byGroup, ...given }, at(ms), waitsAt(1));
};

describe('a look at an outage', () => {
  test('counts its members by group and in all', () => {
    const byGroup = { north: counts(5, 10), south: counts(7, 9) };
    const { incident: seen } = look(outage(), 30, 0, { byGroup });
    expect(seen).toEqual(outage({ announcedCount: 12 }, { byGroup, members: { now: 12, peak: 19, back: 7 } }));
  });

  test('finds a place that is dark as a whole, whoever is back', () => {
    expect(look(outage({ announcedCount: 1 }), 20, 1)).toMatchObject({ isBack: false, isOver: false, isNews: false });
    expect(look(outage({ backSince: at(0) }), 20, 0, {}, 10 * minute)).toMatchObject({
      isBack: false,
      isOver: false,
      incident: { outage: { backSince: null } },
    });
  });

  test.each([
    [19, 'one of twenty left is under 10 %', 1, true],
    [19, 'two of twenty left are 10 %', 2, false],
    [0, 'none left', 0, true],
  ])('a place with %d dark is back, and %s', (dark, _what, now, isOver) => {
    const seen = look(outage(), dark, now, {}, 5);
    expect(seen).toMatchObject({ isBack: true, isOver, incident: { outage: { backSince: at(5) } } });
  });

  test('of an outage without members none is left', () => {
    expect(look(outage(), 0, 0, { byGroup: {} })).toMatchObject({ isOver: true });
  });

  test('is over when its place has been back for five minutes, whatever is left: no fault hides behind it for longer', () => {
    const back = outage({ backSince: at(0) });
    expect(look(back, 5, 8, {}, 5 * minute - 1)).toMatchObject({
      isOver: false,
      incident: { outage: { backSince: at(0) } },
    });
    expect(look(back, 5, 8, {}, 5 * minute)).toMatchObject({ isBack: true, isOver: true });
  });

  test.each([
    // A change counts from 10 % of the peak on, and from one camera on in a small outage.
    [20, 18, 20, true],
    [20, 19, 20, false],
    [18, 20, 20, true],
    [20, 20, 20, false],
    [3, 2, 4, true],
    [3, 3, 4, false],
    [0, 1, 1, true],
    [1, 0, 1, true],
  ])('endpoints that were notified of %d hear of %d of %d: %s', (announcedCount, now, peak, isNews) => {
    const seen = look(outage({ announcedCount }), 30, now, { byGroup: { north: counts(now, peak) } });
    expect(seen.isNews).toBe(isNews);
    expect(seen.incident.outage?.announcedCount).toBe(isNews ? now : announcedCount);
  });

  test('asks a maintenance window anew when more cameras have joined, and only then', () => {
    const quiet = (peak: number, maintenanceUntil: string | null) =>
      outage({}, { members: counts(0, peak), maintenanceUntil, dueAt: at(9 * minute) });
    expect(look(quiet(19, at(9 * minute)), 30, 20).incident).toMatchObject({ maintenanceUntil: at(0), dueAt: at(0) });
    for (const peak of [20, 21]) {
      const { incident: same } = look(quiet(peak, at(9 * minute)), 30, 20);
      expect([same.maintenanceUntil, same.dueAt]).toEqual([at(9 * minute), at(9 * minute)]);
    }
    const { incident: loud } = look(quiet(19, null), 30, 20);
    expect([loud.maintenanceUntil, loud.dueAt]).toEqual([null, at(9 * minute)]);
  });

  test('of an incident that has no place gives it none', () => {
    expect(look(incident(), 30, 20)).toMatchObject({ isNews: true, incident: { outage: null } });
    expect(look(incident(), 30, 0)).toMatchObject({ isNews: false });
    expect(look(incident(), 30, 0, { byGroup: { north: counts(1, 1) } })).toMatchObject({ isNews: true });
    expect(look(incident(), 0, 20, {}, minute)).toMatchObject({ isBack: true, isOver: false });
  });
});

describe('of two outages one represents the other', () => {
  const [a, b] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  const sized = (incidentId: string, size: number) => outage({ size }, { incidentId });

  test('the one with more devices', () => {
    expect(isWider(sized(b, 5), sized(a, 4))).toBe(true);
    expect(isWider(sized(a, 4), sized(b, 5))).toBe(false);
    expect(isWider(sized(b, 1), incident({ incidentId: a }))).toBe(true);
    expect(isWider(incident({ incidentId: a }), sized(b, 1))).toBe(false);
  });

  test('and of two equal ones the one with the lower id, never both', () => {
    expect(isWider(sized(a, 4), sized(b, 4))).toBe(true);
    expect(isWider(sized(b, 4), sized(a, 4))).toBe(false);
    expect(isWider(sized(a, 4), sized(a, 4))).toBe(false);
    expect(isWider(incident({ incidentId: a }), sized(b, 0))).toBe(true);
    expect(isWider(sized(a, 0), incident({ incidentId: b }))).toBe(true);
  });
});
