import { describe, expect, test } from 'vitest';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { changesOf, withRegistry } from '../../../../shared/domain/registry/registry.ts';
import type { DevicePatch } from '../../../../shared/schema/device/registry.ts';
import { at } from '../../../support/world/timeline.ts';

const before: Device = {
  ...newDevice('cam-1', at(0)),
  ...{ groupId: 'north', name: 'Gate', site: 'yard', tags: { floor: '2', wing: 'a' }, coverage: ['door'] },
  ...{ model: 'M1', firmware: '1.0', parents: [{ kind: 'switch', id: 'sw' }], reporting: { periodSeconds: 30 } },
};
const patched = (patch: DevicePatch, device = before) => withRegistry(device, patch).device;

test('a patch changes the members that it names and no others', () => {
  expect(withRegistry(before, {})).toEqual({ device: before, faults: [] });
  const patch: DevicePatch = {
    ...{ name: 'Yard', groupId: 'south', site: 'dock', coverage: ['gate'], model: 'M2', firmware: '2.0' },
    ...{ parents: [{ kind: 'uplink', id: 'u' }], reporting: { periodSeconds: 0 } },
  };
  expect(patched(patch)).toEqual({ ...before, ...patch, setByHand: ['groupId', 'name', 'reporting'] });
});

test('null clears a member', () => {
  const patch: DevicePatch = {
    ...{ name: null, site: null, parents: null, tags: null, coverage: null, model: null, firmware: null },
    reporting: null,
  };
  expect(patched(patch)).toEqual({
    ...before,
    ...{ name: 'cam-1', site: null, parents: [], tags: {}, coverage: [], model: null, firmware: null, reporting: null },
    setByHand: ['reporting'],
  });
});

test('tags are changed one by one', () => {
  expect(patched({ tags: { floor: '3', wing: null, room: 'b' } }).tags).toEqual({ floor: '3', room: 'b' });
  expect(patched({ tags: { other: null } }).tags).toEqual({ floor: '2', wing: 'a' });
  expect(patched({ tags: {} }).tags).toEqual({ floor: '2', wing: 'a' });
});

test.each<[DevicePatch, Device['setByHand'], Device['setByHand']]>([
  [{}, [], []],
  [{}, ['name', 'groupId', 'reporting'], ['groupId', 'name', 'reporting']],
  [{ site: 'dock' }, ['name'], ['name']],
  [{ name: 'Yard' }, [], ['name']],
  [{ name: null }, ['name', 'groupId'], ['groupId']],
  [{ groupId: 'south' }, ['name'], ['groupId', 'name']],
  [{ reporting: { periodSeconds: 10 } }, [], ['reporting']],
  [{ reporting: null }, [], ['reporting']],
  [{ groupId: 'north', reporting: null }, [], ['groupId', 'reporting']],
])('after %j, with %j by hand before, %j are', (patch, setByHand, expected) => {
  expect(patched(patch, { ...before, setByHand }).setByHand).toEqual(expected);
});

describe('a device cannot have', () => {
  const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, 'x']));
  const place = (kind: string) => ({ kind, id: 'x' });

  test('its site or group among its parents', () => {
    const parents = [place('switch'), place('site'), place('uplink'), place('group')];
    expect(withRegistry(before, { parents }).faults).toEqual([
      { pointer: '/parents/1/kind', detail: 'has its own member: site' },
      { pointer: '/parents/3/kind', detail: 'has its own member: groupId' },
    ]);
  });

  test('more than twenty tags, those that it had included', () => {
    expect(withRegistry(before, { tags: tags(18) }).faults).toEqual([]);
    expect(withRegistry(before, { tags: tags(19) }).faults).toEqual([
      { pointer: '/tags', detail: 'would be 21; a device has at most 20' },
    ]);
    const both = withRegistry(before, { tags: tags(20), parents: [place('site')] }).faults;
    expect(both.map(({ pointer }) => pointer)).toEqual(['/parents/0/kind', '/tags']);
  });
});

test('a change is shown member by member, before and after', () => {
  expect(changesOf(before, { ...before, version: 9, lastSeenAt: at(5), setByHand: ['name'] })).toEqual([]);
  const equal = { ...before, tags: { wing: 'a', floor: '2' }, parents: [{ id: 'sw', kind: 'switch' }] };
  expect(changesOf(before, equal)).toEqual([]);
  expect(changesOf(before, { ...before, tags: { floor: '2' }, name: 'Yard', reporting: null })).toEqual([
    { member: 'name', from: 'Gate', to: 'Yard' },
    { member: 'tags', from: { floor: '2', wing: 'a' }, to: { floor: '2' } },
    { member: 'reporting', from: { periodSeconds: 30 }, to: null },
  ]);
});

test('a parent may be of any kind that has no member of its own, also one that every object has', () => {
  for (const kind of ['constructor', 'tostring', 'switch']) {
    expect(withRegistry(before, { parents: [{ kind, id: 'x' }] }).faults).toEqual([]);
  }
});
