import { expect, test } from 'vitest';
import { newDevice } from '../../../../shared/domain/device/device.ts';
import { withPattern } from '../../../../shared/domain/registry/registry.ts';
import { startOfTests } from '../../../support/world/world.ts';

const placed = (pattern: string, deviceId: string) =>
  withPattern(newDevice(deviceId, startOfTests), [{ pattern, groupId: 'here' }]).groupId === 'here';

test.each([
  ['gbg-*', 'gbg-1'],
  ['gbg-*', 'gbg-'],
  ['*', 'anything'],
  ['*-door', 'gbg-door'],
  ['a*b*c', 'aXbYc'],
  ['a*b*c', 'abc'],
  ['a**c', 'ac'],
  ['cam.1', 'cam.1'],
  ['a*bc*bc', 'aXbcbc'],
])('%s fits %s', (pattern, id) => expect(placed(pattern, id)).toBe(true));

test.each([
  ['gbg-*', 'gb-1'],
  ['gbg-*', 'my-gbg-1'],
  ['gbg', 'gbg-1'],
  ['ab*ba', 'aba'],
  ['a*b*c', 'aXc'],
  ['a*bc*bc', 'aXbc'],
  ['cam.1', 'camx1'],
  ['GBG-*', 'gbg-1'],
])('%s does not fit %s', (pattern, id) => expect(placed(pattern, id)).toBe(false));

test('a pattern full of stars takes no longer than its text', () => {
  const startedAt = performance.now();
  expect(placed(`${'a*'.repeat(63)}b`, 'a'.repeat(128))).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(50);
});

test('the first pattern that fits decides, with its site; a device that has a group stays', () => {
  const patterns = [
    { pattern: 'gbg-1*', groupId: 'north', site: 'central' },
    { pattern: 'gbg-*', groupId: 'south' },
  ];
  const device = newDevice('gbg-12', startOfTests);
  expect(withPattern(device, patterns)).toMatchObject({ groupId: 'north', site: 'central' });
  expect(withPattern({ ...device, deviceId: 'gbg-2' }, patterns)).toMatchObject({ groupId: 'south', site: null });
  expect(withPattern({ ...device, groupId: 'west' }, patterns)).toMatchObject({ groupId: 'west', site: null });
  expect(withPattern({ ...device, setByHand: ['groupId'] }, patterns)).toMatchObject({ groupId: 'unassigned' });
});
