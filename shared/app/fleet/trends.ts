import { rollUpIds, rollUpsOf, trendsOf, wholeFleet } from '../../domain/fleet/trends.ts';
import { plus } from '../../domain/time.ts';
import type { TrendsAnswer, TrendsQuery } from '../../schema/fleet/trends.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import { isSameRevision } from '../commit/commit.ts';
import { Conflict, type Stored, type World, type Write } from '../ports.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** Alerts opened per severity and bucket (hours or days, UTC), and how long acknowledging and resolving took, of the bearer's groups. */
export async function getTrends(world: World, bearer: Bearer, query: TrendsQuery): Promise<TrendsAnswer> {
  const days = query.days ?? 7;
  const bucket = query.bucket ?? (days <= 2 ? 'hour' : 'day');
  const bucketMs = bucket === 'hour' ? hourMs : dayMs;
  const until = new Date(Math.ceil((Date.parse(world.now()) + 1) / bucketMs) * bucketMs).toISOString();
  const since = plus(until, -days * dayMs);
  const groups = visibleGroups(query.groupId, bearer.groups);
  const ids = rollUpIds(groups ?? [wholeFleet], since, until, bucketMs);
  const records = (await world.store.get('trends', ids)).flatMap((stored) => stored?.data ?? []);
  return { since, until, bucket, ...trendsOf(records, since, until, bucketMs) };
}

/** Writes per commit: a deletion for each counter, and the roll-ups of its group and of the fleet. */
const writesAtOnce = 400;
/** Counters that one sweep handles. */
const mostCounters = 4000;
/** Maximum number of attempts to commit the same counters. Counters that still change are left to the next sweep. */
const attempts = 3;

/**
 * Adds pending counters to the roll-ups. One commit deletes the counters and adds their counts, so nothing is counted twice. A counter that changed
 * meanwhile is left to the next sweep. All commits write to the roll-ups of the fleet, which take about one write a second, so they are few.
 */
export async function rollUpTrends(world: World): Promise<number> {
  const found = await world.store.find({ in: 'trendCounters', limit: mostCounters });
  let done = 0;
  for (const counters of commitsOf(found)) done += await rollUp(world, counters);
  return done;
}

/** The counters of each commit. Those of one group follow one another, so that they share its roll-ups. */
function commitsOf(found: readonly Stored<'trendCounters'>[]): Stored<'trendCounters'>[][] {
  const commits: Stored<'trendCounters'>[][] = [];
  let rollUps = new Set<string>();
  for (const counter of found.toSorted(byGroup)) {
    const own = rollUpsOf([counter.data]).map(({ id }) => id);
    const last = commits.at(-1);
    const isFull = !last || last.length + 1 + new Set([...rollUps, ...own]).size > writesAtOnce;
    if (isFull) {
      commits.push([counter]);
      rollUps = new Set(own);
    } else {
      last.push(counter);
      for (const id of own) rollUps.add(id);
    }
  }
  return commits;
}

function byGroup({ data: one }: Stored<'trendCounters'>, { data: other }: Stored<'trendCounters'>): number {
  return one.groupId < other.groupId ? -1 : one.groupId > other.groupId ? 1 : 0;
}

/** @returns how many of the counters were added; the others changed meanwhile */
async function rollUp({ store }: World, found: readonly Stored<'trendCounters'>[]): Promise<number> {
  let counters = found;
  for (let attempt = 1; attempt <= attempts && counters.length > 0; attempt += 1) {
    const sums = rollUpsOf(counters.map(({ data }) => data));
    try {
      await store.commit([
        ...counters.map(({ id, revision }): Write => ({ kind: 'delete', in: 'trendCounters', id, revision })),
        ...sums.map((sum): Write => ({ kind: 'accrue', in: 'trends', ...sum })),
      ]);
      return counters.length;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
    const now = await store.get(
      'trendCounters',
      counters.map(({ id }) => id),
    );
    counters = counters.filter(({ revision }, index) => isSameRevision(revision, now[index]?.revision));
  }
  return 0;
}
