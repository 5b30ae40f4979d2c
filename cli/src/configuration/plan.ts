import type { Client } from '../../../sdk/typescript/src/index.ts';
import type { ConfigurationFile } from './document.ts';
import { type Existing, type Kind, MissingSecret, type Secrets, type Shown } from './kind.ts';
import type { Wish } from './wishes.ts';

/** One change that `apply` makes. */
export type Step = {
  action: 'create' | 'change' | 'delete';
  kind: string;
  name: string;
  changes: { member: string; before: unknown; after: unknown }[];
};
/** A step with the function that performs it. */
export type PlannedStep = { step: Step; act: (client: Client) => Promise<unknown> };

type Options = { file: ConfigurationFile; wishes: readonly Wish[]; isPruned: boolean; secrets: Secrets };

/**
 * All differences between the service and the file, in the order in which they are applied.
 * @throws UsageError for what cannot be done
 */
export async function planOf(client: Client, { file, wishes, isPruned, secrets }: Options): Promise<PlannedStep[]> {
  const makes: PlannedStep[] = [];
  const removes: PlannedStep[] = [];
  for (const { kind, items } of wishes) {
    const left = new Set(await kind.list(client));
    const known = new Set([...left].map(({ key }) => key));
    const matched = inOrder(kind, items, known).map((wanted) => ({
      ...wanted,
      existing: matchOf(kind, wanted, left, file),
    }));
    for (const { item, path, existing } of matched) {
      const step = await guarded(file, path, () => stepOf(client, kind, item, existing, secrets));
      if (step) makes.push(step);
    }
    if (!isPruned || !kind.remove) continue;
    for (const existing of left) if (!kind.isKept?.(existing)) removes.unshift(await removalOf(client, kind, existing));
  }
  return [...makes, ...removes];
}

/** Items in the order of the file, but after the items that they need. In a cycle, the first item comes first. */
function inOrder(kind: Kind, items: Wish['items'], known: Set<string>): Wish['items'] {
  const waiting = [...items];
  const ordered: Wish['items'] = [];
  while (waiting.length > 0) {
    const isReady = ({ item }: Wish['items'][number]) =>
      (kind.needs?.(item) ?? []).every((key) => known.has(key) || key === item[kind.key]);
    const [next] = waiting.splice(Math.max(0, waiting.findIndex(isReady)), 1);
    if (!next) break;
    known.add(String(next.item[kind.key]));
    ordered.push(next);
  }
  return ordered;
}

/**
 * Finds the record of an item and removes it from `left`. Null: it must be created.
 * @throws UsageError if the id is unknown, or the name fits several records
 */
function matchOf(
  { section, key, id, isSingle }: Kind,
  { item, path }: Wish['items'][number],
  left: Set<Existing>,
  file: ConfigurationFile,
): Existing | null {
  const wantedId = id ? item[id] : undefined;
  const found = [...left].filter(
    (each) => isSingle || (wantedId === undefined ? each.key === item[key] : each.id === wantedId),
  );
  const [first = null] = found;
  if (wantedId !== undefined && !first)
    throw file.faults([{ path: [...path, id ?? ''], detail: `is not the id of any of the ${section}` }]);
  if (found.length > 1) {
    const detail = `names ${found.length} of the ${section} there are: say which by ${id} (${found.map((each) => each.id).join(', ')})`;
    throw file.faults([{ path: [...path, key], detail }]);
  }
  if (first) left.delete(first);
  return first;
}

async function stepOf(
  client: Client,
  kind: Kind,
  item: Shown,
  listed: Existing | null,
  secrets: Secrets,
): Promise<PlannedStep | null> {
  const name = kind.isSingle ? kind.section : String(item[kind.key]);
  if (!listed) {
    const wanted = kind.wanted(item, null, secrets);
    const body = wanted.body();
    const step: Step = { action: 'create', kind: kind.section, name, changes: changesOf({}, wanted.shown) };
    return { step, act: (api) => kind.create(api, item, body) };
  }
  if (changesOf(comparable(kind, listed.shown), kind.wanted(item, listed, secrets).shown).length === 0) return null;
  const { existing, etag } = await kind.get(client, listed.id);
  const wanted = kind.wanted(item, existing, secrets);
  const changes = changesOf(comparable(kind, existing.shown), wanted.shown);
  if (changes.length === 0) return null;
  const body = wanted.body();
  const step: Step = { action: 'change', kind: kind.section, name, changes };
  return { step, act: (api) => kind.change(api, existing.id, body, etag === null ? {} : { ifMatch: etag }) };
}

async function removalOf(client: Client, kind: Kind, { id, key }: Existing): Promise<PlannedStep> {
  const { existing, etag } = await kind.get(client, id);
  const changes = changesOf(comparable(kind, existing.shown), {});
  const step: Step = { action: 'delete', kind: kind.section, name: key, changes };
  return { step, act: async (api) => kind.remove?.(api, id, etag === null ? {} : { ifMatch: etag }) };
}

/** Leaves out the ids of chats, because the service assigns them. */
function comparable({ section }: Kind, shown: Shown): Shown {
  if (section !== 'teams') return shown;
  const chats = (shown['chats'] as { kind: string; url: string }[]).map(({ kind, url }) => ({ kind, url }));
  return { ...shown, chats };
}

function changesOf(before: Shown, after: Shown): Step['changes'] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((member) => canonical(before[member]) !== canonical(after[member]))
    .map((member) => ({ member, before: before[member] ?? null, after: after[member] ?? null }));
}

/** A text that is the same for equal values, whatever the order of their members. Undefined counts as null. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

async function guarded<T>(file: ConfigurationFile, path: (string | number)[], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof MissingSecret)) throw error;
    throw file.faults([{ path: [...path, ...error.path], detail: error.message }]);
  }
}
