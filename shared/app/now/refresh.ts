import { wholeFleet } from '../../domain/fleet/trends.ts';
import { causesOfAlerts } from '../../domain/now/arrange.ts';
import type { Cause, Messages } from '../../domain/now/cause.ts';
import { cut, merged, type NowRecord } from '../../domain/now/record.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { newestOf } from '../alerts/explain.ts';
import { put } from '../commit/commit.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { Conflict, type Filter, type Stored, type World, type Write } from '../ports.ts';

/** Groups that one query finds. */
const groupsAtOnce = 400;
/** Groups that have something wrong at the same time. */
const mostGroups = 5000;
/** Open alerts of a group that are read, the most urgent first. */
const mostAlerts = 1000;
/** Causes whose messages are looked up when they change, entries of a trail that are read for one, and messages that it names. */
const mostTold = 60;
const mostEntries = 40;
const mostMessages = 12;
/** Interval at which cameras of a site are counted again. */
const countedMs = 60 * 60_000;
/** Interval at which the record of the fleet is made again without a change, in case a process died between two writes. */
const mergedMs = 10 * 60_000;

/** Belongs to the commit that adds up the changes of a group: the record of what is wrong there must be written again. Never conflicts. */
export function markStale(groupId: string): Write {
  return { kind: 'accrue', in: 'now', id: groupId, set: { groupId, isStale: true }, add: {} };
}

/**
 * Writes what is wrong now: the records of groups in which something has changed, and that of the fleet. If a group changes meanwhile, its mark stays,
 * and the next call writes it. Without a change this is one query and one write for the whole fleet.
 * @returns the number of groups that had changed
 */
export async function refreshNow(world: World): Promise<number> {
  const { store } = world;
  const startedAt = world.now();
  let done = 0;
  for (let isMore = true; isMore && done < mostGroups; ) {
    const stale = await store.find({
      in: 'now',
      where: [{ field: 'isStale', is: '==', value: true }],
      limit: groupsAtOnce,
    });
    const groups = stale.filter(({ id }) => id !== wholeFleet);
    // Marked first: a process that merges meanwhile must not clear the mark before these groups are written.
    if (groups.length > 0) await store.commit([markStale(wholeFleet)]);
    await sideBySide(groups, (stored) => refreshGroup(world, stored));
    done += groups.length;
    isMore = stale.length === groupsAtOnce;
  }
  await refreshWhole(world, startedAt);
  return done;
}

async function refreshGroup(world: World, stored: Stored<'now'>): Promise<void> {
  const { store, now } = world;
  const { id: groupId, data: before, revision } = stored;
  const found = await store.find({
    in: 'alerts',
    where: needing(groupId),
    orderBy: [['urgency', 'asc']],
    limit: mostAlerts,
  });
  const alerts = found.map(({ data }) => data);
  const siteIds = [...new Set(alerts.flatMap(({ site }) => site ?? []))];
  const [total, sites, names] = await Promise.all([
    totalOf(world, groupId),
    sitesOf(world, groupId, siteIds, before.sites ?? {}),
    namesOf(world, groupId, siteIds),
  ]);
  const totals = new Map(Object.entries(sites).map(([site, { cameras }]) => [site, cameras]));
  const { causes, rest } = cut(causesOfAlerts(alerts, { groupId, total, totals, names }));
  const told = await withMessages(world, causes, before.causes ?? []);
  const isMore = found.length === mostAlerts;
  const record: NowRecord = { groupId, isStale: false, at: now(), causes: told, rest, isMore, sites };
  const write: Write =
    causes.length === 0 ? { kind: 'delete', in: 'now', id: groupId, revision } : put('now', groupId, record, stored);
  await unlessChanged(store.commit([write]));
}

/** Alerts that need somebody by themselves. */
function needing(groupId: string): Filter<'alerts'>[] {
  return [
    { field: 'groupId', is: '==', value: groupId },
    { field: 'isOpen', is: '==', value: true },
    { field: 'isMember', is: '==', value: false },
    { field: 'isMaintained', is: '==', value: false },
    { field: 'isSnoozed', is: '==', value: false },
  ];
}

/** A camera that was never heard of is part of no place. */
const heard: Filter<'devices'> = { field: 'wasHeard', is: '==', value: true };

async function totalOf({ store }: World, groupId: string): Promise<number> {
  const [summary = null] = await store.get('fleetSummaries', [groupId]);
  if (summary) return (summary.data.counts['total'] ?? 0) - (summary.data.counts['neverSeen'] ?? 0);
  return store.count({ in: 'devices', where: [{ field: 'groupId', is: '==', value: groupId }, heard] });
}

/** The cameras of sites, counted at most once an hour. */
async function sitesOf(
  { store, now }: World,
  groupId: string,
  siteIds: readonly string[],
  before: NonNullable<NowRecord['sites']>,
): Promise<NonNullable<NowRecord['sites']>> {
  const since: Instant = plus(now(), -countedMs);
  const sites: NonNullable<NowRecord['sites']> = {};
  await sideBySide(siteIds, async (site) => {
    const known = before[site];
    sites[site] =
      known && known.countedAt > since
        ? known
        : {
            cameras: await store.count({
              in: 'devices',
              where: [{ field: 'groupId', is: '==', value: groupId }, { field: 'site', is: '==', value: site }, heard],
            }),
            countedAt: now(),
          };
  });
  return sites;
}

async function namesOf({ store }: World, groupId: string, siteIds: readonly string[]): Promise<Map<string, string>> {
  const ids = [`group:${groupId}`, ...siteIds.map((site) => `site:${site}`)];
  const found = await store.get('places', ids);
  const own = found.filter((stored) => stored?.data.groups.includes(groupId));
  return new Map(own.flatMap((stored) => (stored ? [[stored.id, stored.data.name] as const] : [])));
}

/** The causes with the messages that the trails of their worst alerts name. An alert that has not changed is not looked up again. */
async function withMessages(world: World, causes: readonly Cause[], before: readonly Cause[]): Promise<Cause[]> {
  const known = new Map(before.map(({ worst, messages }) => [`${worst.id} ${worst.version}`, messages]));
  const result = [...causes];
  await sideBySide([...causes.keys()].slice(0, mostTold), async (index) => {
    const cause = causes[index] as Cause;
    const messages = known.get(`${cause.worst.id} ${cause.worst.version}`) ?? (await messagesOf(world, cause));
    result[index] = { ...cause, messages };
  });
  return result;
}

async function messagesOf({ store }: World, { worst: { id, version } }: Cause): Promise<Messages> {
  const found = await store.find({
    in: 'audit',
    where: [{ field: 'alertId', is: '==', value: id }],
    ...newestOf(id, { version }, mostEntries),
  });
  const notified = found.flatMap(({ data }) => data.notified);
  return {
    deliveryIds: notified.flatMap(({ deliveryId }) => deliveryId ?? []).slice(-mostMessages),
    hasDigest: notified.some(({ digestId }) => digestId !== null),
  };
}

/** Makes the record of the fleet from those of its groups, if one of them has changed, and says in it that they are as of now. */
async function refreshWhole(world: World, at: Instant): Promise<void> {
  const { store } = world;
  const [stored = null] = await store.get('now', [wholeFleet]);
  const isCurrent = stored && !stored.data.isStale && (stored.data.mergedAt ?? '') > plus(at, -mergedMs);
  if (isCurrent) {
    await store.commit([{ kind: 'patch', in: 'now', id: wholeFleet, set: { at } }]);
    return;
  }
  const found = await store.find({ in: 'now', limit: mostGroups });
  const groups = found.flatMap(({ id, data }) => (id === wholeFleet ? [] : [data]));
  const record: NowRecord = { groupId: wholeFleet, isStale: false, at, mergedAt: at, ...merged(groups) };
  await unlessChanged(store.commit([put('now', wholeFleet, record, stored)]));
}

/** Whoever changed the record meanwhile has marked it: it is written by the next call. */
async function unlessChanged(committing: Promise<unknown>): Promise<void> {
  try {
    await committing;
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
  }
}
