import type { Device } from '../../../../../shared/schema/device/device.ts';

const plain = ['deviceId', 'name', 'groupId', 'site', 'parents', 'coverage', 'model', 'firmware'] as const;
const reporting = ['periodSeconds', 'silentAfterSeconds', 'lossPatienceSeconds'] as const;

/** The registry of devices as CSV, with the columns that the import takes: a cell holds several values separated by `;`. */
export function tableOf(devices: readonly Device[]): string {
  const tags = [...new Set(devices.flatMap((device) => Object.keys(device.tags)))].toSorted();
  const header = [...plain, ...reporting.map((name) => `reporting.${name}`), ...tags.map((tag) => `tag.${tag}`)];
  const rows = devices.map((device) => [
    ...plain.map((name) => textOf(device, name)),
    ...reporting.map((name) => String(device.reporting?.[name] ?? '')),
    ...tags.map((tag) => device.tags[tag] ?? ''),
  ]);
  return [header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function textOf(device: Device, name: (typeof plain)[number]): string {
  if (name === 'parents') return device.parents.map(({ kind, id }) => `${kind}:${id}`).join(';');
  if (name === 'coverage') return device.coverage.join(';');
  return device[name] ?? '';
}

/** A spreadsheet executes a cell that begins with one of these as a formula; a leading quote prevents that. */
const formula = /^[=+\-@\t\r]/;

function cellOf(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
