/** Members of a record by their path, with their values as JSON. */
type Members = Map<string, string>;
/** Records by kind and id. */
export type Tables = Map<string, Map<string, Members>>;

/** Sealed members: their values contain a random number. */
const unstable = /^(sealed|.*\.sealed)/;

/** Reads the snapshot of an in-process store. @param leftOut kinds that do not matter */
export function tablesOf(snapshot: string, leftOut: readonly string[]): Tables {
  const { tables } = JSON.parse(snapshot) as { tables: [string, [string, unknown][]][] };
  return new Map(
    tables
      .filter(([kind]) => !leftOut.includes(kind))
      .map(([kind, rows]) => [kind, new Map(rows.map(([id, data]) => [id, new Map(membersOf('', data))]))]),
  );
}

/** Each member by its path. What is null or empty is left out. */
export function membersOf(path: string, value: unknown): [string, string][] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value) && value.length === 0) return [];
  const isList = Array.isArray(value) && value.every((each) => typeof each !== 'object');
  if (typeof value !== 'object' || isList) return [[path, unstable.test(path) ? '"sealed"' : JSON.stringify(value)]];
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, each]) => membersOf(path === '' ? name : `${path}.${name}`, each));
}

/** Lines about each record that changed: its members before and after. */
export function changesOf(before: Tables, after: Tables): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((kind) => {
    const [old, now] = [before.get(kind) ?? new Map(), after.get(kind) ?? new Map()];
    return [...new Set([...old.keys(), ...now.keys()])].toSorted().flatMap((id: string) => {
      if (!now.has(id)) return [`- ${kind} ${id}`];
      const [was, is] = [old.get(id), now.get(id) ?? new Map()];
      if (!was) return [`+ ${kind} ${id}`, ...created([...withoutRepeats(kind, is, after)])];
      const members = memberChanges(was, is);
      return members.length > 0 ? [`~ ${kind} ${id}`, ...members] : [];
    });
  });
}

/** For each kind of trail entries: the kind of the records that it belongs to, and the member with their id. */
const trails = new Map([
  ['audit', { of: 'alerts', by: 'alertId' }],
  ['incidentAudit', { of: 'incidents', by: 'incidentId' }],
]);

/** A new trail entry. Changed members whose value equals that of the record are listed by name only; others keep their value. */
function withoutRepeats(kind: string, line: Members, records: Tables): Members {
  const trail = trails.get(kind);
  if (!trail) return line;
  const owner = records.get(trail.of)?.get(JSON.parse(line.get(trail.by) ?? '""'));
  const isRepeat = ([path, value]: [string, string]) =>
    path.startsWith('changes.') && owner?.get(path.slice('changes.'.length)) === value;
  const [repeats, others] = [[...line].filter(isRepeat), [...line].filter((each) => !isRepeat(each))];
  return new Map([...others, ['sets', repeats.map(([path]) => path.slice('changes.'.length)).join(' ')]]);
}

/** The members of a new record or a message, those of one nested member on one line. */
export function created(members: readonly [path: string, value: string][]): string[] {
  const lines = Map.groupBy(members, ([path]) => path.split('.', 1)[0] ?? '');
  return [...lines].map(([name, nested]) => {
    const values = nested.map(([path, value]) => (path === name ? value : `${path.slice(name.length + 1)}=${value}`));
    return `    ${name}: ${values.join(' ')}`;
  });
}

function memberChanges(old: Members, now: Members): string[] {
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const [was, is] = [old.get(path), now.get(path)];
    if (was === is) return [];
    return [was === undefined ? `    ${path}: ${is}` : `    ${path}: ${was} -> ${is ?? 'nothing'}`];
  });
}
