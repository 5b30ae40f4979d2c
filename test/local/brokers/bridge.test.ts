import { expect, test } from 'vitest';
import { toBridgeMessage } from '../../../local/brokers/bridge.ts';

test.each([
  ['devices/cam-1/status', { deviceId: 'cam-1', kind: 'status' }],
  ['devices/cam-1/guardian', { deviceId: 'cam-1', kind: 'guardian' }],
  ['guardians/cam-1/alert', { deviceId: 'cam-1', kind: 'guardian-alert' }],
  ['guardians/cam-1/health', { deviceId: 'cam-1', kind: 'guardian-health' }],
  ['devices/cam-1/guardian-alert', { deviceId: 'cam-1', kind: 'devices/guardian-alert' }],
  ['guardians/cam-1/status', { deviceId: 'cam-1', kind: 'guardian-status' }],
])('%s becomes a message with the device and kind of its topic', (topic, attributes) => {
  expect(toBridgeMessage(topic, Buffer.from('{}'))?.attributes).toEqual(attributes);
});
