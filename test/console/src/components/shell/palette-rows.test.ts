import { beforeEach, expect, test, vi } from 'vitest';
import type { Device } from '../../../../../shared/schema/device/device.ts';
import type { Incident } from '../../../../../shared/schema/incident/incident.ts';
import type { Site } from '../../../../../shared/schema/place/place.ts';

type Named = { kind: string; name: string };
type Rows = { paletteRows(text: string, sources: object): Named[] };
/** Not a literal in the import, so that the compiler does not read the console, which needs the types of a browser. */
const path = '../../../../../console/src/components/shell/palette-rows.ts';

let paletteRows: Rows['paletteRows'];
beforeEach(async () => {
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('addEventListener', () => {});
  ({ paletteRows } = (await import(path)) as Rows);
});

const sources = {
  known: [
    { kind: 'Page', name: 'Alerts', more: '', address: '#/alerts' },
    { kind: 'Action', name: 'New maintenance window', more: '', address: '#/maintenance/new' },
  ],
  devices: [{ deviceId: 'cam-1', name: 'Gate 2', site: 'gbg', groupId: 'north', state: 'online' } as Device],
  sites: [{ kind: 'site', id: 'gbg-central', name: 'Göteborg', groupId: 'north', devices: { total: 3 } } as Site],
  alerts: [],
  incidents: [
    { incidentId: 'i', title: 'Göteborg is dark', status: 'active', scope: { id: 'gbg', name: null } } as Incident,
  ],
};
const found = (text: string, of: object = sources) => paletteRows(text, of).map(({ kind, name }) => `${kind} ${name}`);

test('each search word must begin a word of the row, in any case and order; results of the service are always listed', () => {
  const camera = 'Camera Gate 2';
  expect(found('gö')).toEqual(['Incident Göteborg is dark', 'Site Göteborg', camera]);
  expect(found('DARK göt')).toEqual(['Incident Göteborg is dark', camera]);
  expect(found('wind new')).toEqual(['Action New maintenance window', camera]);
  expect(found('ales')).toEqual([camera]);
});

test('without search words it lists pages and actions; each kind has at most six rows', () => {
  expect(found('', { ...sources, devices: [], sites: [], incidents: [] })).toEqual([
    'Page Alerts',
    'Action New maintenance window',
  ]);
  const many = { ...sources, devices: Array.from({ length: 50 }, () => sources.devices[0]) };
  expect(found('x', many)).toHaveLength(6);
});
