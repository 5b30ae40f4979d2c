import { type Client, WatchpostError } from '../../../sdk/typescript/src/index.ts';
import { builtInSchedules } from '../../../shared/schema/vocabulary.ts';
import { nearest } from '../usage.ts';
import type { Fault, Kind, Path, Reference, Shown } from './kinds/kind.ts';

/** A record before and after the plan. Null: it does not exist then. `path`: where the file describes it. */
export type Fate = { kind: Kind; name: string; path: Path | null; before: Shown | null; after: Shown | null };

type Names = Record<'team' | 'schedule', ReadonlySet<string>>;

/**
 * Names of teams and schedules that do not exist after the plan.
 * @returns faults, and notices for names that did not exist before either, which the plan does not make worse
 */
export function checkedReferences(fates: readonly Fate[]): { faults: Fault[]; notices: Fault[] } {
  const [before, after] = (['before', 'after'] as const).map((when) => namesOf(fates, when)) as [Names, Names];
  const faults: Fault[] = [];
  const notices: Fault[] = [];
  for (const fate of fates) {
    const old = new Set(missing(fate, 'before', before).map(({ to, name }) => `${to} ${name}`));
    for (const reference of missing(fate, 'after', after)) {
      const isOld = old.has(`${reference.to} ${reference.name}`);
      (isOld ? notices : faults).push(faultOf(fate, reference, after));
    }
  }
  return { faults, notices };
}

function namesOf(fates: readonly Fate[], when: 'before' | 'after'): Names {
  const teams = fates.filter((fate) => fate.kind.section === 'teams' && fate[when]).map(({ name }) => name);
  const settings = fates.find(({ kind }) => kind.section === 'settings')?.[when] ?? {};
  const schedules = Object.keys((settings['schedules'] ?? {}) as object);
  return { team: new Set(teams), schedule: new Set([...builtInSchedules, ...schedules]) };
}

function missing(fate: Fate, when: 'before' | 'after', names: Names): Reference[] {
  const shown = fate[when];
  if (!shown) return [];
  return fate.kind.references(shown).filter(({ to, name }) => to !== 'group' && !names[to].has(name));
}

function faultOf({ kind, name: owner, path }: Fate, { to, name, path: inner }: Reference, names: Names): Fault {
  if (to === 'group') throw new TypeError('Groups are checked apart.');
  if (path === null) {
    const detail = `would leave ${kind.section} "${owner}" with ${inner.join('.')} "${name}": there would be no such ${to}`;
    return { path: [`${to === 'team' ? 'teams' : 'settings'}`], detail };
  }
  const near = nearest(name, [...names[to]]);
  const hint = near === null ? '' : `: did you mean "${near}"?`;
  return { path: [...path, ...inner], detail: `names a ${to} that does not exist: "${name}"${hint}` };
}

/**
 * Names of device groups without devices in records that the plan writes. They are no faults: a configuration may come before its devices.
 */
export async function groupNotices(client: Client, fates: readonly Fate[]): Promise<Fault[]> {
  const named = fates.flatMap(({ kind, path, after }) =>
    path === null || !after
      ? []
      : kind
          .references(after)
          .flatMap(({ to, name, path: inner }) => (to === 'group' ? [{ name, path: [...path, ...inner] }] : [])),
  );
  const isEmpty = new Map<string, boolean>();
  try {
    for (const { name } of named) {
      if (isEmpty.has(name)) continue;
      const { data } = await client.call('listDevices', { query: { groupId: [name], pageSize: 1 } });
      isEmpty.set(name, data.devices.length === 0);
    }
  } catch (error) {
    // Without the right to read devices there is nothing to compare with.
    if (!(error instanceof WatchpostError) || error.code !== 'forbidden') throw error;
  }
  return named
    .filter(({ name }) => isEmpty.get(name))
    .map(({ name, path }) => ({ path, detail: `names a group without devices: "${name}"` }));
}
