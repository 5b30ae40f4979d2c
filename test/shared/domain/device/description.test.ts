import { describe, expect, test } from 'vitest';
import { type StatedBy, withDescription, withoutGroup } from '../../../../shared/domain/device/description.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { type Stamp, stampOf } from '../../../../shared/domain/device/measure.ts';
import type { StatusReport } from '../../../../shared/schema/device/report.ts';
import { report } from '../../../support/records/reports.ts';
import { at } from '../../../support/world/timeline.ts';

const fresh = newDevice('cam-1', at(0));
const stamp = (seconds: number, given: Partial<Stamp> = {}): Stamp => ({
  ...stampOf(report('status', {}, seconds, { messageId: `m-${seconds}` })),
  ...given,
});
/** The device after these reports, each applied with the stamp of the newest one before it. */
function notified(device: Device, ...reports: [seconds: number, body: StatusReport][]): Device {
  let newest = null as Stamp | null;
  let known = device;
  for (const [seconds, body] of reports) {
    known = withDescription(known, body, stamp(seconds), newest);
    newest = newest === null || newest.receivedAt < at(seconds) ? stamp(seconds) : newest;
  }
  return known;
}

test('a status report sets all the members that it carries, and no others', () => {
  const body = {
    ...{ name: 'Gate', model: 'M1', serial: 'S1', firmware: '1.0', ip: '192.0.2.7', groupId: 'north' },
    mqtt: { brokerHost: 'broker.example', reconnectAttempts: 0 },
  };
  expect(notified(fresh, [10, body])).toEqual({
    ...fresh,
    ...{ name: 'Gate', model: 'M1', serial: 'S1', firmware: '1.0', ip: '192.0.2.7', groupId: 'north' },
    ...{ brokerHost: 'broker.example', reconnectAttempts: 0 },
    statedBy: {
      ...{ name: null, model: null, serial: null, firmware: null, ip: null },
      ...{ brokerHost: null, reconnectAttempts: null },
    },
  });
  expect(notified(fresh, [10, {}])).toEqual({ ...fresh, statedBy: {} });
});

describe('of several reports', () => {
  const statedBy = (device: Device): StatedBy[keyof StatedBy] => device.statedBy.firmware;

  test('the newest sets a member, whichever comes last', () => {
    const inOrder = notified(fresh, [10, { firmware: '1.0' }], [20, { firmware: '1.1' }]);
    const turned = notified(fresh, [20, { firmware: '1.1' }], [10, { firmware: '1.0' }]);
    expect([inOrder.firmware, turned.firmware]).toEqual(['1.1', '1.1']);
    expect([statedBy(inOrder), statedBy(turned)]).toEqual([null, null]);
  });

  test('an older one still sets a member that no newer one has set, and is remembered for it', () => {
    const late = notified(fresh, [20, { model: 'M1' }], [10, { firmware: '1.0' }]);
    expect([late.firmware, statedBy(late)]).toEqual(['1.0', stamp(10)]);
    // Of two late reports, the later one counts.
    const between = withDescription(late, { firmware: '1.1' }, stamp(15), stamp(20));
    expect([between.firmware, statedBy(between)]).toEqual(['1.1', stamp(15)]);
    const before = withDescription(late, { firmware: '0.9' }, stamp(5), stamp(20));
    expect([before.firmware, statedBy(before)]).toEqual(['1.0', stamp(10)]);
    const again = withDescription(late, { firmware: '1.0.1' }, stamp(10), stamp(20));
    expect(again.firmware).toBe('1.0.1');
  });

  test('one that does not carry a member leaves it to the report before it', () => {
    const silent = notified(fresh, [10, { firmware: '1.0' }], [20, { model: 'M1' }]);
    expect([silent.firmware, statedBy(silent)]).toEqual(['1.0', stamp(10)]);
    expect(silent.statedBy).toEqual({ firmware: stamp(10), model: null });
    // The next one without it does not change which report stated it.
    expect(statedBy(withDescription(silent, {}, stamp(30), stamp(20)))).toEqual(stamp(10));
    // An old report without it says nothing about which report stated it.
    const known = notified(fresh, [20, { firmware: '1.0' }]);
    expect(statedBy(withDescription(known, {}, stamp(10), stamp(20)))).toBeNull();
    // Neither does the first stored report of a device.
    const moved: Device = { ...fresh, firmware: '1.0', statedBy: { firmware: null } };
    expect(statedBy(withDescription(moved, {}, stamp(10), null))).toBeNull();
  });

  test('a copy of the newest counts as the newest', () => {
    const copy = withDescription(notified(fresh, [20, { firmware: '1.0' }]), { firmware: '1.1' }, stamp(20), stamp(20));
    expect([copy.firmware, statedBy(copy)]).toEqual(['1.1', null]);
  });
});

describe('what a person has set stays', () => {
  test.each<[Device['setByHand'], string, string]>([
    [[], 'Gate', 'north'],
    [['name'], 'cam-1', 'north'],
    [['groupId'], 'Gate', 'unassigned'],
    [['reporting'], 'Gate', 'north'],
    [['name', 'groupId'], 'cam-1', 'unassigned'],
  ])('with %j by hand the name is %s and the group %s', (setByHand, name, groupId) => {
    const after10 = notified({ ...fresh, setByHand }, [10, { name: 'Gate', groupId: 'north' }]);
    expect([after10.name, after10.groupId]).toEqual([name, groupId]);
  });

  test('and the first group that a device reports is the one it keeps', () => {
    expect(notified(fresh, [10, { groupId: 'north' }], [20, { groupId: 'south' }]).groupId).toBe('north');
    expect(notified({ ...fresh, groupId: 'east' }, [10, { groupId: 'north' }]).groupId).toBe('east');
    expect(notified(fresh, [10, {}]).groupId).toBe('unassigned');
  });
});

test.each([
  // The device's clock minus ours in seconds, and the skew that is shown.
  [0, null],
  [60, null],
  [60.001, 60],
  [60.5, 61],
  [-60, null],
  [-60.001, -60],
  [3600, 3600],
  [-86_400, -86_400],
])('a clock that is %d s off shows %s', (seconds, shown) => {
  const body = {};
  const given = stamp(0, { deviceAt: at(seconds) });
  const device = withDescription({ ...fresh, clockSkewSeconds: 99 }, body, given, null);
  expect([device.clockSkewSeconds, device.statedBy.clockSkewSeconds]).toEqual([shown, null]);
});

test('a report without a time says nothing about the clock', () => {
  const device = withDescription({ ...fresh, clockSkewSeconds: 99 }, {}, stamp(0), null);
  expect(device.clockSkewSeconds).toBe(99);
});

test('where the registry decides the group, only the group of a status is left out', () => {
  const named = report('status', { groupId: 'north', name: 'Gate' });
  expect(withoutGroup(named)).toEqual({ ...named, body: { name: 'Gate' } });
  const plain = report('status', { name: 'Gate' });
  expect(withoutGroup(plain)).toBe(plain);
  const birth = report('connection', { status: 'online' });
  expect(withoutGroup(birth)).toBe(birth);
});
