import { expect, test } from 'vitest';
import { renamesOf } from '../../../../shared/domain/change/renames.ts';
import { type Device, newDevice } from '../../../../shared/domain/device/device.ts';
import { at } from '../../../support/world/timeline.ts';

const openOn = (...alertIds: string[]) =>
  Object.fromEntries(alertIds.map((alertId, index) => [`CODE_${index}`, { alertId }])) as unknown as Device['open'];
const device = (given: Partial<Device>): Device => ({ ...newDevice('cam-1', at(0)), ...given });

test('a change of nothing that alerts show writes to none of them', () => {
  const before = device({ name: 'Door', open: openOn('a-1') });
  expect(renamesOf(before, { ...before, lastSeenAt: at(60) })).toEqual([]);
});

test('a new name goes to the alerts that stay open, not to one that ends or begins with it', () => {
  const before = device({ name: 'Door', open: openOn('a-1', 'a-2') });
  const after = { ...before, name: 'Gate', open: openOn('a-2', 'a-3') };
  expect(renamesOf(before, after)).toMatchObject([{ alertId: 'a-2' }]);
  expect(JSON.stringify(renamesOf(before, after))).toContain('Gate');
});
