import { expect, test } from 'vitest';
import { removeDevice } from '../../../../shared/app/devices/devices.ts';
import { changeDevice } from '../../../../shared/app/devices/register.ts';
import { ana } from '../../../support/records/alerts.ts';
import { detection } from '../../../support/records/detections.ts';
import { at, createTimeline, hour, minute } from '../../../support/world/timeline.ts';

async function decommissioned() {
  const line = createTimeline();
  await line.says(0, 'status', { name: 'as it says', groupId: 'north' });
  await changeDevice(line.world, ana, 'cam-1', { name: 'Gate', groupId: 'south' });
  await line.until(hour);
  await removeDevice(line.world, ana, 'cam-1');
  return line;
}

test.each<[string, string, object, { attributes?: Record<string, string> }]>([
  ['a last will', 'connection', { status: 'offline', timestamp: at(2 * hour) }, {}],
  [
    'a retained leftover',
    'status',
    { timestamp: at(2 * hour) },
    { attributes: { deviceId: 'cam-1', kind: 'status', retained: 'true' } },
  ],
  ['a status that was made before', 'status', { timestamp: at(hour - 1) }, {}],
  ['an event', 'event', { type: 'door', timestamp: at(2 * hour) }, {}],
  ['a detection', 'detection', detection('s-1'), {}],
])('%s does not bring a decommissioned camera back, and nobody is notified', async (_, kind, body, given) => {
  const line = await decommissioned();
  await line.says(hour + 2 * minute, kind, body, given);
  await line.until(3 * hour);
  expect(await line.device()).toBeNull();
  expect(await line.alerts()).toEqual([]);
  expect(await line.quarantined()).toEqual([]);
});

test('a status or a birth message brings it back that was published a minute after the deletion, not earlier, with what people had set', async () => {
  for (const [kind, body] of [
    ['status', { name: 'as it says' }],
    ['connection', { status: 'online' }],
  ] as const) {
    const line = await decommissioned();
    await line.says(hour + 59.999, kind, body);
    expect(await line.device()).toBeNull();
    await line.says(hour + 60, kind, { ...body, timestamp: at(hour + 1) });
    expect(await line.device()).toMatchObject({ name: 'Gate', groupId: 'south', setByHand: ['groupId', 'name'] });
    expect(await line.world.store.count({ in: 'tombstones' })).toBe(0);
  }
});

const retained = (kind: string) => ({ attributes: { deviceId: 'cam-1', kind, retained: 'true' } });

test.each<[string, string, object, { attributes?: Record<string, string> }?]>([
  ['a last will', 'connection', { status: 'offline' }],
  ['what cannot be read', 'status', Buffer.from('{')],
  ['a retained status', 'status', { memory: { usedPercent: 20 }, timestamp: at(-60) }, retained('status')],
  ['a retained birth message', 'connection', { status: 'online', connectedAt: at(-60) }, retained('connection')],
])('%s registers nobody', async (_, kind, body, given) => {
  const line = createTimeline();
  await line.says(0, kind, body, given);
  expect(await line.device()).toBeNull();
});

test('a decommissioned camera that lives anew goes on counting its versions, by which its wakes are named', async () => {
  const line = await decommissioned();
  const [tombstone] = await line.world.store.get('tombstones', ['cam-1']);
  await line.says(2 * hour, 'status', {});
  expect((await line.device())?.version).toBeGreaterThan(tombstone?.data.version ?? 99);
});
