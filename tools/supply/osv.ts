import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Unzip, UnzipInflate } from 'fflate';

/** The members of an OSV record (ossf.github.io/osv-schema) that tell which versions it is about. */
type Range = { type: string; events: Partial<Record<'introduced' | 'fixed' | 'last_affected' | 'limit', string>>[] };
export type OsvRecord = {
  id: string;
  withdrawn?: string;
  summary?: string;
  affected?: { package?: { ecosystem: string; name: string }; ranges?: Range[]; versions?: string[] }[];
};
export type Component = { name: string; version: string };

const chunkBytes = 65_536;

/** The records of OSV's export of an ecosystem: a folder of JSON files, or the archive `npm/all.zip`. */
export function* recordsOf(path: string): Generator<OsvRecord> {
  if (statSync(path).isDirectory()) {
    for (const file of readdirSync(path).filter((name) => name.endsWith('.json')))
      yield JSON.parse(readFileSync(join(path, file), 'utf8')) as OsvRecord;
  } else {
    // One record after the other: all of npm together would not fit into memory.
    const ready: OsvRecord[] = [];
    const archive = new Unzip((file) => {
      const parts: Uint8Array[] = [];
      file.ondata = (error, data, isLast) => {
        if (error) throw error;
        parts.push(data);
        if (isLast && file.name.endsWith('.json')) ready.push(JSON.parse(Buffer.concat(parts).toString('utf8')));
      };
      file.start();
    });
    archive.register(UnzipInflate);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      archive.push(bytes.subarray(at, at + chunkBytes), at + chunkBytes >= bytes.length);
      yield* ready.splice(0);
    }
  }
}

/** The packages of a CycloneDX bill. */
export function componentsOf(bill: string): Component[] {
  const { components } = JSON.parse(bill) as { components: { group?: string; name: string; version: string }[] };
  return components.map(({ group, name, version }) => ({ name: group ? `${group}/${name}` : name, version }));
}

/** Whether a record that is in force is about this version. */
export function isAffected({ name, version }: Component, { withdrawn, affected = [] }: OsvRecord): boolean {
  if (withdrawn !== undefined) return false;
  return affected.some(({ package: of, ranges = [], versions = [] }) => {
    if (of?.ecosystem !== 'npm' || of.name !== name) return false;
    return versions.includes(version) || ranges.some((range) => isWithin(version, range));
  });
}

/** The evaluation of the schema: the events in the order of their versions, each of which turns it on or off. */
function isWithin(version: string, { type, events }: Range): boolean {
  if (type === 'GIT') return false;
  const sorted = events
    .flatMap((event) => Object.entries(event) as [string, string][])
    .filter(([kind]) => kind !== 'limit')
    .toSorted((a, b) => compared(a[1], b[1]) || (a[0] === 'introduced' ? 1 : -1));
  // An event takes effect from its version on, and the last affected version is still affected.
  const reached = sorted.filter(([kind, at]) => compared(version, at) >= (kind === 'last_affected' ? 1 : 0));
  return reached.at(-1)?.[0] === 'introduced';
}

/** The precedence of Semantic Versioning 2.0.0, section 11. "0" is before every version. */
export function compared(a: string, b: string): number {
  if (a === '0' || b === '0') return Number(a !== '0') - Number(b !== '0');
  const [one, two] = [partsOf(a), partsOf(b)];
  for (const [at, number] of one.core.entries()) {
    const other = two.core[at] ?? 0;
    if (number !== other) return number < other ? -1 : 1;
  }
  if (one.pre.length === 0 || two.pre.length === 0) return Number(one.pre.length === 0) - Number(two.pre.length === 0);
  for (let at = 0; at < Math.max(one.pre.length, two.pre.length); at += 1) {
    const difference = comparedParts(one.pre[at], two.pre[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** One identifier of a pre-release. None is before any, and a number before a text. */
function comparedParts(left: string | undefined, right: string | undefined): number {
  if (left === right) return 0;
  if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
  const [isNumber, isOther] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  if (isNumber && Number(left) !== Number(right)) return Number(left) < Number(right) ? -1 : 1;
  return left < right ? -1 : 1;
}

function partsOf(version: string): { core: number[]; pre: string[] } {
  const [, core = '', pre = ''] = /^v?([\d.]+)(?:-([^+]*))?/.exec(version) ?? [];
  const numbers = core.split('.').map(Number);
  return { core: [0, 1, 2].map((at) => numbers[at] ?? 0), pre: pre === '' ? [] : pre.split('.') };
}
