import type { Configuration } from '../../domain/notify/configuration.ts';
import { emptyTeam } from '../../domain/notify/team.ts';
import { restoredId } from '../../domain/restored/restored.ts';
import { inOrder } from '../../domain/settings/rules.ts';
import { defaultSettings, operationsTeam } from '../../domain/settings/settings.ts';
import { type Instant, msBetween } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import type { Bearer } from '../bearer.ts';
import { put } from '../commit/commit.ts';
import { type Reads, rootOf, type Store, type Stored, type World, type Write } from '../ports.ts';

const revisionId = 'configuration';
/** A use case reads this together with its own records, to know whether a cached configuration is still valid. */
export const configurationIds: { revisions: readonly string[] } = { revisions: [revisionId] };
/** More records of one kind than this cannot be created, so that the configuration stays small. */
export const maxWebhooks = 1000;
export const maxRules = 500;
export const maxTeams = 200;
export const maxWindows = 500;

/** Endpoints that receive events about one group's devices, and rules, windows and mailed reports about one group. */
export const quotas = { webhooks: 50, rules: 100, windows: 100, reports: 20 } as const;

/** Configurations by the store that they came from. Use cases of one process share them. */
const cache = new WeakMap<Store, { count: number; checkedAt: Instant | null; configuration: Promise<Configuration> }>();

/** The present configuration. A call costs one read, of its revision. The rest is loaded again only when a commit has changed it. */
export async function loadConfiguration({ store }: Pick<World, 'store'>): Promise<Configuration> {
  const [revision = null] = await store.get('revisions', [revisionId]);
  return configurationAt(store, revision);
}

/** The configuration of at most a minute ago, where this process has it without a read. */
export async function knownConfiguration({
  store,
  now,
  waits,
}: Pick<World, 'store' | 'now' | 'waits'>): Promise<Configuration | null> {
  const known = cache.get(rootOf(store));
  const age = known?.checkedAt ? msBetween(known.checkedAt, now()) : null;
  return known && age !== null && age >= 0 && age < waits.settingsFresh ? known.configuration : null;
}

/** The configuration that this process has, however old it is, without a read. */
export async function earlierConfiguration({ store }: Pick<World, 'store'>): Promise<Configuration | null> {
  return cache.get(rootOf(store))?.configuration ?? null;
}

/**
 * The configuration where the copy of this process is old. A fleet in which nothing happens must notice changed limits too, and a read for each process
 * now and then costs nothing. Null: it has a recent copy, or none at all.
 */
export async function overdueConfiguration(
  world: Pick<World, 'store' | 'now' | 'waits'>,
): Promise<Configuration | null> {
  const known = cache.get(rootOf(world.store));
  if (!known || (known.checkedAt && msBetween(known.checkedAt, world.now()) < world.waits.settingsOverdue)) return null;
  return recentConfiguration(world);
}

/** The configuration of at most a minute ago, for work that is too frequent to check each time whether it has changed. */
export async function recentConfiguration(world: Pick<World, 'store' | 'now' | 'waits'>): Promise<Configuration> {
  const known = await knownConfiguration(world);
  if (known) return known;
  const checkedAt = world.now();
  const configuration = await loadConfiguration(world);
  const loaded = cache.get(rootOf(world.store));
  if (loaded) cache.set(rootOf(world.store), { ...loaded, checkedAt });
  return configuration;
}

/** The configuration as of the time at which its revision was read. */
export async function configurationAt(store: Store, revision: Stored<'revisions'> | null): Promise<Configuration> {
  const count = revision?.data.count ?? 0;
  const known = cache.get(rootOf(store));
  if (known?.count === count) return known.configuration;
  const { checkedAt = null } = known ?? {};
  // Read after the revision: newer data under an older number is only loaded once more, but older data under a newer number would be wrong.
  const configuration = readAll(store);
  cache.set(rootOf(store), { count, checkedAt, configuration });
  configuration.catch(() => cache.delete(rootOf(store)));
  return configuration;
}

async function readAll(store: Store): Promise<Configuration> {
  const [webhooks, rules, teams, windows, [settings = null], [restored = null]] = await Promise.all([
    store.find({ in: 'webhooks', orderBy: [['createdAt', 'asc']], limit: maxWebhooks }),
    store.find({ in: 'rules', limit: maxRules }),
    store.find({ in: 'teams', limit: maxTeams }),
    store.find({ in: 'windows', where: [{ field: 'isOver', is: '==', value: false }], limit: maxWindows }),
    store.get('settings', ['settings']),
    store.get('platform', [restoredId]),
  ]);
  const named = [emptyTeam(operationsTeam), ...teams.map(({ data }) => data)];
  const { version: _, ...given } = { version: 0, ...defaultSettings, ...settings?.data };
  return {
    webhooks: webhooks.map(({ data }) => data),
    rules: inOrder(rules.map(({ data }) => data)),
    teams: new Map(named.map((team) => [team.name, team])),
    windows: windows.map(({ data }) => data),
    settings: given,
    restored: restored?.data.kind === 'restored' ? restored.data : null,
  };
}

/** The write that makes each cached configuration stale. It is part of each commit that changes the configuration. */
export async function revisionWrite(store: Store): Promise<Write> {
  const [revision = null] = await store.get('revisions', [revisionId]);
  if (!revision) return { kind: 'create', in: 'revisions', id: revisionId, data: { count: 1 } };
  return { kind: 'patch', in: 'revisions', id: revisionId, set: {}, add: { count: 1 } };
}

/**
 * The configuration, and the write that makes each cached configuration stale and fails where another change came first. A count before the
 * write is therefore still true when it is written.
 */
export async function lockedConfiguration({ store }: Pick<World, 'store'>): Promise<[Configuration, Write]> {
  const [revision = null] = await store.get('revisions', [revisionId]);
  const configuration = await configurationAt(store, revision);
  return [configuration, put('revisions', revisionId, { count: (revision?.data.count ?? 0) + 1 }, revision)];
}

/**
 * The groups of a limited bearer, among those that records name, in which there is no device. A token may name any number of such groups, so they
 * share one quota. A group that got its first device a moment ago may still be among them.
 */
export async function emptyGroups(
  { store }: Reads<'fleetSummaries'>,
  { groups }: Pick<Bearer, 'groups'>,
  records: readonly (readonly string[])[],
): Promise<ReadonlySet<string>> {
  const named = new Set(records.flat());
  const asked = groups?.filter((group) => named.has(group)) ?? [];
  const summaries = await store.get('fleetSummaries', asked);
  return new Set(asked.filter((_, index) => !((summaries[index]?.data.counts['total'] ?? 0) > 0)));
}

/**
 * @param groups groups of the record; `before` those that it had: they are not counted again
 * @param others the groups of each other record of its kind
 * @param empty groups that count as one
 * @throws AppError `quota-exceeded` that names the group
 */
export function requireQuota(
  kind: keyof typeof quotas,
  {
    groups,
    before = [],
    others,
  }: { groups: readonly string[]; before?: readonly string[]; others: readonly (readonly string[])[] },
  empty: ReadonlySet<string> = new Set(),
): void {
  const countedAs = (group: string) => (empty.has(group) ? '' : group);
  const known = new Set(before.map(countedAs));
  for (const group of groups) {
    const counted = countedAs(group);
    if (known.has(counted)) continue;
    const count = others.filter((each) => each.some((other) => countedAs(other) === counted)).length;
    if (count < quotas[kind]) continue;
    const who = empty.has(group)
      ? 'Your groups without devices together already have'
      : `The group ${group} already has`;
    throw new AppError('quota-exceeded', `${who} ${count} ${kind}, the maximum.`, {
      members: { groupId: group, quota: quotas[kind] },
    });
  }
}
