import { expect, test } from 'vitest';
import { isOfPartition, toBridgeMessage } from '../../../bridge/forward/message.ts';
import { readMessage } from '../../../shared/domain/intake/message.ts';

test.each([
  ['devices/cam-1/status', { deviceId: 'cam-1', kind: 'status' }],
  ['devices/cam-1/guardian', { deviceId: 'cam-1', kind: 'guardian' }],
  ['guardians/cam-1/alert', { deviceId: 'cam-1', kind: 'guardian-alert' }],
  ['guardians/cam-1/health', { deviceId: 'cam-1', kind: 'guardian-health' }],
  ['devices/cam-1/guardian-alert', { deviceId: 'cam-1', kind: 'devices/guardian-alert' }],
  ['guardians/cam-1/status', { deviceId: 'cam-1', kind: 'guardian-status' }],
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

test('the canary says through which bridge it came, and the service reads it', () => {
  const bridged = toBridgeMessage('watchpost/canary', Buffer.from('{}'), false, { partition: 2, of: 4 });
  expect(bridged?.attributes).toEqual({
    deviceId: 'watchpost',
    kind: 'canary',
    'watchpost-bridge': '{"partition":2,"of":4}',
  });
  const message = {
    messageId: '1',
    publishTime: '2026-11-24T09:00:00Z',
    data: Buffer.alloc(0),
    attributes: {},
    ...bridged,
  };
  expect(readMessage(message, 'native')).toMatchObject({ kind: 'canary', bridge: { partition: 2, of: 4 } });
});

test('of four bridges each device has one, with its guardian, and the canary all', () => {
  const bridges = [1, 2, 3, 4].map((partition) => ({ partition, of: 4 }));
  const ids = Array.from({ length: 200 }, (_unused, index) => `cam-${index}`);
  const counts = bridges.map(() => 0);
  for (const id of ids) {
    const owners = bridges.filter((bridge) => isOfPartition(`devices/${id}/status`, bridge));
    expect(owners).toHaveLength(1);
    expect(bridges.filter((bridge) => isOfPartition(`guardians/${id}/alert`, bridge))).toEqual(owners);
    counts[(owners[0]?.partition ?? 0) - 1] = (counts[(owners[0]?.partition ?? 0) - 1] ?? 0) + 1;
    expect(isOfPartition(`devices/${id}/status`, { partition: 1, of: 1 })).toBe(true);
  }
  for (const count of counts) expect(count).toBeGreaterThan(20);
  expect(bridges.every((bridge) => isOfPartition('watchpost/canary', bridge))).toBe(true);
});
