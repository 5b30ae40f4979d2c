import { countsOf, type FleetSummary, handedOn, keptCounts, newSummary } from '../../domain/fleet/summary.ts';
import { sumOf, type TrendCounts, wholeFleet } from '../../domain/fleet/trends.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { put } from '../commit/commit.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { markStale } from '../now/refresh.ts';
import { Conflict, type Stored, type World, type Write } from '../ports.ts';
import { viewSight } from '../sight/sight.ts';
import { countOverdue, countScope, recentOf, seenNow } from './fleet.ts';

/** Counters that one run adds to summaries. The next run continues. */
const mostCounters = 4000;
/** Groups per commit. Each has at most one counter per shard. */
const groupsAtOnce = 4;
/** A counter may change while it is added. After this many attempts it is left to the next run. */
const attempts = 3;
/** Interval at which a summary is counted again, in case records were changed outside the service. */
const recountedMs = 24 * 60 * 60_000;
/** Group summaries that one sweep counts again, and those that it checks while the platform is blind. */
const mostRecounted = 20;
const mostGroups = 5000;

/**
 * Adds pending counters to the summaries of the groups and then of the fleet. One commit deletes the counters and adds their counts, so nothing is
 * counted twice.
 * @returns how many pending counters were found; those that still change are left to the next call
 */
export async function summarizeFleet(world: World): Promise<number> {
  const found = await world.store.find({ in: 'fleetCounters', limit: mostCounters });
  const groups = [...new Set(found.map(({ data }) => data.groupId))].filter((groupId) => groupId !== wholeFleet);
  const chunks = Array.from({ length: Math.ceil(groups.length / groupsAtOnce) }, (_, index) =>
    groups.slice(index * groupsAtOnce, (index + 1) * groupsAtOnce),
  );
  await sideBySide(chunks, (chunk) => summarizeGroups(world, chunk));
  await summarizeWhole(world);
  return found.length;
}

/** Does the same as `summarizeFleet` for a sweep: also without a change, with the unknown devices, and with a check of the oldest summaries. */
export async function sweepFleet(world: World): Promise<number> {
  const changed = await summarizeFleet(world);
  await recountOld(world);
  if ((await viewSight(world)).state === 'blind') await countUnknown(world);
  return changed;
}

async function summarizeGroups(world: World, groupIds: readonly string[], attempt = 1): Promise<void> {
  const { store } = world;
  const summaries = await store.get('fleetSummaries', groupIds);
  const missing = groupIds.filter((_, index) => summaries[index] === null);
  for (const groupId of missing) await recount(world, groupId, null);
  const known = summaries.filter((summary) => summary !== null);
  if (known.length === 0) return;
  const ids = known.map(({ id }) => id);
  const counters = await store.find({
    in: 'fleetCounters',
    where: [{ field: 'groupId', is: 'in', value: ids }],
    limit: mostCounters,
  });
  const byGroup = Map.groupBy(counters, ({ data }) => data.groupId);
  const writes = await Promise.all(
    known.map(async (stored) => summaryWrites(world, stored, byGroup.get(stored.id) ?? [])),
  );
  if (await isCommitted(world, writes.flat())) return;
  // One counter changed meanwhile: it must not delay the other groups.
  if (ids.length > 1) for (const id of ids) await summarizeGroups(world, [id], attempt);
  else if (attempt < attempts) await summarizeGroups(world, ids, attempt + 1);
}

async function summaryWrites(
  world: World,
  stored: Stored<'fleetSummaries'>,
  counters: readonly Stored<'fleetCounters'>[],
): Promise<Write[]> {
  if (counters.length === 0) return [];
  const counts = countsOf(counters.map(({ data }) => data));
  const recentAlerts = await recentOf(world, stored.id);
  const next = { ...stored.data, counts: keptCounts(sumOf(stored.data.counts, counts), world.now()), recentAlerts };
  return [
    put('fleetSummaries', stored.id, next, stored),
    ...deletions(counters),
    handOn(world, stored.id, counts),
    markStale(stored.id),
  ];
}

/** What a group adds to the fleet, in the commit that deletes the group's counters. */
function handOn({ now }: World, groupId: string, counts: TrendCounts): Write {
  return { kind: 'accrue', in: 'fleetCounters', ...handedOn(groupId, counts, now()) };
}

function deletions(counters: readonly Stored<'fleetCounters'>[]): Write[] {
  return counters.map(({ id, revision }) => ({ kind: 'delete', in: 'fleetCounters', id, revision }));
}

async function summarizeWhole(world: World, attempt = 1): Promise<void> {
  const [stored = null] = await world.store.get('fleetSummaries', [wholeFleet]);
  if (!stored) return recount(world, wholeFleet, null);
  const counters = await world.store.find({
    in: 'fleetCounters',
    where: [{ field: 'groupId', is: '==', value: wholeFleet }],
    limit: mostCounters,
  });
  const counts = sumOf(stored.data.counts, countsOf(counters.map(({ data }) => data)));
  const next = { ...stored.data, counts: keptCounts(counts, world.now()), ...(await seenOf(world)) };
  const isDone = await isCommitted(world, [put('fleetSummaries', wholeFleet, next, stored), ...deletions(counters)]);
  if (!isDone && attempt < attempts) await summarizeWhole(world, attempt + 1);
}

/** Members that only the summary of the whole fleet has. */
async function seenOf(world: World): Promise<Pick<FleetSummary, 'recentAlerts' | 'sight' | 'hasContacts'>> {
  const [recentAlerts, seen] = await Promise.all([recentOf(world, wholeFleet), seenNow(world)]);
  return { recentAlerts, ...seen };
}

/** Counts a summary from the records. If others write meanwhile, the count may be wrong by their changes, and the next sweep counts again. */
async function recount(world: World, groupId: string, stored: Stored<'fleetSummaries'> | null): Promise<void> {
  const { pending, counts, isExact } = await countScope(world, groupId);
  // An existing summary is only wrong after changes outside the service, so an inexact count would not improve it.
  if (stored && !isExact) return;
  const now = world.now();
  const isWhole = groupId === wholeFleet;
  const summary: FleetSummary = {
    ...(stored?.data ?? newSummary(groupId)),
    counts: keptCounts(counts, now),
    ...(isWhole ? await seenOf(world) : { recentAlerts: await recentOf(world, groupId) }),
    countedAt: isExact ? now : null,
  };
  // One sum, not each counter by itself: the counter of the fleet takes one write a second.
  const handOns =
    isWhole || pending.length === 0
      ? []
      : [handOn(world, groupId, countsOf(pending.map(({ data }) => data))), markStale(groupId)];
  await isCommitted(world, [put('fleetSummaries', groupId, summary, stored), ...deletions(pending), ...handOns]);
}

async function recountOld(world: World): Promise<void> {
  const { store } = world;
  const until: Instant = plus(world.now(), -recountedMs);
  const [inexact, old] = await Promise.all([
    store.find({ in: 'fleetSummaries', where: [{ field: 'countedAt', is: '==', value: null }], limit: mostRecounted }),
    store.find({
      in: 'fleetSummaries',
      where: [{ field: 'countedAt', is: '<=', value: until }],
      orderBy: [['countedAt', 'asc']],
      limit: mostRecounted,
    }),
  ]);
  for (const stored of [...inexact, ...old]) await recount(world, stored.id, stored);
}

async function countUnknown(world: World): Promise<void> {
  const { store } = world;
  const summaries = await store.find({ in: 'fleetSummaries', limit: mostGroups });
  await sideBySide(summaries, async ({ id, data }) => {
    const unknown = await countOverdue(world, id);
    if (unknown !== data.unknown) await store.commit([{ kind: 'patch', in: 'fleetSummaries', id, set: { unknown } }]);
  });
}

/** @returns false where another writer was first */
async function isCommitted({ store }: World, writes: readonly Write[]): Promise<boolean> {
  try {
    if (writes.length > 0) await store.commit(writes);
    return true;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}
