import { expect, test } from 'vitest';
import { toBridgeMessage } from '../../../bridge/forward/message.ts';
import { readMessage } from '../../../shared/domain/intake/message.ts';

test.each([
  ['devices/cam-1/status', { deviceId: 'cam-1', kind: 'status' }],
  ['devices/cam-1/guardian', { deviceId: 'cam-1', kind: 'guardian' }],
  ['guardians/cam-1/alert', { deviceId: 'cam-1', kind: 'guardian-alert' }],
  ['guardians/cam-1/health', { deviceId: 'cam-1', kind: 'guardian-health' }],
  ['devices/cam-1/guardian-alert', { deviceId: 'cam-1', kind: 'devices/guardian-alert' }],
  ['guardians/cam-1/status', { deviceId: 'cam-1', kind: 'guardian-status' }],
  ['watchpost/canary', { deviceId: 'watchpost', kind: 'canary' }],
  ['devices/a/b/c', { deviceId: 'a', kind: 'b/c' }],
  ['devices//status', { deviceId: '', kind: 'status' }],
  ['devices/x', { deviceId: 'x', kind: '' }],
  [`devices/${'ü'.repeat(600)}/status`, { deviceId: 'ü'.repeat(512), kind: 'status' }],
])('%s becomes a message with the device and kind of its topic', (topic, attributes) => {
  expect(toBridgeMessage(topic, Buffer.from('{}'))?.attributes).toEqual(attributes);
});

test.each(['elsewhere/cam-1/status', 'watchpost/other', '$SYS/broker/version'])('%s is not for the bridge', (topic) => {
  expect(toBridgeMessage(topic, Buffer.from('{}'))).toBeNull();
});

test('a message that the broker had retained is marked', () => {
  const { attributes } = toBridgeMessage('devices/cam-1/connection', Buffer.from('{}'), true) ?? {};
  expect(attributes).toEqual({ deviceId: 'cam-1', kind: 'connection', retained: 'true' });
});

test('a message that is longer than Pub/Sub takes is cut to more than the service reads, which quarantines it', () => {
  const bridged = toBridgeMessage('devices/cam-1/event', Buffer.alloc(12_000_000, '{'));
  expect(bridged?.data.length).toBe(4 * 1024 * 1024);
  const message = {
    messageId: '1',
    publishTime: '2026-11-24T09:00:00Z',
    attributes: {},
    data: Buffer.alloc(0),
    ...bridged,
  };
  expect(readMessage(message, 'native')).toMatchObject({
    kind: 'refused',
    refusal: { reason: 'too-large', deviceId: 'cam-1' },
  });
});
