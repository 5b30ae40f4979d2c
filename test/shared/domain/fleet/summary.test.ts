import { describe, expect, test } from 'vitest';
import type { AlertRecord } from '../../../../shared/domain/alert/alert.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import {
  alertsOfCounts,
  countsOf,
  difference,
  fleetAccruals,
  fleetWake,
  handedOn,
  hoursOfDay,
  keptCounts,
  newSummary,
} from '../../../../shared/domain/fleet/summary.ts';
import { drillDeviceId } from '../../../../shared/domain/ids.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at } from '../../../support/world/timeline.ts';

const now = '2026-11-20T10:30:00.000Z';
const device = (given: Partial<Device> = {}): Device => ({
  ...newDevice('cam-1', at(0)),
  groupId: 'north',
  wasHeard: true,
  isOnline: true,
  ...given,
});
const alert = (given: Partial<AlertRecord> = {}) =>
  ({
    groupId: 'north',
    severity: 'ERROR',
    isOpen: true,
    timestamp: '2026-11-20T09:59:59.999Z',
    ...given,
  }) as AlertRecord;
const added = (...given: Parameters<typeof fleetAccruals>) =>
  Object.fromEntries(fleetAccruals(...given).map(({ set, add }) => [set.groupId, add.counts]));

describe('what a change adds to the numbers of a fleet', () => {
  test.each<[string, Device | null, Device | null, object]>([
    ['a new camera', null, device(), { north: { total: 1, online: 1 } }],
    ['a new camera that is offline', null, device({ isOnline: false }), { north: { total: 1 } }],
    [
      'one that is only registered',
      null,
      device({ isOnline: false, wasHeard: false }),
      { north: { total: 1, neverSeen: 1 } },
    ],
    [
      'one that is heard for the first time',
      device({ isOnline: false, wasHeard: false }),
      device(),
      { north: { online: 1, neverSeen: -1 } },
    ],
    ['a removed camera', device(), null, { north: { total: -1, online: -1 } }],
    ['a camera that is lost', device(), device({ isOnline: false }), { north: { online: -1 } }],
    ['a camera that is back', device({ isOnline: false }), device(), { north: { online: 1 } }],
    ['a report that changes neither', device(), device({ name: 'Gate' }), {}],
    [
      'a camera that moves',
      device(),
      device({ groupId: 'south' }),
      { north: { total: -1, online: -1 }, south: { total: 1, online: 1 } },
    ],
  ])('%s', (_what, was, is, counts) => {
    expect(added('cam-1', [was, is], [])).toEqual(counts);
  });

  test.each<[string, AlertRecord | null, AlertRecord | null, object]>([
    ['an alert that opens', null, alert(), { 'open ERROR': 1, 'opened 2026-11-20T09 ERROR': 1, changes: 1 }],
    [
      'one that only informs',
      null,
      alert({ isOpen: false, severity: 'INFO' }),
      { 'opened 2026-11-20T09 INFO': 1, changes: 1 },
    ],
    ['one that ends', alert(), alert({ isOpen: false }), { 'open ERROR': -1, changes: 1 }],
    ['one that somebody takes', alert(), alert({ status: 'acknowledged' }), { changes: 1 }],
    ['one that is erased', alert(), null, { 'open ERROR': -1, 'opened 2026-11-20T09 ERROR': -1 }],
  ])('%s', (_what, was, is, counts) => {
    expect(added('cam-1', [device(), device()], [[was, is]])).toEqual({ north: counts });
  });

  test('a drill adds nothing', () => {
    expect(fleetAccruals(drillDeviceId, [null, device()], [[null, alert()]])).toEqual([]);
  });

  test('the counter of a camera is always the same one, and that of a group changes each second for seven', () => {
    const [one] = fleetAccruals('cam-1', [null, device()], []);
    const [same] = fleetAccruals('cam-1', [device(), null], []);
    expect(one?.id).toBe(same?.id);
    expect(one?.id).toMatch(/^north \d+$/);
    const turnAt = (seconds: number) => handedOn('north', { total: 1 }, new Date(seconds * 1000).toISOString());
    expect(turnAt(0)).toMatchObject({ set: { groupId: '*' }, add: { counts: { total: 1 } } });
    const turns = Array.from({ length: 8 }, (_, index) => turnAt(index).id.split(' ').at(-1));
    expect(turns).toEqual(['0', '1', '2', '3', '4', '5', '6', '0']);
    expect(turnAt(0.999).id).toBe(turnAt(0).id);
  });
});

test('counters are added up and subtracted name by name', () => {
  expect(countsOf([])).toEqual({});
  const counters = [
    { groupId: 'a', counts: { total: 2, online: 1 } },
    { groupId: 'b', counts: { total: 3, 'open ERROR': -1 } },
  ];
  expect(countsOf(counters)).toEqual({ total: 5, online: 1, 'open ERROR': -1 });
  expect(difference({ total: 5 }, { total: 2, online: 1 })).toEqual({ total: 3, online: -1 });
});

test('the numbers of a day are those of the hours that it touches, older ones and zeros go', () => {
  const hours = hoursOfDay(now);
  expect([hours.length, hours[0], hours.at(-1)]).toEqual([25, '2026-11-19T10', '2026-11-20T10']);
  const counts = {
    total: 3,
    online: 0,
    changes: 9,
    'open ERROR': 2,
    'opened 2026-11-19T09 ERROR': 4,
    'opened 2026-11-19T10 ERROR': 1,
    'opened 2026-11-20T10 ERROR': 2,
  };
  expect(keptCounts(counts, now)).toEqual({
    total: 3,
    'open ERROR': 2,
    'opened 2026-11-19T10 ERROR': 1,
    'opened 2026-11-20T10 ERROR': 2,
  });
  expect(alertsOfCounts({ ...counts, 'open CRITICAL': -1 }, now)).toEqual({
    open: { CRITICAL: 0, ERROR: 2, WARNING: 0, INFO: 0 },
    last24h: { CRITICAL: 0, ERROR: 3, WARNING: 0, INFO: 0 },
  });
});

test('a summary begins empty', () => {
  expect(newSummary('north')).toEqual({
    ...{ groupId: 'north', counts: {}, unknown: 0, recentAlerts: [], sight: null, hasContacts: false, countedAt: null },
  });
});

test('changes of four seconds share one wake, five seconds after they began', () => {
  const waits = waitsAt(1);
  const wakeAt = (ms: number) => fleetWake(new Date(ms).toISOString(), waits);
  const slotMs = waits.fleetSettles * 0.8;
  expect(wakeAt(0)).toEqual({
    in: 'fleetCounters',
    id: '*',
    version: 0,
    dueAt: new Date(waits.fleetSettles).toISOString(),
  });
  expect(wakeAt(slotMs - 1)).toEqual(wakeAt(0));
  expect(wakeAt(slotMs)).toMatchObject({ version: 1, dueAt: new Date(slotMs + waits.fleetSettles).toISOString() });
});
