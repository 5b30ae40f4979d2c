import { describe, expect, test } from 'vitest';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { stampOf, withReading } from '../../../../shared/domain/device/measure.ts';

import { stateOf, toWireDevice } from '../../../../shared/domain/device/view.ts';
import type { GuardianTrust } from '../../../../shared/domain/guardian/trust.ts';
import { waitsAt } from '../../../../shared/domain/limits.ts';
import { report } from '../../../support/records/reports.ts';
import { at } from '../../../support/world/timeline.ts';

const waits = waitsAt(1);
const fresh: Device = { ...newDevice('cam-1', at(0)), wasHeard: true };
const shown = (device: Device, horizon: string | null = null) => toWireDevice(device, 'online', horizon, waits);

test.each<[string, boolean, boolean, number | null, string]>([
  ['is not online', false, false, null, 'offline'],
  ['is not online while the platform is blind', false, true, 10, 'offline'],
  ['is online', true, false, 20, 'online'],
  ['is overdue', true, false, 5, 'online'],
  ['is overdue while the platform is blind', true, true, 10, 'unknown'],
  ['is not overdue yet while the platform is blind', true, true, 10.001, 'online'],
  ['has a silence that is ignored', true, true, null, 'online'],
])('a device that %s is shown as such', (_, isOnline, isBlind, silent, state) => {
  const silentAt = silent === null ? null : at(silent);
  expect(stateOf({ ...fresh, isOnline, silentAt }, isBlind, at(10))).toBe(state);
});

test('a device that was never heard of is neither online nor offline', () => {
  expect(stateOf(newDevice('cam-1', at(0)), true, at(10))).toBe('never-seen');
});

test.each(['online', 'offline', 'unknown', 'never-seen'] as const)(
  'only a device that is online says so: %s',
  (state) => {
    const device = toWireDevice(fresh, state, null, waits);
    expect([device.state, device.isOnline, device.online]).toEqual([state, state === 'online', state === 'online']);
  },
);

describe('a device is shown', () => {
  test('with what is known of it', () => {
    const stamp = stampOf(report('status', {}));
    const device: Device = {
      ...fresh,
      lastSeenAt: at(30),
      certificate: { validity: null, expiry: { notAfter: at(99), stamp } },
      presence: { ...fresh.presence, connectedAt: at(5) },
      open: { RES_001: { alertId: 'a-1', since: at(6) } },
    };
    expect(shown(device)).toMatchObject({
      ...{ certificateEndsAt: at(99), registeredAt: at(0), lastSeenAt: at(30), lastConnectedAt: at(5) },
      openAlerts: [{ code: 'RES_001', alertId: 'a-1' }],
      guardian: null,
    });
    expect(shown(fresh)).toMatchObject({
      ...{ certificateEndsAt: null, lastSeenAt: null, lastConnectedAt: null, openAlerts: [], readings: {} },
    });
  });

  test.each([
    ['memory', 'memoryUsedPercent'],
    ['storage', 'storageFreeMegabytes'],
    ['latency', 'latencyMs'],
  ] as const)('with its %s as %s, alone and when it is zero', (name, member) => {
    const measure = withReading(name, undefined, { ...stampOf(report('status', {})), value: 0 });
    const measures = measure ? { [name]: measure } : {};
    expect(shown({ ...fresh, measures }).readings).toEqual({ [member]: 0 });
  });
});

describe('a guardian is shown', () => {
  const trust: GuardianTrust = {
    ...{ publicKey: 'k', oldKey: null, keyUsedAt: null, signedSince: null, epochs: [], forgottenUntil: null },
    ...{ forgottenHealth: 0, countedFrom: null },
    health: null,
  };
  const health = {
    ...{ status: 'blind', goldenGeneration: 3, lastAlertSeq: 9, healthIntervalSeconds: 300, reason: 'no route' },
    ...{ epoch: 'e', at: at(0), missingSince: null, alertsMissing: 2 },
  } as NonNullable<GuardianTrust['health']>;

  test('with nothing but its enrolment before its first health', () => {
    const none = { status: null, reason: null, lastSeenAt: null, goldenGeneration: null, alertsMissing: 0 };
    expect(shown({ ...fresh, guardianTrust: trust }).guardian).toEqual({ enrolled: true, ...none });
    expect(shown({ ...fresh, guardianTrust: { ...trust, publicKey: null } }).guardian).toEqual({
      enrolled: false,
      ...none,
    });
  });

  test('with its newest health, and as silent once three of them are missing and a minute has passed', () => {
    const device: Device = { ...fresh, guardianTrust: { ...trust, health } };
    const notified = { reason: 'no route', lastSeenAt: at(0), goldenGeneration: 3, alertsMissing: 2 };
    expect(shown(device).guardian).toEqual({ enrolled: true, status: 'blind', ...notified });
    expect(shown(device, at(959.999)).guardian?.status).toBe('blind');
    expect(shown(device, at(960)).guardian).toEqual({ enrolled: true, status: 'silent', ...notified });
  });
});
