import { describe, expect, test } from 'vitest';
import {
  compareStamps,
  firstCopy,
  isClockStep,
  isSameReport,
  keyOf,
  type Stamp,
  stampOf,
  withoutDeviceTime,
} from '../../../../shared/domain/device/measure.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { startOfTests } from '../../../support/world/world.ts';

const at = (seconds: number) => plus(startOfTests, seconds * 1000);
const stamp = (given: Partial<Stamp> = {}): Stamp => ({
  deviceAt: null,
  receivedAt: at(0),
  messageId: 'm-1',
  bootId: null,
  seq: null,
  ...given,
});

test('a stamp has what the report carries, its time in the stored form', () => {
  const received = { receivedAt: at(0), messageId: 'm-1' };
  expect(stampOf({ ...received, body: {} })).toEqual(stamp());
  expect(stampOf({ ...received, body: { timestamp: '2026-11-20T11:00:05+01:00', bootId: 'b', seq: 0 } })).toEqual(
    stamp({ deviceAt: at(5), bootId: 'b', seq: 0 }),
  );
});

test.each<[Partial<Stamp>, string]>([
  [{ bootId: 'b', seq: 0, deviceAt: at(5) }, 'b 0'],
  [{ bootId: 'b', deviceAt: at(5) }, at(5)],
  [{ seq: 4, deviceAt: at(5) }, at(5)],
  [{ bootId: 'b' }, 'm-1'],
])('what identifies the report %j is %s', (given, key) => {
  expect(keyOf(stamp(given))).toBe(key);
});

test.each<[string, Partial<Stamp>, Partial<Stamp>]>([
  ['by arrival where one has no sequence', { bootId: 'b', seq: 9 }, { bootId: 'b', receivedAt: at(1) }],
  ['by arrival where neither boot is known', { seq: 9 }, { seq: 1, receivedAt: at(1) }],
  ['by arrival where device times are the same', { deviceAt: at(1) }, { deviceAt: at(1), receivedAt: at(1) }],
  ['by sequence inside one boot', { bootId: 'b', seq: 9, deviceAt: at(9) }, { bootId: 'b', seq: 10, deviceAt: at(1) }],
  ['by device time across boots', { bootId: 'b', seq: 9, deviceAt: at(1) }, { bootId: 'c', seq: 1, deviceAt: at(2) }],
  ['by device time, not by arrival', { deviceAt: at(1), receivedAt: at(9) }, { deviceAt: at(2), receivedAt: at(3) }],
  ['by arrival where one has no time', { deviceAt: at(9), receivedAt: at(1) }, { receivedAt: at(2) }],
  ['by message id at last', { messageId: 'm-1' }, { messageId: 'm-2' }],
])('reports are in order %s', (_, earlier, later) => {
  expect(compareStamps(stamp(earlier), stamp(later))).toBeLessThan(0);
  expect(compareStamps(stamp(later), stamp(earlier))).toBeGreaterThan(0);
  expect(compareStamps(stamp(later), stamp(later))).toBe(0);
});

test.each<[string, boolean, Partial<Stamp>, Partial<Stamp>]>([
  ['delivered again', true, { messageId: 'm-1' }, { messageId: 'm-1', receivedAt: at(5) }],
  ['sent again', true, { messageId: 'm-1', bootId: 'b', seq: 4 }, { messageId: 'm-2', bootId: 'b', seq: 4 }],
  ['of another boot', false, { messageId: 'm-1', bootId: 'b', seq: 4 }, { messageId: 'm-2', bootId: 'c', seq: 4 }],
  ['without a sequence', false, { messageId: 'm-1', bootId: 'b' }, { messageId: 'm-2', bootId: 'b' }],
])('a report that is %s is the same one: %s', (_, isSame, a, b) => {
  expect(isSameReport(stamp(a), stamp(b))).toBe(isSame);
});

test('a copy has the key of its original, and the first copy is the same whichever is handled first', () => {
  const [a, b] = [stamp({ bootId: 'b', seq: 4 }), stamp({ bootId: 'b', seq: 4, messageId: 'm-2', receivedAt: at(5) })];
  expect(keyOf(a)).toBe(keyOf(b));
  expect([firstCopy(a, b), firstCopy(b, a)]).toEqual([a, a]);
  const twin = stamp({ bootId: 'b', seq: 4, messageId: 'm-0' });
  expect([firstCopy(a, twin), firstCopy(twin, a)]).toEqual([twin, twin]);
});

describe('a clock that was set back by an hour', () => {
  const newest = stamp({ deviceAt: at(3600), receivedAt: at(0) });
  const back = (seconds: number, device = seconds) => stamp({ deviceAt: at(device), receivedAt: at(seconds) });

  test('is recognised by two reports that are as far apart as ours', () => {
    expect(isClockStep(newest, back(60), back(120))).toBe(true);
    expect(isClockStep(newest, back(60), back(120, 120.9))).toBe(true);
  });

  test.each<[string, Stamp, Stamp]>([
    ['two old ones that were sent again at once', back(60), stamp({ deviceAt: at(120), receivedAt: at(61) })],
    ['one that came before the newest', back(-120), back(-60)],
    ['two of which the second is not later by the device', back(60), stamp({ deviceAt: at(60), receivedAt: at(120) })],
    ['one without a time', back(60), stamp({ receivedAt: at(120) })],
  ])('is not recognised by %s', (_, previous, next) => {
    expect(isClockStep(newest, previous, next)).toBe(false);
  });

  test('by less than five minutes is a late report', () => {
    const step = (seconds: number) =>
      isClockStep(stamp({ deviceAt: at(120 + seconds), receivedAt: at(0) }), back(60), back(120));
    expect([step(299), step(300)]).toEqual([false, true]);
  });

  test.each([
    // Both clocks must agree on the interval within a second or a tenth of it.
    [5, 6, true],
    [5, 6.001, false],
    [5, 4, true],
    [100, 110, true],
    [100, 110.001, false],
    [100, 90, true],
    [100, 89.999, false],
    [0.001, 0.001, true],
    [0, 0.5, false],
    [0.5, 0, false],
  ])('%d s apart by our clock and %d s by the device: %s', (byCloud, byDevice, expected) => {
    const next = stamp({ receivedAt: at(60 + byCloud), deviceAt: at(60 + byDevice) });
    expect(isClockStep(newest, back(60), next)).toBe(expected);
  });

  test('is recognised only where all three have a time, by a report that came after the newest', () => {
    const none = { deviceAt: null };
    expect(isClockStep({ ...newest, ...none }, back(60), back(120))).toBe(false);
    expect(isClockStep(newest, { ...back(60), ...none }, back(120))).toBe(false);
    const came = { ...newest, receivedAt: at(120) };
    expect(isClockStep(came, back(60), back(120))).toBe(false);
    expect(isClockStep(came, back(60), back(120.001))).toBe(true);
  });

  test('leaves the newest report comparable by our time alone', () => {
    const known = withoutDeviceTime(stamp({ deviceAt: at(3600), bootId: 'b', seq: 7 }));
    expect(compareStamps(known, back(60))).toBeLessThan(0);
  });
});
