import type { Client } from '../../../sdk/typescript/src/index.ts';
import type { ConfigurationFile } from './document.ts';
import {
  type Existing,
  type IfMatch,
  type Kind,
  type Path,
  type Secrets,
  type Shown,
  Unmet,
  type Versioned,
  type Wanted,
} from './kinds/kind.ts';
import { kinds } from './kinds/kinds.ts';
import { type Match, matchesOf } from './matching.ts';
import { canonical } from './merge.ts';
import { checkedReferences, type Fate, groupNotices } from './references.ts';
import type { Wish } from './wishes.ts';

/** One change that `apply` makes. */
export type Step = {
  action: 'create' | 'change' | 'rotate' | 'delete';
  kind: string;
  name: string;
  changes: { member: string; before: unknown; after: unknown }[];
};
/** A step with the function that performs it. */
export type PlannedStep = { step: Step; act: (client: Client) => Promise<unknown> };
/** `notices`: what a person should look at, although it can be applied. */
export type Plan = { steps: PlannedStep[]; notices: string[] };

type Options = { file: ConfigurationFile; wishes: readonly Wish[]; isPruned: boolean; secrets: Secrets };

/**
 * All differences between the service and the file, in the order in which they are applied.
 * @throws UsageError for what cannot be done
 */
export async function planOf(client: Client, { file, wishes, isPruned, secrets }: Options): Promise<Plan> {
  const state = await stateOf(client, file, wishes, isPruned);
  const fates = fatesOf(state);
  const { faults, notices } = checkedReferences(fates);
  if (faults.length > 0) throw file.faults(faults);

  const steps: PlannedStep[] = [];
  const later: PlannedStep[] = [];
  const written: Fate[] = [];
  const teams = new Set(state.existing.get('teams')?.map(({ key }) => key));
  for (const { kind, matches } of state.wished) {
    for (const match of teamsFirst(matches, teams)) {
      const found = await guarded(file, match.path, () => stepsOf(client, match, teams, secrets));
      steps.push(...found.now);
      later.push(...found.later);
      if (found.now.length > 0) written.push(...fates.filter(({ path }) => path === match.path));
      if (kind.section === 'teams') teams.add(String(match.whole[kind.key]));
    }
  }
  steps.push(...later);
  for (const { kind, removed } of state.wished.toReversed()) {
    for (const existing of removed.toReversed()) steps.push(await removalOf(client, kind, existing));
  }
  const seen = [...notices, ...(await groupNotices(client, written))];
  return { steps, notices: seen.length === 0 ? [] : file.faults(seen).message.split('\n') };
}

/** What the service has, and what the file makes of it. */
type State = {
  existing: ReadonlyMap<string, readonly Existing[]>;
  wished: { kind: Kind; matches: Match[]; removed: Existing[] }[];
};

async function stateOf(
  client: Client,
  file: ConfigurationFile,
  wishes: readonly Wish[],
  isPruned: boolean,
): Promise<State> {
  const existing = new Map<string, readonly Existing[]>();
  // All kinds, because those that the file does not contain may name what it removes.
  for (const kind of kinds) existing.set(kind.section, await kind.list(client));
  const isRemoved = (kind: Kind, each: Existing) =>
    isPruned && kind.remove && !kind.isForeign?.(each) && !kind.isPermanent?.(each);
  const wished = wishes.map(({ kind, items }) => {
    const { matches, left } = matchesOf({ kind, items }, existing.get(kind.section) ?? [], file);
    return { kind, matches, removed: [...left].filter((each) => isRemoved(kind, each)) };
  });
  return { existing, wished };
}

function fatesOf({ existing, wished }: State): Fate[] {
  return kinds.flatMap((kind): Fate[] => {
    const { matches = [], removed = [] } = wished.find((each) => each.kind === kind) ?? {};
    const others = (existing.get(kind.section) ?? []).filter(
      (each) => !kind.isOver?.(each) && !matches.some((match) => match.existing === each),
    );
    return [
      ...matches.map((match) => ({
        kind,
        name: String(match.whole[kind.key]),
        path: match.path,
        before: match.existing?.shown ?? null,
        after: match.whole,
      })),
      ...others.map((each) => ({
        kind,
        name: each.key,
        path: null,
        before: each.shown,
        after: removed.includes(each) ? null : each.shown,
      })),
    ];
  });
}

const teamsNamed = ({ kind, whole }: Match) =>
  kind.references(whole).flatMap(({ to, name }) => (to === 'team' && name !== whole[kind.key] ? [name] : []));

/** Records in the order of the file, but after the teams that they name. In a cycle, the first one comes first. */
function teamsFirst(matches: readonly Match[], known: ReadonlySet<string>): Match[] {
  const waiting = [...matches];
  const ordered: Match[] = [];
  const there = new Set(known);
  while (waiting.length > 0) {
    const isReady = (match: Match) => teamsNamed(match).every((name) => there.has(name));
    const [next] = waiting.splice(Math.max(0, waiting.findIndex(isReady)), 1);
    if (!next) break;
    there.add(String(next.whole[next.kind.key]));
    ordered.push(next);
  }
  return ordered;
}

/** @returns steps for now, and for when all teams exist @throws Unmet */
async function stepsOf(
  client: Client,
  { kind, existing: listed, whole }: Match,
  teams: ReadonlySet<string>,
  secrets: Secrets,
): Promise<{ now: PlannedStep[]; later: PlannedStep[] }> {
  const nothing = { now: [], later: [] };
  if (listed && changesOf(kind.wanted(whole, listed, secrets)).length === 0) return nothing;
  const { existing, etag } = listed ? await kind.get(client, listed.id) : { existing: null, etag: null };
  const name = kind.isSingle ? kind.section : String(whole[kind.key]);
  const record: Written = { kind, name, whole, isMade: existing !== null, version: null };
  if (existing) record.version = { id: existing.id, etag };
  const wanted = kind.wanted(whole, existing, secrets);
  if (teamsNamed({ kind, path: [], existing, whole }).every((team) => teams.has(team)))
    return { now: stepsTo(record, wanted), later: [] };
  const first: Shown = { ...whole };
  for (const member of kind.namesTeams ?? []) {
    const before = existing?.shown[member];
    if (before === undefined) delete first[member];
    else first[member] = before;
  }
  const early = kind.wanted(first, existing, secrets);
  return { now: stepsTo(record, early), later: stepsTo(record, { ...wanted, before: early.shown }) };
}

/** A record on its way through its steps. `version`: that which the next step requires; null: it is created first. */
type Written = { kind: Kind; name: string; whole: Shown; isMade: boolean; version: Versioned | null };

/** The steps to a state. Each requires the version that the one before it left. @throws Unmet */
function stepsTo(record: Written, wanted: Wanted): PlannedStep[] {
  const { kind, name, whole } = record;
  const { rotation } = wanted;
  const changes = changesOf(wanted);
  const plain = changes.filter(({ member }) => member !== rotation?.member);
  const steps: PlannedStep[] = [];
  if (plain.length > 0) {
    const body = wanted.body(new Set(plain.map(({ member }) => member)));
    const action = record.isMade ? 'change' : 'create';
    record.isMade = true;
    const act = async (api: Client) => {
      const { version } = record;
      record.version = version
        ? await kind.change(api, version.id, body, ifMatch(version))
        : await kind.create(api, whole, body);
    };
    steps.push({ step: { action, kind: kind.section, name, changes: plain }, act });
  }
  if (rotation && plain.length < changes.length) {
    const act = async (api: Client) => {
      if (record.version) record.version = await rotation.act(api, record.version.id, ifMatch(record.version));
    };
    const rotated = changes.filter(({ member }) => member === rotation.member);
    steps.push({ step: { action: 'rotate', kind: kind.section, name, changes: rotated }, act });
  }
  return steps;
}

function ifMatch({ etag }: Versioned): IfMatch {
  return etag === null ? {} : { ifMatch: etag };
}

async function removalOf(client: Client, kind: Kind, { id, key }: Existing): Promise<PlannedStep> {
  const { existing, etag } = await kind.get(client, id);
  const changes = changesOf({ before: existing.shown, shown: {} });
  const step: Step = { action: 'delete', kind: kind.section, name: key, changes };
  return { step, act: async (api) => kind.remove?.(api, id, ifMatch({ id, etag })) };
}

function changesOf({ before, shown }: Pick<Wanted, 'before' | 'shown'>): Step['changes'] {
  return [...new Set([...Object.keys(before), ...Object.keys(shown)])]
    .filter((member) => canonical(before[member]) !== canonical(shown[member]))
    .map((member) => ({ member, before: before[member] ?? null, after: shown[member] ?? null }));
}

async function guarded<T>(file: ConfigurationFile, path: Path, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Unmet)) throw error;
    throw file.faults([{ path: [...path, ...error.path], detail: error.message }]);
  }
}
