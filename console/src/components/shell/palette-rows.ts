import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { Device } from '../../../../shared/schema/device/device.ts';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import type { Site } from '../../../../shared/schema/place/place.ts';
import { href } from '../../client/router.ts';

/** A row of the palette: opens a page or a record, or performs an action. */
export type Row = { kind: 'Page' | 'Action' | 'Camera' | 'Site' | 'Alert' | 'Incident'; name: string; more: string } & (
  | { address: string }
  | { act: () => void }
);

/** Rows that are always known, and results of the service. */
export type Sources = {
  known: readonly Row[];
  devices: readonly Device[];
  sites: readonly Site[];
  alerts: readonly Alert[];
  incidents: readonly Incident[];
};

const ofEachAtMost = 6;

/**
 * The rows in a fixed order: pages and actions, incidents, sites, cameras, alerts; a few of each. Each search word must
 * be the prefix of a word in the row, except for cameras and alerts.
 */
export function paletteRows(text: string, { known, devices, sites, alerts, incidents }: Sources): Row[] {
  const words = wordsOf(text);
  const fits = (...texts: (string | null)[]) => {
    const has = texts.flatMap((each) => wordsOf(each ?? ''));
    return words.every((word) => has.some((one) => one.startsWith(word)));
  };
  const found: Row[][] = [
    known.filter(({ name, more }) => fits(name, more)),
    incidents.filter(({ title, scope }) => fits(title, scope.name, scope.id)).map(incidentRow),
    sites.filter(({ id, name }) => fits(id, name)).map(siteRow),
    // No further filter: the service has searched these, and compares more members than a row shows.
    devices.map(deviceRow),
    alerts.map(alertRow),
  ];
  return found.flatMap((rows) => rows.slice(0, ofEachAtMost));
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(Boolean);
}

function incidentRow({ incidentId, title, status }: Incident): Row {
  return { kind: 'Incident', name: title, more: status, address: href(['incidents', incidentId]) };
}

function siteRow({ kind, id, name, groupId, devices }: Site): Row {
  const query = { groupId, ...(kind === 'site' ? { site: id } : {}) };
  const more = `${groupId}, ${devices.total.toLocaleString()} cameras`;
  return { kind: 'Site', name: name ?? id, more, address: href(['devices'], query) };
}

function deviceRow({ deviceId, name, site, groupId, state }: Device): Row {
  const more = [deviceId, site ?? groupId, state].join(', ');
  return { kind: 'Camera', name: name || deviceId, more, address: href(['devices', deviceId]) };
}

function alertRow({ alertId, code, deviceId, deviceName, message }: Alert): Row {
  const name = `${code} of ${deviceName ?? deviceId}`;
  return { kind: 'Alert', name, more: message, address: href(['alerts', alertId]) };
}
