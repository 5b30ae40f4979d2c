import { describe, expect, test } from 'vitest';
import { seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { deviceAfter } from '../../../../shared/domain/change/device-of-alert.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import type { AlertCode } from '../../../../shared/schema/vocabulary.ts';
import { at } from '../../../support/world/timeline.ts';

const alert = (code: AlertCode, alertId = 'a-1') =>
  seedAlert({ alertId, deviceId: 'cam-1', groupId: 'north', code, message: '', context: {} }, at(0));
const holding = (code: AlertCode, given: Partial<Device> = {}): Device => ({
  ...newDevice('cam-1', at(0)),
  version: 7,
  open: { [code]: { alertId: 'a-1', since: at(0) } },
  ...given,
});

describe('a person’s action on an alert changes the device that holds it', () => {
  test('its end, with the next version of the device', () => {
    const after = deviceAfter(holding('RES_001'), alert('RES_001'), { kind: 'resolve' }, at(60));
    expect(after).toMatchObject({
      version: 8,
      open: {},
      ended: { RES_001: { alertId: 'a-1', endedAt: at(60), by: 'hand', reopenedAt: [] } },
    });
  });

  test('its snooze, and the end of that snooze', () => {
    const snoozed = deviceAfter(holding('RES_001'), alert('RES_001'), { kind: 'snooze', until: at(90) }, at(60));
    expect(snoozed).toMatchObject({ version: 8, snoozed: { RES_001: at(90) } });
    const other = { ...(snoozed as Device), snoozed: { RES_001: at(90), RES_003: at(95) } };
    const after = deviceAfter(other, alert('RES_001'), { kind: 'unsnooze' }, at(70)) as Device;
    expect([after.version, after.snoozed]).toEqual([9, { RES_003: at(95) }]);
  });

  test('its return', () => {
    const device = holding('RES_001', { open: {}, ended: { RES_001: { alertId: 'a-1' } as never } });
    expect(deviceAfter(device, alert('RES_001'), { kind: 'reopen' }, at(60))).toMatchObject({
      version: 8,
      ended: {},
      open: { RES_001: { alertId: 'a-1', since: at(60), reopened: 'waits' } },
    });
  });

  test('but not the end of an alert that it no longer holds, and no other action', () => {
    expect(deviceAfter(holding('RES_001'), alert('RES_001', 'a-0'), { kind: 'resolve' }, at(60))).toBeNull();
    expect(deviceAfter(holding('RES_001'), alert('RES_001'), { kind: 'acknowledge' }, at(60))).toBeNull();
    expect(deviceAfter(holding('RES_001'), alert('RES_001', 'a-0'), { kind: 'reopen' }, at(60))).toEqual({
      openAlertId: 'a-1',
    });
    expect(deviceAfter(holding('CONN_004', { open: {} }), alert('CONN_004'), { kind: 'reopen' }, at(60))).toBeNull();
  });
});

test('what a person has settled is not raised again by the events that raised it', () => {
  const attempts = [{ key: 'x 1', at: at(0) }] as unknown as Device['attempts'];
  const attempted = holding('SEC_002', { attempts, settledAttempts: ['x 0'] });
  expect(deviceAfter(attempted, alert('SEC_002'), { kind: 'resolve' }, at(60))).toMatchObject({
    attempts: [],
    settledAttempts: ['x 0', 'x 1'],
  });
  const validity = { isEvent: true } as Device['certificate']['validity'];
  const failed = holding('SEC_001', { certificate: { ...newDevice('cam-1', at(0)).certificate, validity } });
  const settled = deviceAfter(failed, alert('SEC_001'), { kind: 'resolve' }, at(60)) as Device;
  expect(settled.certificate.validity).toMatchObject({ isSettled: true });
  const reported = { ...failed, certificate: { ...failed.certificate, validity: { isEvent: false } as never } };
  const left = deviceAfter(reported, alert('SEC_001'), { kind: 'resolve' }, at(60)) as Device;
  expect(left.certificate.validity).toEqual({ isEvent: false });
});
