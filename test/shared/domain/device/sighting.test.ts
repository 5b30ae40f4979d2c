import { describe, expect, test } from 'vitest';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import {
  faultKeyOf,
  isOfUnknownAge,
  seenAt,
  withFaultKeys,
  withFaults,
  withSighting,
} from '../../../../shared/domain/device/sighting.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { report } from '../../../support/records/reports.ts';
import { guardianAlert } from '../../../support/records/stories.ts';
import { at } from '../../../support/world/timeline.ts';

const kept = { isLeftover: true };

test.each([
  ['a status without a time', report('status', { memory: { usedPercent: 1 } }, 0, kept), true],
  ['a status with a time', report('status', { timestamp: at(0), memory: { usedPercent: 1 } }, 0, kept), false],
  ['a birth without its connection', report('connection', { status: 'online' }, 0, kept), true],
  ['a birth with its connection', report('connection', { status: 'online', connectedAt: at(0) }, 0, kept), false],
  ['an event, which counts only once', report('event', { type: 'reboot', timestamp: at(0) } as never, 0, kept), true],
  ['an alert of a guardian', report('guardian', guardianAlert('heal', ['port'], at(0)), 0, kept), false],
  ['a status that no broker had kept', report('status', { memory: { usedPercent: 1 } }, 0), false],
  ['a birth that no broker had kept', report('connection', { status: 'online' }, 0), false],
])('%s that was retained is of unknown age: %s', (_name, given, isUnknown) => {
  expect(isOfUnknownAge(given)).toBe(isUnknown);
});

const waits = waitsAt(1);
const fresh = newDevice('cam-1', at(0));
const event = (type: string) => report('event', { type, timestamp: at(9) }, 9);

test.each([
  ['a status', report('status', {}, 9), 9, 9],
  ['an event of its own', event('reboot'), 9, 9],
  ['an event that only begins like one of its guardian', event('guardian'), 9, 9],
  ['a birth message', report('connection', { status: 'online' }, 9), 9, null],
  ['a last will', report('connection', { status: 'offline' }, 9), null, null],
  ['an event of its guardian', event('guardian_heal_failed'), null, null],
  ['a restoration by its guardian', event('configuration_restored'), null, null],
  ['an alert of its guardian', report('guardian', guardianAlert('drift', ['port'], at(9)), 9), null, null],
  ['a status that the broker had kept', report('status', {}, 9, kept), null, null],
  ['a birth message that the broker had kept', report('connection', { status: 'online' }, 9, kept), null, null],
])('after %s it was seen at %s s and alive at %s s', (_, given, seen, alive) => {
  const after9 = withSighting(fresh, given);
  const timeOf = (seconds: number | null) => (seconds === null ? null : at(seconds));
  expect(after9).toEqual({ ...fresh, lastSeenAt: timeOf(seen), aliveAt: timeOf(alive) });
});

test('a device is registered since the first report that it published, even one of its guardian', () => {
  const registeredAt = (seconds: number) => withSighting(fresh, report('status', {}, seconds)).registeredAt;
  expect([registeredAt(5), registeredAt(-5)]).toEqual([at(0), at(-5)]);
  const guardian = report('guardian', guardianAlert('heal', ['port'], at(-9)), -9);
  expect(withSighting(fresh, guardian).registeredAt).toBe(at(-9));
});

test.each([
  // The device was seen and alive at 10 s and is silent since 400 s. Then one of its messages is handled.
  [9, true, { lastSeenAt: at(10), aliveAt: at(10), silentSince: at(400) }],
  [10, true, { lastSeenAt: at(10), aliveAt: at(10), silentSince: at(400) }],
  [10.001, true, { lastSeenAt: at(10.001), aliveAt: at(10.001), silentSince: null }],
  [500, false, { lastSeenAt: at(500), aliveAt: at(10), silentSince: null }],
])(
  'a message that was published at %d s (a proof of life: %s) ends a silence only where it is news',
  (seconds, isProof, expected) => {
    const known: Device = { ...fresh, lastSeenAt: at(10), aliveAt: at(10), silentSince: at(400) };
    expect(seenAt(known, at(seconds), isProof)).toEqual({ ...known, ...expected });
    expect(seenAt({ ...known, lastSeenAt: null }, at(seconds), isProof).silentSince).toBeNull();
  },
);

describe('the faults of unreadable sections', () => {
  const fault = (pointer: string, detail = 'must be object') => ({ pointer, detail });
  const notified = (device: Device, seconds: number, messageId: string, ...pointers: string[]) =>
    withFaults(device, { faults: pointers.map((each) => fault(each)), receivedAt: at(seconds), messageId }, waits);
  const recorded = (pointer: string, seconds: number, messageId: string) => ({
    ...{ reason: `${pointer} must be object`, at: at(seconds), messageId },
  });
  const first = notified(fresh, 0, 'm-1', '/memory', '/memory', '/storage');

  test('are recorded once each', () => {
    expect(first.isNews).toBe(true);
    expect(first.device).toEqual({
      ...fresh,
      unreadable: [recorded('/memory', 0, 'm-1'), recorded('/storage', 0, 'm-1')],
    });
    expect(withFaults(fresh, { receivedAt: at(0), messageId: 'm-1' }, waits)).toEqual({ device: fresh, isNews: false });
  });

  test('are not news within an hour, except for the same message', () => {
    expect(notified(first.device, 3599.999, 'm-2', '/memory')).toEqual({ device: first.device, isNews: false });
    expect(notified(first.device, 0, 'm-1', '/memory')).toEqual({ device: first.device, isNews: true });
    const later = notified(first.device, 3600, 'm-2', '/memory');
    expect(later.isNews).toBe(true);
    expect(later.device.unreadable).toEqual([recorded('/storage', 0, 'm-1'), recorded('/memory', 3600, 'm-2')]);
    const other = notified(first.device, 60, 'm-2', '/memory', '/mqtt');
    expect(other.device.unreadable).toEqual([...first.device.unreadable, recorded('/mqtt', 60, 'm-2')]);
  });

  test('are the last sixteen, each with at most 200 characters', () => {
    const many = Array.from({ length: 17 }, (_, index) => `/s${index}`);
    expect(notified(fresh, 0, 'm-1', ...many.slice(1)).device.unreadable).toHaveLength(16);
    const kept16 = notified(fresh, 0, 'm-1', ...many).device.unreadable;
    expect(kept16).toEqual(many.slice(1).map((pointer) => recorded(pointer, 0, 'm-1')));
    const faults = [fault('/a', 'x'.repeat(300))];
    const long = withFaults(fresh, { faults, receivedAt: at(0), messageId: 'm' }, waits).device.unreadable;
    expect(long[0]?.reason).toBe(`/a ${'x'.repeat(197)}`);
  });

  test('count a device among those of its model and firmware while they last', () => {
    const device: Device = { ...fresh, model: 'M1', firmware: '1.0' };
    const keyed = (storage: number) =>
      withFaultKeys(
        { ...device, unreadable: [recorded('/memory', storage, 'm-1'), recorded('/storage', 4500, 'm-2')] },
        waits,
      );
    const [memory, storage] = ['/memory', '/storage'].map((each) => faultKeyOf(device, `${each} must be object`));
    expect(keyed(0)).toMatchObject({ unreadableAt: at(4500), faultKeys: [memory, storage].toSorted() });
    expect(keyed(-0.001).faultKeys).toEqual([storage]);
    // The newest fault sets the time, whichever was recorded first.
    expect(keyed(9000.001)).toMatchObject({ unreadableAt: at(9000.001), faultKeys: [memory] });
    expect(withFaultKeys(fresh, waits)).toBe(fresh);
  });

  test('have a key that differs by model, firmware and reason', () => {
    const key = (model: string | null, firmware: string | null, reason = 'r') =>
      faultKeyOf({ model, firmware }, reason);
    const keys = [key('M1', '1.0'), key('M2', '1.0'), key('M1', '1.1'), key(null, '1.0'), key('M1', '1.0', 's')];
    expect(new Set(keys).size).toBe(5);
    expect(key('M1', '1.0')).toBe(keys[0]);
  });
});
