import type { ConfigurationFile } from './document.ts';
import type { Fault, Kind, Path, Shown } from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';

/** The wanted records of one kind. A kind that the file does not contain is not changed. */
export type Wish = { kind: Kind; items: { item: Shown; path: Path }[] };

export const formatVersion = 1;

/** The records that a file describes. @throws UsageError that names every member at fault, with line and column */
export function wishesOf(file: ConfigurationFile): Wish[] {
  const { version, ...sections } = file.value;
  const faults: Fault[] = [];
  if (version !== formatVersion)
    faults.push({ path: ['version'], detail: `must be ${formatVersion}, the only one that is known here` });
  const known = kinds.map(({ section }) => section);
  for (const name of Object.keys(sections)) {
    if (!known.includes(name))
      faults.push({ path: [name], detail: `is not known here: there are ${known.join(', ')}` });
  }
  const wishes = kinds.flatMap((kind): Wish[] => {
    const section = sections[kind.section];
    if (section === undefined) return [];
    if (!kind.isSingle && !Array.isArray(section)) {
      faults.push({ path: [kind.section], detail: 'must be a list' });
      return [];
    }
    const items = kind.isSingle
      ? [{ item: section as Shown, path: [kind.section] }]
      : (section as Shown[]).map((item, at) => ({ item, path: [kind.section, at] }));
    return [{ kind, items }];
  });
  for (const wish of wishes) faults.push(...faultsOfWish(wish));
  if (faults.length > 0) throw file.faults(faults);
  return wishes;
}

function faultsOfWish({ kind, items }: Wish): Fault[] {
  const seen = new Set<string>();
  return items.flatMap(({ item, path }): Fault[] => {
    if (typeof item !== 'object' || item === null || Array.isArray(item))
      return [{ path, detail: 'must be a mapping' }];
    const named = kind.isSingle ? [] : faultsOfName(kind, item, path, seen);
    const own = (kind.faultsOf?.(item) ?? []).map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
    return [...named, ...own];
  });
}

function faultsOfName(kind: Kind, item: Shown, path: Path, seen: Set<string>): Fault[] {
  const name = item[kind.key];
  if (typeof name !== 'string' || name === '')
    return [{ path: [...path, kind.key], detail: 'is needed: it names the record' }];
  const id = kind.id ? item[kind.id] : undefined;
  if (id !== undefined && typeof id !== 'string') return [{ path: [...path, kind.id ?? ''], detail: 'must be text' }];
  const place = id ?? name;
  if (seen.has(place)) return [{ path: [...path, kind.key], detail: `appears twice: "${place}"` }];
  seen.add(place);
  return [];
}
