import { describe, expect, test } from 'vitest';
import { keysOfPlace, placeIdOf, seenPlace } from '../../../../shared/domain/outage/places.ts';
import type { PlaceRecord } from '../../../../shared/domain/place/place.ts';

const uplink = { kind: 'uplink', id: 'fibre 1', groupId: 'north' };
const known = (given: Partial<PlaceRecord> = {}) =>
  ({ placeId: 'uplink:fibre 1', version: 1, kind: 'uplink', id: 'fibre 1', name: 'Fibre', ...given }) as PlaceRecord;

describe('a place as a device sees it', () => {
  const own = { kind: 'uplink', id: 'fibre 1', groups: ['north'], name: null, isShared: false };

  test('is of its group alone, and has no name, where nobody has registered it', () => {
    expect(seenPlace(uplink, null)).toEqual(own);
  });

  test('has the name that was registered for its group', () => {
    expect(seenPlace(uplink, known({ groups: ['north'], shared: false }))).toEqual({ ...own, name: 'Fibre' });
  });

  test('belongs to all groups that share it, in one order', () => {
    const shared = known({ groups: ['south', 'north'], shared: true });
    expect(seenPlace(uplink, shared)).toEqual({ ...own, groups: ['north', 'south'], name: 'Fibre', isShared: true });
    expect(seenPlace({ ...uplink, groupId: 'south' }, shared)).toEqual(seenPlace(uplink, shared));
  });

  test('of a group that does not share it is its own, and it learns no name of others', () => {
    expect(seenPlace({ ...uplink, groupId: 'west' }, known({ groups: ['north', 'south'], shared: true }))).toEqual({
      ...own,
      groups: ['west'],
    });
  });
});

test('a place has one record for the groups that share it, and one for each group where they do not', () => {
  const of = (groups: string[], isShared: boolean, id = 'x') =>
    placeIdOf({ kind: 'site', id, groups, isShared, name: null });
  expect(of(['north'], false)).not.toBe(of(['south'], false));
  expect(of(['north', 'south'], true)).toBe(of(['north', 'south', 'west'], true));
  expect(of(['north'], true)).not.toBe(of(['north'], false));
  expect(of(['north'], false)).not.toBe(of(['north'], false, 'y'));
});

test('devices refer to it by a key of each of its groups', () => {
  expect(keysOfPlace({ kind: 'uplink', id: 'a@b', groups: ['north', 'south'] })).toEqual([
    'uplink:a%40b@north',
    'uplink:a%40b@south',
  ]);
});
