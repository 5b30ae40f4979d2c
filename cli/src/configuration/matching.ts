import { faultsOf } from '../../../shared/schema/validate.ts';
import type { ConfigurationFile } from './document.ts';
import type { Existing, Fault, Kind, Path, Shown } from './kinds/kind.ts';
import { canonical, merged } from './merge.ts';
import type { Wish } from './wishes.ts';

/** A record of a file with the record that it describes. `existing` null: it must be created. */
export type Match = { kind: Kind; path: Path; existing: Existing | null; whole: Shown };

/**
 * Finds the record of each item, and completes the item with what the record already has.
 * @returns the matches, and the existing records that no item describes
 * @throws UsageError that names each member at fault
 */
export function matchesOf(
  { kind, items }: Wish,
  existing: readonly Existing[],
  file: ConfigurationFile,
): { matches: Match[]; left: Set<Existing> } {
  const left = new Set(existing);
  const faults: Fault[] = [];
  const matches = items.map(({ item, path }): Match => {
    const { [kind.id ?? '']: _, ...content } = item;
    const over = (base: Shown) => kind.over?.(base, content) ?? merged(base, content, kind.wholes);
    const found = recordOf(kind, { item, path }, left, over, file);
    if (found) left.delete(found);
    const whole = over(found?.shown ?? {});
    faults.push(...faultsOfItem(kind, content, whole).map((fault) => ({ ...fault, path: [...path, ...fault.path] })));
    return { kind, path, existing: found, whole };
  });
  if (faults.length > 0) throw file.faults(faults);
  return { matches, left };
}

/** @throws UsageError if the id is unknown, or the name fits several records */
function recordOf(
  { section, key, id, isSingle, isOver }: Kind,
  { item, path }: Wish['items'][number],
  left: ReadonlySet<Existing>,
  over: (base: Shown) => Shown,
  file: ConfigurationFile,
): Existing | null {
  const wantedId = id ? item[id] : undefined;
  const named = [...left].filter(
    (each) => isSingle || (wantedId === undefined ? each.key === item[key] : each.id === wantedId),
  );
  if (wantedId !== undefined && named.length === 0)
    throw file.faults([{ path: [...path, id ?? ''], detail: `is not the id of any of the ${section}` }]);
  const alive = named.filter((each) => !isOver?.(each));
  if (alive.length > 1) {
    const detail = `names ${alive.length} of the ${section} there are: say which by ${id} (${alive.map((each) => each.id).join(', ')})`;
    throw file.faults([{ path: [...path, key], detail }]);
  }
  const same = named.find(({ shown }) => canonical(over(shown)) === canonical(shown));
  if (alive[0] || same) return alive[0] ?? same ?? null;
  if (wantedId === undefined) return null;
  const detail = `is the id of one of the ${section} that is over: without it a new one is created`;
  throw file.faults([{ path: [...path, id ?? ''], detail }]);
}

function faultsOfItem(kind: Kind, item: Shown, whole: Shown): Fault[] {
  const check = kind.checkable ?? ((record: Shown) => record);
  const nulls = Object.keys(item).filter((name) => item[name] === null);
  const fixed = nulls.filter((name) => !kind.removable.includes(name));
  const kept = fixed.map((name) => ({ path: [name], detail: 'cannot be removed with null' }));
  const members = faultsOf(kind.schema, check(whole)).map(({ pointer, detail }) => ({
    path: partsOf(pointer),
    detail,
  }));
  const others = members.filter(({ path: [first] }) => !fixed.includes(String(first)));
  return [...kept, ...(members.length === 0 ? (kind.faultsWithin?.(whole) ?? []) : []), ...others];
}

function partsOf(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
