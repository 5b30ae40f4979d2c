import { decideRegistration } from '../../domain/change/registry-decision.ts';
import { type Device, newDevice } from '../../domain/device/device.ts';
import { reborn } from '../../domain/device/tombstone.ts';
import { isReserved } from '../../domain/ids.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import { changesOf } from '../../domain/registry/registry.ts';
import { AppError, type Fault } from '../../errors.ts';
import {
  type DeviceImport,
  deviceColumns,
  type ImportAnswer,
  type ImportedDevice,
  type ImportResult,
} from '../../schema/device/import.ts';
import { faultsOf } from '../../schema/validate.ts';
import { type ImportOutcome, importOutcomes } from '../../schema/vocabulary.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { decided, nothingRead } from '../change/written.ts';
import { type Decided, decideAndCommit } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { faultOfMove } from './register.ts';

/** A table as text: its header row, and each further row with its line number. */
export type ImportTable = { header: string[]; rows: { line: number; cells: string[] }[] };

/** Converts a cell to a value. If a text cannot be converted, it is returned as it is, and the schema reports the fault. */
type CellReader = (cell: string) => unknown;

const asText: CellReader = (cell) => cell;
const asNumber: CellReader = (cell) => (/^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell);
const asList: CellReader = (cell) => cell.split(';').map((each) => each.trim());
const asParents: CellReader = (cell) =>
  cell.split(';').map((each) => {
    const [kind = '', ...id] = each.trim().split(':');
    return { kind, id: id.join(':') };
  });

const readings: Record<string, CellReader> = { parents: asParents, coverage: asList };
/** Columns for members of a member: `tag.floor`, `reporting.periodSeconds`. */
const nested: Record<string, [member: string, reading: CellReader]> = {
  tag: ['tags', asText],
  reporting: ['reporting', asNumber],
};

/**
 * The import that a table describes. An empty cell changes nothing, and `null` clears.
 * @throws AppError `invalid-request` for a column that is unknown or appears twice, or without a column `deviceId`
 */
export function devicesOfTable({ header, rows }: ImportTable): DeviceImport {
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
    const [member = name, reading = readings[name] ?? asText] = nested[outer] ?? [];
    const value = cell === 'null' ? null : reading(cell);
    if (outer === '') device.set(name, value);
    else within.set(member, (within.get(member) ?? new Map()).set(inner, value));
  }
  for (const [member, values] of within) device.set(member, whole(member, values));
  return Object.fromEntries(device);
}

/** Tags are cleared one by one, but `reporting` only as a whole. */
function whole(member: string, values: Map<string, unknown>): unknown {
  if (member === 'reporting' && values.get('periodSeconds') === null) return null;
  return Object.fromEntries(values);
}

/** Devices that are changed concurrently. */
const width = 10;

const reservedName = 'is reserved for the service itself';

/** One device of an import, with its line number for the results. */
type ImportRow = { line: number; given: ImportedDevice };
type RegistryRecords = { device: Stored<'devices'> | null; tombstone: Stored<'tombstones'> | null };
type ImportPlan = Decided<ImportResult>;

/**
 * Registers devices and changes what people can set, each one separately: a refused device does not affect the others. A bearer limited to
 * groups changes only devices in these groups, and does not learn of any other id whether it exists.
 * @param isDryRun returns the results without changing anything
 */
export async function importDevices(
  world: World,
  bearer: Bearer,
  { devices, lines = [] }: DeviceImport,
  isDryRun: boolean,
): Promise<ImportAnswer> {
  const { rows, refused } = readRows(devices, lines);
  const ids = rows.map(({ given }) => given.deviceId);
  const [configuration, found] = await Promise.all([
    loadConfiguration(world),
    world.store.getMany({ devices: ids, tombstones: ids }),
  ]);
  const results: ImportResult[] = [...refused];
  for (let index = 0; index < rows.length; index += width) {
    const some = rows.slice(index, index + width).map(async (row, offset) => {
      const known = {
        device: found.devices[index + offset] ?? null,
        tombstone: found.tombstones[index + offset] ?? null,
      };
      return resultOf(world, bearer, row, { known, configuration, isDryRun });
    });
    results.push(...(await Promise.all(some)));
  }
  results.sort((one, other) => one.line - other.line);
  return { results, counts: countsOf(results) };
}

/** The rows that match the schema, each device once, and the others with their faults. */
function readRows(
  devices: readonly unknown[],
  lines: readonly number[],
): { rows: ImportRow[]; refused: ImportResult[] } {
  const rows = new Map<string, ImportRow>();
  const refused: ImportResult[] = [];
  for (const [index, value] of devices.entries()) {
    const line = lines[index] ?? index + 1;
    const given = value as ImportedDevice;
    const shapeFaults = faultsOf('ImportedDevice', value);
    const faults = shapeFaults.length > 0 ? shapeFaults : faultsOfId(given.deviceId, rows);
    if (faults.length === 0) rows.set(given.deviceId, { line, given });
    else refused.push(refusal(line, deviceIdOf(value), faults));
  }
  return { rows: [...rows.values()], refused };
}

function faultsOfId(deviceId: string, rows: ReadonlyMap<string, ImportRow>): Fault[] {
  const pointer = '/deviceId';
  const before = rows.get(deviceId);
  if (before) return [{ pointer, detail: `is on line ${before.line} already` }];
  return isReserved(deviceId) ? [{ pointer, detail: reservedName }] : [];
}

function deviceIdOf(value: unknown): string | null {
  const { deviceId } = Object(value) as { deviceId?: unknown };
  return typeof deviceId === 'string' ? deviceId.slice(0, 128) : null;
}

type ImportContext = { known: RegistryRecords; configuration: Configuration; isDryRun: boolean };

async function resultOf(
  world: World,
  bearer: Bearer,
  row: ImportRow,
  { known, configuration, isDryRun }: ImportContext,
): Promise<ImportResult> {
  try {
    const { writes, answer } = await planned(world, bearer, row, known, configuration);
    if (isDryRun || writes.length === 0) return answer;
    return await decideAndCommit(world, async () => {
      const ids = [row.given.deviceId];
      const { devices, tombstones } = await world.store.getMany({ devices: ids, tombstones: ids });
      const now = { device: devices[0] ?? null, tombstone: tombstones[0] ?? null };
      return planned(world, bearer, row, now, configuration);
    });
  } catch (error) {
    const isOurs = !(error instanceof AppError);
    if (isOurs) world.log.error('import.failed', { deviceId: row.given.deviceId, error: String(error) });
    const detail = isOurs ? 'could not be done: the service failed' : `could not be done: ${error.message}`;
    return refusal(row.line, row.given.deviceId, [{ pointer: '', detail }]);
  }
}

/** What would be done with one device, given the records that were read. */
async function planned(
  world: World,
  bearer: Bearer,
  { line, given: { deviceId, ...patch } }: ImportRow,
  { device: stored, tombstone }: RegistryRecords,
  configuration: Configuration,
): Promise<ImportPlan> {
  if (stored ? !maySee(bearer, stored.data.groupId) : bearer.groups !== null) {
    world.trail?.missed();
    return nothing(refusal(line, deviceId, [{ pointer: '/deviceId', detail: 'does not exist in your groups' }]));
  }
  const fault = stored && faultOfMove(bearer, stored.data, patch);
  if (fault) return nothing(refusal(line, deviceId, [fault]));
  const isNew = stored === null;
  const blank = newDevice(deviceId, world.now());
  const before: Device = stored?.data ?? (tombstone ? reborn(blank, tombstone.data) : blank);
  const by = { who: bearer.subject, isNew };
  const outcome = await decided(world, { ...nothingRead, device: stored, configuration }, world.now(), (read, given) =>
    decideRegistration(before, patch, by, read, given),
  );
  if (outcome.kind === 'refused') return nothing(refusal(line, deviceId, outcome.faults));
  if (outcome.kind === 'unchanged') return nothing({ line, deviceId, outcome: 'unchanged' });
  const changes = changesOf(before, outcome.change.device ?? before);
  const answer: ImportResult = { line, deviceId, outcome: isNew ? 'created' : 'changed', changes };
  return { ...outcome, writes: [...outcome.writes, ...lifting(tombstone)], answer };
}

function lifting(tombstone: Stored<'tombstones'> | null): Write[] {
  return tombstone ? [{ kind: 'delete', in: 'tombstones', id: tombstone.id, revision: tombstone.revision }] : [];
}

function nothing(answer: ImportResult): ImportPlan {
  return { writes: [], wakes: [], answer };
}

function refusal(line: number, deviceId: string | null, errors: Fault[]): ImportResult {
  return { line, deviceId, outcome: 'refused', errors };
}

function countsOf(results: readonly ImportResult[]): ImportAnswer['counts'] {
  const count = (name: ImportOutcome) => results.filter(({ outcome }) => outcome === name).length;
  return Object.fromEntries(importOutcomes.map((name) => [name, count(name)])) as ImportAnswer['counts'];
}
