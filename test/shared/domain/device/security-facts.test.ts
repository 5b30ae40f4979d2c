import { describe, expect, test } from 'vitest';
import { type Stamp, stampOf } from '../../../../shared/domain/device/measure.ts';
import {
  type BrokerAttempt,
  type CertificateFacts,
  type KnownEvent,
  withAttempt,
  withCertificate,
  withEvent,
  withFailedValidation,
} from '../../../../shared/domain/device/security-facts.ts';

import { report } from '../../../support/records/reports.ts';
import { at } from '../../../support/world/timeline.ts';

const stamp = (seconds: number, messageId = `m-${seconds}`): Stamp =>
  stampOf(report('status', {}, seconds, { messageId }));
const none: CertificateFacts = { validity: null, expiry: null };

describe('an event', () => {
  const body = { type: 'lens_cleaned', timestamp: at(0) };
  const kept = (seconds: number, events: readonly KnownEvent[] = []) => withEvent(events, body, at(seconds));

  test.each([
    [600, true],
    [600.001, false],
    [-600, true],
    [-600.001, false],
  ])('that comes again after %d s is the same one: %s', (seconds, isSame) => {
    const known = kept(0) ?? [];
    expect(kept(seconds, known) === null).toBe(isSame);
  });

  test('with another content is another one, and sixteen are kept, the newest last', () => {
    let events: KnownEvent[] = kept(0) ?? [];
    expect(withEvent(events, { ...body, type: 'other' }, at(1))).toHaveLength(2);
    for (let number = 1; number <= 16; number += 1) {
      events = withEvent(events, { ...body, number }, at(number)) ?? [];
    }
    expect(events.map(({ at: when }) => when)).toEqual(Array.from({ length: 16 }, (_, index) => at(index + 1)));
    const late = withEvent(events, { ...body, number: 99 }, at(3.5)) ?? [];
    expect(late.map(({ at: when }) => when).slice(0, 2)).toEqual([at(2), at(3)]);
    expect(late.map(({ at: when }) => when)).toContain(at(3.5));
  });
});

describe('what is known of a certificate', () => {
  test('follows the newest report on each of its members', () => {
    const first = withCertificate(none, { valid: true, notAfter: '2027-01-01T00:00:00+01:00' }, stamp(10));
    expect(first).toEqual({
      validity: { isValid: true, reason: null, stamp: stamp(10) },
      expiry: { notAfter: '2026-12-31T23:00:00.000Z', stamp: stamp(10) },
    });
    const later = withCertificate(first, { valid: false, reason: 'expired' }, stamp(20));
    expect(later).toEqual({
      validity: { isValid: false, reason: 'expired', stamp: stamp(20) },
      expiry: first.expiry,
    });
    expect(withCertificate(later, { valid: true, notAfter: at(9) }, stamp(5))).toEqual(later);
    expect(withCertificate(later, {}, stamp(30))).toEqual(later);
  });

  test('takes the earliest copy of one report', () => {
    const copy = (seconds: number) => ({ ...stamp(seconds), bootId: 'b', seq: 1 });
    const known = withCertificate(none, { valid: true }, copy(21));
    expect(withCertificate(known, { valid: true }, copy(20)).validity?.stamp.receivedAt).toBe(at(20));
    expect(withCertificate(known, { valid: true }, copy(22)).validity?.stamp.receivedAt).toBe(at(21));
  });

  test('is a failed validation by an event, unless a newer report says otherwise', () => {
    const valid = withCertificate(none, { valid: true }, stamp(10));
    expect(withFailedValidation(valid, 'unknown authority', stamp(20)).validity).toEqual({
      isValid: false,
      reason: 'unknown authority',
      stamp: stamp(20),
      isEvent: true,
    });
    expect(withFailedValidation(valid, null, stamp(5)).validity).toEqual(valid.validity);
  });

  test('counts another failure after a person has settled one, whatever its time, and not a copy of that one', () => {
    const failed = withFailedValidation(none, 'first', stamp(10));
    const settled: CertificateFacts = {
      ...failed,
      validity: failed.validity && { ...failed.validity, isSettled: true },
    };
    expect(withFailedValidation(settled, 'earlier one', stamp(5)).validity).toMatchObject({ reason: 'earlier one' });
    expect(withFailedValidation(settled, 'earlier one', stamp(5)).validity?.isSettled).toBeUndefined();
    expect(withFailedValidation(settled, 'first', stamp(10)).validity).toMatchObject({ isSettled: true });
    expect(withFailedValidation(failed, 'earlier one', stamp(5)).validity).toEqual(failed.validity);
  });
});

describe('an attempt', () => {
  const attempt = (key: string, seconds: number): BrokerAttempt => ({
    ...{ key, at: at(seconds), expectedHost: 'a', attemptedHost: 'b', reason: null },
  });

  test('counts once, at the time of its earliest copy', () => {
    const known = withAttempt([], attempt('x', 10)) ?? [];
    expect(withAttempt(known, attempt('x', 10))).toBeNull();
    expect(withAttempt(known, attempt('x', 11))).toBeNull();
    expect(withAttempt(known, attempt('x', 9))).toEqual([attempt('x', 9)]);
    expect(withAttempt(known, attempt('y', 9))).toEqual([attempt('y', 9), attempt('x', 10)]);
  });

  test('is kept among the last eight, and one before all of them is not', () => {
    let attempts: BrokerAttempt[] = [];
    for (let number = 1; number <= 9; number += 1) {
      attempts = withAttempt(attempts, attempt(`k${number}`, number)) ?? attempts;
    }
    expect(attempts.map(({ key }) => key)).toEqual(['k2', 'k3', 'k4', 'k5', 'k6', 'k7', 'k8', 'k9']);
    expect(withAttempt(attempts, attempt('late', 1.5))).toBeNull();
    expect(withAttempt(attempts, attempt('late', 2.5))?.map(({ key }) => key)[0]).toBe('late');
  });
});
