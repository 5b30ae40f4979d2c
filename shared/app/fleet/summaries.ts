import { countsOf, type FleetSummary, handedOn, keptCounts, newSummary } from '../../domain/fleet/summary.ts';
import { type Counts, sumOf, wholeFleet } from '../../domain/fleet/trends.ts';
import { type Instant, plus } from '../../domain/time.ts';
import { put } from '../commit/put.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { Conflict, type Stored, type World, type Write } from '../ports.ts';
import { viewSight } from '../sight/sight.ts';
import { countScope } from './count-fleet.ts';
import { countOverdue, recentOf } from './parts.ts';
import { seenNow } from './present.ts';

/** Counters that are folded at once; the next fold continues. */
const mostCounters = 4000;
/** Groups of one commit: each has at most as many counters as there are shards. */
const groupsAtOnce = 4;
/** A counter may grow while it is folded. After so many attempts it is left to the next fold. */
const attempts = 3;
/** A summary is counted from scratch this often, in case somebody changed records by another way than ours. */
const recountedMs = 24 * 60 * 60_000;
/** Summaries of groups that one sweep counts from scratch, and those that it looks at while the platform is blind. */
const mostRecounted = 20;
const mostGroups = 5000;

/**
 * Adds what was counted since the last time to the summaries, of each group and then of the fleet. What counters held and where it went is
 * one commit, so nothing is counted twice.
 * @returns how many counters were folded
 */
export async function foldFleet(world: World): Promise<number> {
  const found = await world.store.find({ in: 'fleetCounters', limit: mostCounters });
  const groups = [...new Set(found.map(({ data }) => data.groupId))].filter((groupId) => groupId !== wholeFleet);
  const chunks = Array.from({ length: Math.ceil(groups.length / groupsAtOnce) }, (_, index) =>
    groups.slice(index * groupsAtOnce, (index + 1) * groupsAtOnce),
  );
  await sideBySide(chunks, (chunk) => foldGroups(world, chunk));
  await foldWhole(world);
  return found.length;
}

/** Folds as a sweep does: also without a change, with the devices that are unknown, and checking the oldest summaries. */
export async function sweepFleet(world: World): Promise<number> {
  const folded = await foldFleet(world);
  await recountOld(world);
  if ((await viewSight(world)).state === 'blind') await countUnknown(world);
  return folded;
}

async function foldGroups(world: World, groupIds: readonly string[], attempt = 1): Promise<void> {
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
    known.map(async (stored) => foldWrites(world, stored, byGroup.get(stored.id) ?? [])),
  );
  if (await isCommitted(world, writes.flat())) return;
  // One counter grew meanwhile: it must not hold up the other groups.
  if (ids.length > 1) for (const id of ids) await foldGroups(world, [id], attempt);
  else if (attempt < attempts) await foldGroups(world, ids, attempt + 1);
}

async function foldWrites(
  world: World,
  stored: Stored<'fleetSummaries'>,
  counters: readonly Stored<'fleetCounters'>[],
): Promise<Write[]> {
  if (counters.length === 0) return [];
  const counts = countsOf(counters.map(({ data }) => data));
  const recentAlerts = await recentOf(world, stored.id);
  const next = { ...stored.data, counts: keptCounts(sumOf(stored.data.counts, counts), world.now()), recentAlerts };
  return [put('fleetSummaries', stored.id, next, stored), ...deletions(counters), handOn(world, stored.id, counts)];
}

/** What a group hands on to the fleet, in the commit that takes it from the group's counters. */
function handOn({ now }: World, groupId: string, counts: Counts): Write {
  return { kind: 'accrue', in: 'fleetCounters', ...handedOn(groupId, counts, now()) };
}

function deletions(counters: readonly Stored<'fleetCounters'>[]): Write[] {
  return counters.map(({ id, revision }) => ({ kind: 'delete', in: 'fleetCounters', id, revision }));
}

async function foldWhole(world: World, attempt = 1): Promise<void> {
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
  if (!isDone && attempt < attempts) await foldWhole(world, attempt + 1);
}

/** What only the summary of the whole fleet shows. */
async function seenOf(world: World): Promise<Pick<FleetSummary, 'recentAlerts' | 'sight' | 'hasContacts'>> {
  const [recentAlerts, seen] = await Promise.all([recentOf(world, wholeFleet), seenNow(world)]);
  return { recentAlerts, ...seen };
}

/** Counts a summary from the records. Where others write meanwhile, it may be wrong by what they wrote, and the next sweep counts again. */
async function recount(world: World, groupId: string, stored: Stored<'fleetSummaries'> | null): Promise<void> {
  const { pending, counts, isExact } = await countScope(world, groupId);
  // One that exists is right but for what others did to it; a count that may be wrong is no better.
  if (stored && !isExact) return;
  const now = world.now();
  const isWhole = groupId === wholeFleet;
  const summary: FleetSummary = {
    ...(stored?.data ?? newSummary(groupId)),
    counts: keptCounts(counts, now),
    ...(isWhole ? await seenOf(world) : { recentAlerts: await recentOf(world, groupId) }),
    countedAt: isExact ? now : null,
  };
  const handOns = isWhole ? [] : pending.map(({ data }) => handOn(world, groupId, data.counts));
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
