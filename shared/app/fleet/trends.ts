import { rollUpIds, rollUpsOf, trendsOf, wholeFleet } from '../../domain/fleet/trends.ts';
import { plus } from '../../domain/time.ts';
import type { TrendsAnswer, TrendsQuery } from '../../schema/fleet/trends.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
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

/** Counters per commit. Each adds to at most four roll-ups and is deleted. */
const atOnce = 80;
/** Counters that one sweep handles. */
const mostCounters = 4000;

/**
 * Adds pending counters to the roll-ups. One commit deletes the counters and adds their counts, so nothing is counted twice. A counter that changed
 * meanwhile is left to the next sweep.
 */
export async function rollUpTrends(world: World): Promise<number> {
  const found = await world.store.find({ in: 'trendCounters', limit: mostCounters });
  let done = 0;
  for (let from = 0; from < found.length; from += atOnce) {
    const counters = found.slice(from, from + atOnce);
    if (await foldInto(world, counters)) done += counters.length;
    // One of them changed meanwhile: it must not delay the others.
    else for (const counter of counters) if (await foldInto(world, [counter])) done += 1;
  }
  return done;
}

async function foldInto({ store }: World, counters: readonly Stored<'trendCounters'>[]): Promise<boolean> {
  const sums = rollUpsOf(counters.map(({ data }) => data));
  try {
    await store.commit([
      ...counters.map(({ id, revision }): Write => ({ kind: 'delete', in: 'trendCounters', id, revision })),
      ...sums.map((sum): Write => ({ kind: 'accrue', in: 'trends', ...sum })),
    ]);
    return true;
  } catch (error) {
    if (error instanceof Conflict) return false;
    throw error;
  }
}
