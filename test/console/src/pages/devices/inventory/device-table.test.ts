import { expect, test } from 'vitest';
import { tableOf } from '../../../../../../console/src/pages/devices/inventory/device-table.ts';
import { readTable } from '../../../../../../shared/adapters/http/csv.ts';
import { devicesOfTable } from '../../../../../../shared/app/devices/import.ts';
import type { Device } from '../../../../../../shared/schema/device/device.ts';
import { faultsOf } from '../../../../../../shared/schema/validate.ts';

const device = (given: Partial<Device>): Device =>
  ({
    ...{ deviceId: 'cam-1', groupId: 'north', name: '', site: null, parents: [], tags: {}, coverage: [] },
    ...{ model: null, firmware: null, reporting: null, ...given },
  }) as Device;

const imported = (devices: readonly Device[]) =>
  devicesOfTable(readTable(new TextEncoder().encode(tableOf(devices)), 500)).devices;

test('an exported table is imported unchanged', () => {
  const gate = device({
    ...{ name: 'Norra entrén, "gate" 2', site: 'gbg-central', model: 'P3268', firmware: '11.9' },
    parents: [
      { kind: 'switch', id: 'sw-1' },
      { kind: 'uplink', id: 'u-1' },
    ],
    ...{ tags: { floor: '2' }, coverage: ['entrance', 'yard'], reporting: { periodSeconds: 60 } },
  });
  const plain = device({ deviceId: 'cam-2', tags: { customer: 'Åhléns' } });
  const [first, second] = imported([gate, plain]);
  expect(first).toEqual({
    ...{ deviceId: 'cam-1', name: gate.name, groupId: 'north', site: 'gbg-central', parents: gate.parents },
    ...{ coverage: gate.coverage, model: 'P3268', firmware: '11.9', reporting: { periodSeconds: 60 } },
    tags: { floor: '2' },
  });
  expect(second).toEqual({ deviceId: 'cam-2', groupId: 'north', tags: { customer: 'Åhléns' } });
  for (const each of [first, second]) expect(faultsOf('ImportedDevice', each)).toEqual([]);
});

test.each(['=1+1', '+46', '-a', '@SUM(A1)'])('a name %s does not become a formula', (name) => {
  expect(tableOf([device({ name })])).toContain(`cam-1,'${name},`);
});

test('a table without devices still has its columns', () => {
  expect(tableOf([])).toMatch(/^deviceId,name,groupId,.*\r\n$/);
});
