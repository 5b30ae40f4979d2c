import { describe, expect, test } from 'vitest';
import { inferScope, isBack, isCommonPlace, type PlaceCount } from '../../../../shared/domain/incident/scope.ts';

const place = (kind: string, dark: number, total: number): PlaceCount => ({ kind, dark, total });

describe('the scope of a failure', () => {
  test.each([
    ['a site of which half is dark', place('site', 2, 4), true],
    ['a site of which less than half is dark', place('site', 1, 4), false],
    ['the least place that counts', place('site', 3, 3), true],
    ['a place with two devices', place('site', 2, 2), false],
    ['a group, where there is no site', place('group', 2, 4), true],
    ['a place of a device of which no site is known', place('uplink', 2, 4), true],
  ])('%s: %j', (_what, counted, isHit) => {
    expect(inferScope([counted])).toEqual(isHit ? counted : null);
  });

  test('there is none without places', () => {
    expect(inferScope([])).toBeNull();
  });

  test.each([
    ['site', 9, place('provider', 9, 10)],
    ['site', 8, place('site', 3, 3)],
    ['group', 9, place('provider', 9, 10)],
    ['group', 8, place('group', 3, 3)],
  ])('a place wider than the %s is dark when 90 %% of it are: %d of 10', (stand, dark, expected) => {
    expect(inferScope([place('provider', dark, 10), place(stand, 3, 3)])).toEqual(expected);
  });

  test('a narrower place than the site needs half of its devices only', () => {
    const places = [place('switch', 2, 4), place('site', 2, 40)];
    expect(inferScope(places)).toEqual(places[0]);
    expect(inferScope([place('switch', 1, 4), place('site', 2, 40)])).toBeNull();
  });

  test.each([
    // The narrower place, the wider place, and whether the wider one is the scope.
    [place('switch', 5, 5), place('site', 7, 9), true],
    [place('switch', 5, 5), place('site', 6, 9), false],
    [place('switch', 5, 5), place('site', 5, 9), false],
    // A remainder that is too small to count as a place counts if all of it is dark.
    [place('switch', 5, 5), place('site', 7, 7), true],
    [place('switch', 5, 5), place('site', 6, 7), false],
    [place('switch', 5, 5), place('site', 5, 6), false],
    [place('switch', 1, 1), place('site', 4, 5), true],
    [place('switch', 1, 2), place('site', 5, 6), false],
    [place('switch', 0, 0), place('site', 5, 6), false],
    // The wider place was counted when fewer were dark, so nothing is known about the remainder.
    [place('switch', 5, 5), place('site', 3, 6), false],
  ])('of %j and %j the wider one is it: %s', (part, whole, isWider) => {
    const narrow = inferScope([part]);
    expect(inferScope([part, whole])).toEqual(isWider ? whole : narrow);
    expect(inferScope([whole, part])).toEqual(isWider ? whole : narrow);
  });

  test('a place counts only where each of its narrower parts is hit, not the last one alone', () => {
    const [recorder, sw, site] = [place('recorder', 1, 4), place('switch', 8, 12), place('site', 12, 16)];
    expect(inferScope([recorder, sw, site])).toBeNull();
  });

  test('of two names for the same devices it is the site, in whichever order they are read', () => {
    const [sw, site] = [place('switch', 4, 4), place('site', 4, 4)];
    expect(inferScope([sw, site])).toBe(site);
    expect(inferScope([site, sw])).toBe(site);
  });
});

test.each([
  [2, false],
  [3, true],
  [4, true],
])('a place with %d devices may be part of an outage: %s', (total, isCommon) => {
  expect(isCommonPlace({ total })).toBe(isCommon);
});

test.each([
  [1, 2, false],
  [1, 3, true],
  [2, 4, false],
  [3, 4, false],
  [0, 4, true],
  // Its devices were deleted, or moved away.
  [0, 0, true],
])('a place with %d dark of %d is back: %s', (dark, total, expected) => {
  expect(isBack({ dark, total })).toBe(expected);
});
