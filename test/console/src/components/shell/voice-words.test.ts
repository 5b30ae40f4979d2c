import { expect, test } from 'vitest';
import { announcementOf, callOf, voiceFrom } from '../../../../../console/src/components/shell/voice-words.ts';
import type { Alert } from '../../../../../shared/schema/alert/alert.ts';

const alert = {
  ...{ alertId: 'a', severity: 'CRITICAL', code: 'CONN_001', deviceId: 'cam-1', deviceName: 'Gate 2' },
  ...{ status: 'active', resolved: false, respondBy: '2026-11-20T10:05:00.000Z' },
} as Alert;
const event = (change: string, of: Partial<Alert> = {}) => ({
  event: 'alert',
  data: { change, alert: { ...alert, ...of } },
});

test('a call is made for each change that starts a response time, and for no other', () => {
  const calling = [
    'open',
    'return',
    'worsen',
    'escalate',
    'reopen',
    'announce',
    'snooze-end',
    'maintenance-end',
    'leave',
  ];
  const quiet = ['see', 'acknowledge', 'resolve', 'end', 'remind', 'add-note', 'join', 'maintain', 'quiet-end'];
  expect([...calling, ...quiet].filter((change) => callOf(event(change), 'CRITICAL'))).toEqual(calling);
});

test.each([
  ['over by now', { resolved: true }],
  ['snoozed, in maintenance or a member of an incident', { respondBy: null }],
  ['not grave enough', { severity: 'ERROR' as const }],
])('no call is made for an alert that is %s', (_, changes) => {
  expect(callOf(event('open', changes), 'CRITICAL')).toBeNull();
});

test('no call is made for events of other kinds or without their alert', () => {
  expect(callOf({ event: 'fleet', data: { at: '' } }, 'WARNING')).toBeNull();
  expect(callOf({ event: 'alert', data: { change: 'open', alert: null } }, 'WARNING')).toBeNull();
  expect(callOf({ event: 'alert', data: null }, 'WARNING')).toBeNull();
  // An escalated alert has no response time any more, but still calls.
  expect(callOf(event('escalate', { status: 'escalated', respondBy: null }), 'CRITICAL')).not.toBeNull();
});

test('several alerts become one sentence that names the most severe; a repeated alert counts once', () => {
  const warning = { ...alert, alertId: 'b', severity: 'WARNING', code: 'RES_002', deviceName: null } as Alert;
  expect(announcementOf([warning])).toBe('Warning: Memory usage high, RES_002, cam-1');
  expect(announcementOf([warning, alert])).toBe('Critical: MQTT connection lost, CONN_001, Gate 2, and 1 more alert');
  expect(announcementOf([warning, alert, warning, { ...warning, alertId: 'c' }])).toMatch(/, and 2 more alerts$/);
  expect(announcementOf([])).toBe('');
});

test.each([null, '', '{', 'null', '{"least":"LOUD","hasSound":1}'])('the stored value %s means silence', (stored) => {
  expect(voiceFrom(stored)).toEqual({ hasSound: false, hasNotifications: false, least: 'CRITICAL' });
});
