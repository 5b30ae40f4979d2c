import type { Actor } from '../domain/lifecycle.ts';
import { retention } from '../domain/limits.ts';
import type { RuleRecord } from '../domain/rules.ts';
import { defaultSettings, operationsTeam } from '../domain/settings.ts';
import { emptyTeam, type TeamRecord } from '../domain/team.ts';
import { type Instant, plus } from '../domain/time.ts';
import type { Settings } from '../schema/settings.ts';
import type { Kind, Store, World, Write } from './ports.ts';

/** What people have configured, as decisions need it. Rules are in order of their names. */
export type Configuration = {
  rules: readonly RuleRecord[];
  teams: ReadonlyMap<string, TeamRecord>;
  settings: Settings;
};

/** More of one kind than this is refused when it is created. */
export const mostRecords = { rules: 500, teams: 200 } as const;

type Copy = { revision: number; configuration: Configuration };
const copies = new WeakMap<Store, Copy>();

/** The configuration as it stands now. Costs one read; the rest is read again only where something has changed. */
export async function loadConfiguration({ store }: Pick<World, 'store'>): Promise<Configuration> {
  const [stored = null] = await store.get('revisions', ['configuration']);
  const revision = stored?.data.revision ?? 0;
  const known = copies.get(store);
  if (known?.revision === revision) return known.configuration;
  const configuration = await readAll(store);
  copies.set(store, { revision, configuration });
  return configuration;
}

/** The write that belongs into every commit that changes configuration: all copies of it are read again. */
export function configurationChanged(): Write {
  return { kind: 'accrue', in: 'revisions', id: 'configuration', set: {}, add: { revision: 1 } };
}

/** Who changed which piece of configuration, when and to what: kept beside the trails of the alerts. */
export function configurationAudit(
  { kind, id, version }: { kind: string; id: string; version: number },
  who: Actor,
  action: 'create' | 'put' | 'delete',
  at: Instant,
  after: object | null,
): Write {
  const entryId = `${kind}-${id}-${String(version).padStart(6, '0')}-${Date.parse(at)}`;
  const data = { entryId, kind, id, version, who, action, at, after, expireAt: plus(at, retention.audit) };
  return { kind: 'create', in: 'configurationAudit', id: entryId, data };
}

async function readAll(store: Store): Promise<Configuration> {
  const [rules, teams, [settings = null]] = await Promise.all([
    records(store, 'rules', mostRecords.rules),
    records(store, 'teams', mostRecords.teams),
    store.get('settings', ['settings']),
  ]);
  const byName = new Map(teams.map((team) => [team.name, team]));
  if (!byName.has(operationsTeam)) byName.set(operationsTeam, emptyTeam(operationsTeam));
  const { version: _, ...given } = settings?.data ?? { ...defaultSettings, version: 0 };
  return {
    rules: rules.toSorted((a, b) => (a.name === b.name ? (a.ruleId < b.ruleId ? -1 : 1) : a.name < b.name ? -1 : 1)),
    teams: byName,
    settings: given,
  };
}

async function records<K extends Kind>(store: Store, kind: K, limit: number) {
  return (await store.find({ in: kind, limit })).map(({ data }) => data);
}
