import { describe, expect, test } from 'vitest';
import { groupsHit, inferScopes, isBack, type PlaceCount, shareOf } from '../../../../shared/domain/outage/scopes.ts';
import { counted, keyAt, place } from '../../../support/records/outages.ts';

const keys = (counts: readonly PlaceCount[]) => counts.map(({ place: { kind, id } }) => keyAt(kind, id));
/** The scope of a camera that hangs on all of these places. */
const scopeOf = (counts: readonly PlaceCount[]) => inferScopes([keys(counts)], counts)(keys(counts))?.counted ?? null;
const sw = (dark: number, total: number) => counted(place('switch', 'sw'), dark, total);
const site = (dark: number, total: number) => counted(place('site', 'yard'), dark, total);
const provider = (dark: number, total: number) => counted(place('provider', 'p'), dark, total);

describe('the scope of a loss', () => {
  test.each([
    ['a site of which half is dark', site(5, 10), true],
    ['a site of which less than half is dark', site(4, 10), false],
    ['the least place that counts', site(3, 3), true],
    ['a place of which two cameras are dark', site(2, 4), false],
    ['a place of which no site is known', provider(5, 10), true],
  ])('%s', (_what, one, isHit) => {
    expect(scopeOf([one])).toEqual(isHit ? one : null);
  });

  test('is none without places', () => {
    expect(inferScopes([], [])([])).toBeNull();
    expect(inferScopes([['site:x@north']], [])(['site:x@north'])).toBeNull();
  });

  test('is a place wider than a site only if nine tenths of it are dark', () => {
    expect(scopeOf([site(10, 10), provider(90, 100)])).toEqual(provider(90, 100));
    expect(scopeOf([site(10, 10), provider(89, 100)])).toEqual(site(10, 10));
  });

  test.each([
    ['the rest of it is dark too', sw(5, 5), site(8, 11), true],
    ['two of the rest are dark', sw(5, 5), site(7, 9), false],
    ['the rest of it reports', sw(5, 5), site(6, 9), false],
    ['nothing else of it is dark', sw(5, 5), site(5, 9), false],
    ['the rest is small, and all of it is dark', sw(5, 5), site(7, 7), true],
    ['the part is not hit', sw(2, 8), site(9, 16), true],
  ])('is wider than one of its parts only where the rest is hit: %s', (_what, part, whole, isWider) => {
    expect(scopeOf([part, whole])).toEqual(isWider ? whole : scopeOf([part]));
    expect(scopeOf([whole, part])).toEqual(scopeOf([part, whole]));
  });

  test('is the site where a parent has the same cameras', () => {
    expect(scopeOf([sw(5, 5), site(5, 5)])).toEqual(site(5, 5));
  });

  test('counts what was dark before the baseline neither as dark nor as of the place', () => {
    expect(scopeOf([counted(place('site', 'yard'), 8, 10, { near: 5, far: 5 })])).not.toBeNull();
    expect(scopeOf([counted(place('site', 'yard'), 7, 10, { near: 5, far: 5 })])).toBeNull();
  });

  test('compares with two hours ago too, if three cameras are new', () => {
    const rolling = (near: number) => counted(place('site', 'yard'), 30, 50, { near, far: 0 });
    expect(inferScopes([keys([rolling(20)])], [rolling(20)])(keys([rolling(20)]))).toMatchObject({ baseline: 'far' });
    expect(scopeOf([rolling(28)])).toBeNull();
  });

  test('leaves out what a maintenance window keeps quiet', () => {
    expect(shareOf(counted(place('site', 'yard'), 10, 20, { maintained: 6 }), 'near')).toEqual({ total: 14, dark: 4 });
    expect(scopeOf([counted(place('site', 'yard'), 10, 20, { maintained: 8 })])).toBeNull();
  });
});

describe('a whole group', () => {
  const sites = (count: number) => Array.from({ length: count }, (_, n) => counted(place('site', `s${n}`), 4, 4));
  const chains = (count: number) => sites(count).map((each) => keys([each]));

  test('is counted once five of its sites are hit', () => {
    expect(groupsHit(chains(4), sites(4))).toEqual([]);
    expect(groupsHit(chains(5), sites(5))).toEqual(['north']);
  });

  test('is the scope if nine tenths of it are dark', () => {
    const of = (total: number) => {
      const counts = [...sites(5), counted(place('group', 'north'), 20, total)];
      return inferScopes(chains(5), counts)(chains(5)[0] ?? [])?.counted.place.kind;
    };
    expect(of(22)).toBe('group');
    expect(of(23)).toBe('site');
  });
});

test('a place is back when less than half of it is dark, or nothing is left of it', () => {
  expect([isBack({ total: 4, dark: 2 }), isBack({ total: 5, dark: 2 }), isBack({ total: 0, dark: 0 })]).toEqual([
    false,
    true,
    true,
  ]);
});
