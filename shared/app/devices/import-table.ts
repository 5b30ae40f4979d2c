import { AppError, type Fault } from '../../errors.ts';
import { type DeviceImport, deviceColumns } from '../../schema/device/import.ts';

/** A table as text: its header row, and each further row with its line number. */
export type Table = { header: string[]; rows: { line: number; cells: string[] }[] };

/** Converts a cell to a value. If a text cannot be converted, it is returned as it is, and the schema reports the fault. */
type Reading = (cell: string) => unknown;

const asText: Reading = (cell) => cell;
const asNumber: Reading = (cell) => (/^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell);
const asList: Reading = (cell) => cell.split(';').map((each) => each.trim());
const asParents: Reading = (cell) =>
  cell.split(';').map((each) => {
    const [kind = '', ...id] = each.trim().split(':');
    return { kind, id: id.join(':') };
  });

const readings: Record<string, Reading> = { parents: asParents, coverage: asList };
/** Columns for members of a member: `tag.floor`, `reporting.periodSeconds`. */
const nested: Record<string, [member: string, reading: Reading]> = {
  tag: ['tags', asText],
  reporting: ['reporting', asNumber],
};

/**
 * The import that a table describes. An empty cell changes nothing, and `null` clears.
 * @throws AppError `invalid-request` for a column that is unknown or appears twice, or without a column `deviceId`
 */
export function devicesOfTable({ header, rows }: Table): DeviceImport {
  const errors = header.flatMap((name, index) => faultOf(name, header.indexOf(name) === index) ?? []);
  if (!header.includes('deviceId')) errors.push({ pointer: '/deviceId', detail: 'is required as a column' });
  const [first] = errors;
  if (first) throw new AppError('invalid-request', `Column ${first.pointer.slice(1)} ${first.detail}.`, { errors });
  return {
    devices: rows.map(({ cells }) => deviceOf(header, cells)),
    lines: rows.map(({ line }) => line),
  };
}

function faultOf(name: string, isFirst: boolean): Fault | null {
  const isKnown = deviceColumns.some((column) => column === name) || /^tag\../.test(name);
  if (!isKnown) return { pointer: `/${name}`, detail: 'is not known here' };
  return isFirst ? null : { pointer: `/${name}`, detail: 'appears twice' };
}

function deviceOf(header: readonly string[], cells: readonly string[]): object {
  const device = new Map<string, unknown>();
  const within = new Map<string, Map<string, unknown>>();
  for (const [index, name] of header.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '') continue;
    const [, outer = '', inner = ''] = /^(tag|reporting)\.(.+)$/.exec(name) ?? [];
    const part = nested[outer];
    if (!part) device.set(name, cell === 'null' ? null : (readings[name] ?? asText)(cell));
    else {
      const [member, reading] = part;
      within.set(member, (within.get(member) ?? new Map()).set(inner, cell === 'null' ? null : reading(cell)));
    }
  }
  for (const [member, values] of within) device.set(member, whole(member, values));
  return Object.fromEntries(device);
}

/** Tags are cleared one by one, but `reporting` only as a whole. */
function whole(member: string, values: Map<string, unknown>): unknown {
  if (member === 'reporting' && values.get('periodSeconds') === null) return null;
  return Object.fromEntries(values);
}
