import { describe, expect, test } from 'vitest';
import { type Device, nameOf, newDevice, whereaboutsOf } from '../../../../shared/domain/device/device.ts';
import { darkAtOf, placeKeyOf, placeKeysOf, placeOfKey, placesOf } from '../../../../shared/domain/device/places.ts';
import {
  lossDeclaredAt,
  lossRaisedAt,
  noPresence,
  patienceOf,
  silentAtOf,
  usualPatience,
} from '../../../../shared/domain/device/presence.ts';

import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const fresh = newDevice('cam-1', at(0));

describe('the patience with a device', () => {
  const reporting = { periodSeconds: 30 };
  const groupReporting = { north: { periodSeconds: 40 } };
  const north = { groupId: 'north', reporting: null };

  test.each([
    [
      'as set for the device',
      { groupId: 'north', reporting: { periodSeconds: 20 } },
      { reporting, groupReporting },
      20,
    ],
    ['else for its group', north, { reporting, groupReporting }, 40],
    ['else for the fleet', { groupId: 'south', reporting: null }, { reporting, groupReporting }, 30],
    ['else a minute', north, {}, 60],
    ['for the fleet, where no group has one', north, { reporting }, 30],
    ['and a group that has the name of a property has none', { groupId: 'toString', reporting: null }, groupOnly(), 60],
  ])('goes by its period: %s', (_, device, settings, periodSeconds) => {
    expect(patienceOf(device, settings)).toEqual({
      silenceSeconds: 300 + 2 * periodSeconds,
      lossSeconds: 300,
      periodSeconds,
    });
  });

  function groupOnly() {
    return { groupReporting };
  }

  test.each([
    [{ periodSeconds: 60, silentAfterSeconds: 1 }, 1, 300],
    [{ periodSeconds: 60, lossPatienceSeconds: 0 }, 420, 0],
    [{ periodSeconds: 1 }, 302, 300],
    [{ periodSeconds: 0 }, null, 300],
    [{ periodSeconds: 0, silentAfterSeconds: 900, lossPatienceSeconds: 7 }, null, 7],
  ])('%j is silence after %s s and a loss after %d s', (given, silenceSeconds, lossSeconds) => {
    expect(patienceOf({ groupId: '', reporting: given }, {})).toEqual({
      silenceSeconds,
      lossSeconds,
      periodSeconds: given.periodSeconds,
    });
  });

  test('is seven minutes of silence and five of a loss, by default', () => {
    expect(usualPatience).toEqual({ silenceSeconds: 420, lossSeconds: 300, periodSeconds: 60 });
  });
});

describe('a device', () => {
  const patience = { silenceSeconds: 100, lossSeconds: 50, periodSeconds: 60 };

  test('is silent after its patience and the two minutes that a sign of life may be old', () => {
    const device = { patience, registeredAt: at(0), lastSeenAt: at(10) };
    expect(silentAtOf(device, waits)).toBe(at(10 + 100 + 120));
    expect(silentAtOf({ ...device, lastSeenAt: null }, waits)).toBe(at(100 + 120));
    expect(silentAtOf({ ...device, patience: { ...patience, silenceSeconds: null } }, waits)).toBeNull();
    const quick = { ...waits, settingsSecond: 10, lastSeenCoarse: 7 };
    expect(silentAtOf(device, quick)).toBe(at(10 + 1 + 0.007));
  });

  test('that is lost raises an alert after its patience', () => {
    expect(lossRaisedAt({ patience }, at(10), waits)).toBe(at(60));
    expect(lossRaisedAt({ patience }, at(10), { ...waits, settingsSecond: 10 })).toBe(at(10.5));
  });

  test.each([
    ['fifteen minutes after it was handled', 50, at(100), 1000],
    ['never before its time to answer is over', 2000, at(100), 2010],
    ['counted from the loss where that is later', 50, at(5), 910],
    ['counted from the loss where no time of handling is kept', 50, undefined, 910],
  ])('is announced even while the platform is blind: %s', (_, lossSeconds, heardAt, seconds) => {
    const loss = { at: at(10), ...(heardAt === undefined ? {} : { heardAt }) };
    expect(lossDeclaredAt({ patience: { ...patience, lossSeconds } }, loss, waits)).toBe(at(seconds));
  });
});

describe('the places of a device', () => {
  const parents = [
    { kind: 'switch', id: 'sw 1' },
    { kind: 'uplink', id: 'a@b:c' },
  ];

  test('are its parents from narrow to wide and its site; without a site it stands with the others of its group', () => {
    expect(placesOf({ groupId: 'north', site: 'yard', parents })).toEqual([
      { kind: 'switch', id: 'sw 1', groupId: 'north' },
      { kind: 'uplink', id: 'a@b:c', groupId: 'north' },
      { kind: 'site', id: 'yard', groupId: 'north' },
    ]);
    expect(placesOf({ groupId: 'north', site: null, parents: [] })).toEqual([
      { kind: 'site', id: '', groupId: 'north' },
    ]);
  });

  test.each([
    [{ kind: 'switch', id: 'sw 1', groupId: 'north' }, 'switch:sw%201@north'],
    [{ kind: 'uplink', id: 'a@b:c', groupId: 'x@y' }, 'uplink:a%40b%3Ac@x@y'],
    [{ kind: 'site', id: '', groupId: '' }, 'site:@'],
    [{ kind: 'site', id: 'a', groupId: 'two\nlines' }, 'site:a@two\nlines'],
  ])('%j has the key %s and is found by it', (place, key) => {
    expect(placeKeyOf(place)).toBe(key);
    expect(placeOfKey(key)).toEqual(place);
  });

  test('count it from its first sign of life', () => {
    const device: Device = { ...fresh, groupId: 'north', site: 'yard' };
    expect(placeKeysOf(device)).toEqual([]);
    expect(placeKeysOf({ ...device, lastSeenAt: at(0) })).toEqual(['site:yard@north']);
  });

  test('and a key that is none is no place', () => {
    expect(placeOfKey('yard')).toEqual({ kind: '', id: '', groupId: '' });
  });
});

describe('a device is dark', () => {
  const patience = { silenceSeconds: 420, lossSeconds: 300, periodSeconds: 60 };
  const presence = {
    ...noPresence,
    connectedAt: at(0),
    onlineReportedAt: at(0),
    losses: [{ at: at(50), epoch: at(0), reason: null, statedAt: null }],
  };
  const device: Device = { ...fresh, patience };

  test.each<[string, Partial<Device>, string | null]>([
    ['never, where it was never seen', {}, null],
    ['when two of its reports are missing', { lastSeenAt: at(10) }, at(10 + 120 + 120)],
    ['by its own period', { lastSeenAt: at(10), patience: { ...patience, periodSeconds: 1 } }, at(10 + 2 + 120)],
    ['never, where its silence is ignored', { lastSeenAt: at(10), patience: { ...patience, periodSeconds: 0 } }, null],
    ['when it is lost, if that is earlier', { lastSeenAt: at(10), presence }, at(50)],
    ['when it is lost, though never seen', { presence }, at(50)],
    ['when it is overdue, if that is earlier', { lastSeenAt: at(-200), presence }, at(40)],
    ['not by a loss that it answered', { lastSeenAt: at(56), aliveAt: at(56), presence }, at(56 + 240)],
    ['by a loss at whose settle time it reported', { lastSeenAt: at(55), aliveAt: at(55), presence }, at(50)],
  ])('%s', (_, given, expected) => {
    expect(darkAtOf({ ...device, ...given }, waits)).toBe(expected);
  });
});

test('a device that has only its id has no name, and an alert copies where it is', () => {
  expect(nameOf({ deviceId: 'cam-1', name: 'cam-1' })).toBeNull();
  expect(nameOf({ deviceId: 'cam-1', name: 'Gate' })).toBe('Gate');
  const parents = [{ kind: 'switch', id: 'sw' }];
  const device: Device = { ...fresh, name: 'Gate', site: 'yard', parents, tags: { a: 'b' }, places: ['p'] };
  expect(whereaboutsOf(device)).toEqual({ deviceName: 'Gate', site: 'yard', parents, tags: { a: 'b' }, places: ['p'] });
});

test('a device that has only been registered is not online, has no version and no facts', () => {
  expect(newDevice('cam-1', at(7))).toMatchObject({
    ...{ deviceId: 'cam-1', name: 'cam-1', groupId: 'unassigned', registeredAt: at(7), isOnline: false, version: 0 },
    ...{ lastSeenAt: null, aliveAt: null, silentAt: null, dueAt: null, absentAt: null, patience: usualPatience },
  });
});
