import { expect, test } from 'vitest';
import {
  certificatesByTime,
  firmwareByModel,
} from '../../../../../../console/src/pages/devices/inventory/inventory-rows.ts';
import type { Device } from '../../../../../../shared/schema/device/device.ts';

const now = Date.parse('2026-11-20T10:00:00.000Z');
const device = (deviceId: string, given: Partial<Device> = {}) =>
  ({ deviceId, certificateEndsAt: null, model: null, firmware: null, ...given }) as Device;

test('certificates are grouped by expiry: expired, within 7 days, then by month', () => {
  const { due, unknown } = certificatesByTime(
    [
      device('silent'),
      device('spring', { certificateEndsAt: '2027-03-31T23:59:59.000Z' }),
      device('next-month', { certificateEndsAt: '2026-12-01T00:00:00.000Z' }),
      device('later-this-month', { certificateEndsAt: '2026-11-28T00:00:00.000Z' }),
      device('in-seven-days', { certificateEndsAt: '2026-11-27T10:00:00.000Z' }),
      device('now', { certificateEndsAt: '2026-11-20T10:00:00.000Z' }),
      device('long-over', { certificateEndsAt: '2025-01-01T00:00:00.000Z' }),
    ],
    now,
  );
  expect(due.map(({ name, isOver, devices }) => [name, isOver, devices.map(({ deviceId }) => deviceId)])).toEqual([
    ['Over', true, ['long-over', 'now']],
    ['In the next 7 days', false, ['in-seven-days']],
    ['November 2026', false, ['later-this-month']],
    ['December 2026', false, ['next-month']],
    ['March 2027', false, ['spring']],
  ]);
  expect(unknown).toBe(1);
});

test('firmware is grouped by model, the most frequent version first', () => {
  const of = (model: string | null, firmware: string | null) => device('x', { model, firmware });
  const rows = firmwareByModel([
    of('P1', '2'),
    of('P1', '1'),
    of('P1', '2'),
    of(null, null),
    of('P2', null),
    of('P2', '9'),
  ]);
  expect(rows).toEqual([
    {
      ...{ model: 'P1', total: 3 },
      versions: [
        { firmware: '2', count: 2 },
        { firmware: '1', count: 1 },
      ],
    },
    {
      ...{ model: 'P2', total: 2 },
      versions: [
        { firmware: null, count: 1 },
        { firmware: '9', count: 1 },
      ],
    },
    { model: '', total: 1, versions: [{ firmware: null, count: 1 }] },
  ]);
});
