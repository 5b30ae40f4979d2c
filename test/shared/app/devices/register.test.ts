import { expect, test } from 'vitest';
import type { Bearer } from '../../../../shared/app/bearer.ts';
import { getDevice, removeDevice } from '../../../../shared/app/devices/devices.ts';
import { changeDevice } from '../../../../shared/app/devices/register.ts';
import type { DevicePatch } from '../../../../shared/schema/device/registry.ts';
import { ana } from '../../../support/records/alerts.ts';
import { createTimeline } from '../../../support/world/timeline.ts';

const of = (...groups: string[]): Bearer => ({ ...ana, subject: 'eve', groups });
const described: DevicePatch = {
  name: 'Gate',
  site: 'gbg-central',
  parents: [
    { kind: 'switch', id: 'sw-1' },
    { kind: 'uplink', id: 'u-1' },
  ],
  tags: { floor: '2', owner: 'Anna' },
  coverage: ['entrance'],
  model: 'P3245',
  firmware: '11.2',
  reporting: { periodSeconds: 600 },
};

async function inGroup(groupId: string) {
  const line = createTimeline();
  await line.says(0, 'status', { memory: { usedPercent: 95 } });
  await changeDevice(line.world, ana, 'cam-1', { groupId });
  return line;
}

test('what people say of a camera is kept; what they leave out stays, tag by tag, and null clears', async () => {
  const { world } = await inGroup('north');
  expect(await changeDevice(world, of('north'), 'cam-1', described)).toMatchObject({ ...described, groupId: 'north' });
  const changed = await changeDevice(world, of('north'), 'cam-1', { tags: { owner: null, room: '12' }, site: null });
  expect(changed).toMatchObject({ ...described, site: null, tags: { floor: '2', room: '12' } });
  const none: DevicePatch = {
    ...{ name: null, parents: null, tags: null, coverage: null, model: null, firmware: null, reporting: null },
  };
  expect(await changeDevice(world, of('north'), 'cam-1', none)).toMatchObject({
    ...{ name: 'cam-1', site: null, parents: [], tags: {}, coverage: [], model: null, firmware: null, reporting: null },
    groupId: 'north',
  });
});

test('a name that was set stands before that of a report until it is cleared; model and firmware are what the camera says', async () => {
  const line = await inGroup('north');
  await changeDevice(line.world, ana, 'cam-1', { name: 'Gate', model: 'of the list', firmware: '1.0' });
  await line.says(60, 'status', { name: 'AXIS', model: 'P3245' });
  expect(await line.device()).toMatchObject({ name: 'Gate', model: 'P3245', firmware: '1.0' });
  await changeDevice(line.world, ana, 'cam-1', { name: null });
  await line.says(120, 'status', { name: 'AXIS' });
  expect(await line.device()).toMatchObject({ name: 'AXIS' });
});

test('tags that would be more than twenty are refused, and nothing is changed', async () => {
  const line = await inGroup('north');
  const tags = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${from + index}`, 'x']));
  await changeDevice(line.world, ana, 'cam-1', { tags: tags(0, 20) });
  const before = await line.device();
  await expect(changeDevice(line.world, ana, 'cam-1', { tags: tags(20, 1), site: 'a' })).rejects.toMatchObject({
    code: 'invalid-request',
    errors: [{ pointer: '/tags', detail: 'would be 21; a device has at most 20' }],
  });
  expect(await line.device()).toEqual(before);
  await changeDevice(line.world, ana, 'cam-1', { tags: { ...tags(20, 1), t0: null } });
  expect(Object.keys((await line.device())?.tags ?? {})).toHaveLength(20);
});

test('what is set already changes nothing: no write, no entry', async () => {
  const line = await inGroup('north');
  await changeDevice(line.world, ana, 'cam-1', described);
  const before = await line.device();
  await changeDevice(line.world, ana, 'cam-1', { ...described, tags: { floor: '2' } });
  expect(await line.device()).toEqual(before);
  expect((await line.activity('device-changed')).map(({ summary }) => summary).toSorted()).toEqual([
    'Moved here from another group',
    'Moved to another group',
    expect.stringMatching(/^name: cam-1 → Gate, site: null → gbg-central, parents: /),
  ]);
});

test('the open alerts of a camera follow its name and site; those that are over keep what was', async () => {
  const line = createTimeline();
  await line.says(0, 'status', { memory: { usedPercent: 95 } });
  await changeDevice(line.world, ana, 'cam-1', { groupId: 'north', name: 'Gate', site: 'gbg' });
  await changeDevice(line.world, ana, 'cam-1', { site: 'malmo' });
  const seen = (await line.alerts()).map(({ groupId, deviceName, site }) => [groupId, deviceName, site]);
  expect(seen.toSorted()).toEqual([
    ['north', 'Gate', 'malmo'],
    ['unassigned', null, null],
  ]);
});

test('a camera that was decommissioned comes back where people had put it', async () => {
  const line = await inGroup('north');
  await changeDevice(line.world, ana, 'cam-1', described);
  await removeDevice(line.world, ana, 'cam-1');
  await line.says(120, 'status', {});
  const { model: _, firmware: __, ...kept } = described;
  expect(await getDevice(line.world, ana, 'cam-1')).toMatchObject({ ...kept, groupId: 'north' });
  expect((await line.device())?.labels).toContain('parent switch:sw-1');
});

test('who is limited to groups takes no camera out of `unassigned`, and learns nothing of the others', async () => {
  const line = createTimeline();
  await line.says(0, 'status', {});
  await line.says(0, 'status', {}, { deviceId: 'cam-2' });
  await changeDevice(line.world, ana, 'cam-2', { groupId: 'south' });
  const refusal = async (bearer: Bearer, deviceId: string, patch: DevicePatch) =>
    changeDevice(line.world, bearer, deviceId, patch).then(
      () => 'done',
      ({ code, message }) => [code, message.replace(deviceId, 'ID')],
    );
  const unknown = ['not-found', 'There is no device ID.'];
  for (const deviceId of ['cam-1', 'cam-2', 'cam-3']) {
    expect(await refusal(of('north'), deviceId, { groupId: 'north' })).toEqual(unknown);
    expect(await refusal(of('north'), deviceId, { site: 'mine' })).toEqual(unknown);
  }
  expect(await refusal(of('north', 'unassigned'), 'cam-1', { groupId: 'north' })).toEqual([
    'limited-to-groups',
    'Only a token of all groups may give an unassigned device a group.',
  ]);
  expect(await refusal(of('south', 'west'), 'cam-2', { groupId: 'north' })).toEqual([
    'not-found',
    'There is no group north.',
  ]);
  expect(await refusal(of('south', 'west'), 'cam-2', { groupId: 'west' })).toBe('done');
});
