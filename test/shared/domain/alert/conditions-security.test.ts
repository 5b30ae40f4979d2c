import { describe, expect, test } from 'vitest';
import { type Condition, securityConditions } from '../../../../shared/domain/alert/conditions.ts';

import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { forgedReason } from '../../../../shared/domain/device/security-facts.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const day = 86_400;
const conditionOf = (code: string): Condition => {
  const condition = securityConditions.find((each) => each.code === code);
  if (!condition) throw new Error(code);
  return condition;
};
const deviceWith = (given: object): Device => ({ ...newDevice('cam-1', at(0)), ...given });
const holds = (code: string, device: Device, seconds = 0) =>
  conditionOf(code).holds(device, at(seconds), waits, at(seconds));

describe('a certificate', () => {
  const of = (validity: object | null, notAfter: number | null = null) =>
    deviceWith({ certificate: { validity, expiry: notAfter === null ? null : { notAfter: at(notAfter) } } });

  test('has failed where the device says so, with its reason or without, until a person has settled that', () => {
    const failed = { isValid: false, reason: 'untrusted root' };
    expect(holds('SEC_001', of(failed))).toEqual({
      message: 'Certificate validation failed: untrusted root',
      context: { reason: 'untrusted root' },
    });
    expect(holds('SEC_001', of({ ...failed, reason: null }, 30 * day))).toEqual({
      message: 'Certificate validation failed: the device reports it as not valid',
      context: { reason: 'the device reports it as not valid', notAfter: at(30 * day), daysLeft: 30 },
    });
    for (const validity of [null, { ...failed, isValid: true }, { ...failed, isSettled: true }]) {
      expect(holds('SEC_001', of(validity))).toBeNull();
    }
  });

  test('has failed a millisecond after its end, and is looked at then', () => {
    const ending = of({ isValid: true }, 60);
    expect(holds('SEC_001', ending, 60)).toBeNull();
    expect(holds('SEC_001', ending, 60.001)).toMatchObject({ context: { reason: 'expired', daysLeft: -0.1 } });
    expect(conditionOf('SEC_001').changesAt?.(ending, waits)).toEqual([at(60.001)]);
    expect(conditionOf('SEC_001').changesAt?.(of(null), waits)).toEqual([null]);
  });

  test('ends soon in less than seven days, in tenths of a day rounded down', () => {
    expect(holds('SEC_003', of(null))).toBeNull();
    expect(holds('SEC_003', of(null, 7 * day))).toBeNull();
    expect(holds('SEC_003', of(null, 7 * day), 0.001)).toMatchObject({
      message: 'Certificate ends in 6.9 days, limit 7 days',
      context: { notAfter: at(7 * day), daysLeft: 6.9 },
    });
    expect(conditionOf('SEC_003').changesAt?.(of(null, 9 * day), waits)).toEqual([at(2 * day + 0.001)]);
    expect(conditionOf('SEC_003').changesAt?.(of(null), waits)).toEqual([null]);
  });

  test('that failed by an event is news after a person resolved it, if that event is not settled', () => {
    const notAt = (validity: object | null) => conditionOf('SEC_001').heldNotAt?.(of(validity), at(0), waits);
    expect(notAt({ isValid: false, isEvent: true })).toBe(true);
    expect(notAt({ isValid: false, isEvent: true, isSettled: true })).toBeNull();
    expect(notAt({ isValid: false })).toBeNull();
    expect(notAt(null)).toBeNull();
  });
});

describe('an attempt', () => {
  const of = (...attempts: object[]) => deviceWith({ attempts });
  const attempt = {
    key: 'k',
    at: at(0),
    expectedHost: 'mqtt.example.com',
    attemptedHost: 'evil.example',
    reason: null,
  };

  test('names where the camera was to go, and where it belongs; its host is what makes it worse', () => {
    expect(holds('SEC_002', of(attempt))).toEqual({
      message: 'Unauthorized broker connection attempt to evil.example, expected mqtt.example.com',
      context: { attempts: 1, expectedHost: 'mqtt.example.com', attemptedHost: 'evil.example' },
      marks: ['by the host evil.example'],
    });
    expect(holds('SEC_002', of({ ...attempt, attemptedHost: null, expectedHost: null, reason: 'reset' }))).toEqual({
      message: 'Unauthorized broker connection attempt to a foreign broker',
      context: { attempts: 1, reason: 'reset' },
      marks: [],
    });
    expect(holds('SEC_002', of({ ...attempt, attemptedHost: '' }))).toMatchObject({
      message: 'Unauthorized broker connection attempt to a foreign broker, expected mqtt.example.com',
      marks: [],
    });
  });

  test('of a forged message says who was spoken for; it names the last attempt, if there is one', () => {
    expect(holds('SEC_002', of(attempt, { ...attempt, reason: forgedReason, attemptedHost: null }))).toEqual({
      message: 'Somebody else speaks for the configuration guardian',
      context: { reason: forgedReason },
      marks: [],
    });
    expect(holds('SEC_002', of())).toBeNull();
  });
});

test('failed authentications hold until an hour after the last of them, and a person who resolves them knew of all', () => {
  const failed = { key: 'k', at: at(0), count: 5, windowSeconds: null };
  const of = (...recent: object[]) => deviceWith({ authFailures: { ...newDevice('c', at(0)).authFailures, recent } });
  expect(holds('SEC_004', of(failed), 3599)).toEqual({
    message: '5 failed authentications within 10 minutes, limit 5',
    context: { failedAttempts: 5 },
  });
  expect(holds('SEC_004', of(failed), 3600)).toBeNull();
  expect(holds('SEC_004', of({ ...failed, count: 4 }), 1)).toBeNull();
  expect(conditionOf('SEC_004').changesAt?.(of(failed), waits)).toEqual([at(3600)]);
  expect(conditionOf('SEC_004').heldNotAt?.(of(failed), at(0), waits)).toBe(true);
});
