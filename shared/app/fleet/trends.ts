import { type TrendRecord, trendsOf } from '../../domain/fleet/trends.ts';
import { plus } from '../../domain/time.ts';
import type { TrendsAnswer, TrendsQuery } from '../../schema/fleet/trends.ts';
import { type Bearer, visibleGroups } from '../bearer.ts';
import type { Filter, World } from '../ports.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const pageSize = 1000;

/**
 * Alerts opened per severity and bucket, and how long acknowledging and resolving took, of the bearer's groups, in whole hours or days
 * (UTC).
 */
export async function getTrends(world: World, bearer: Bearer, query: TrendsQuery): Promise<TrendsAnswer> {
  const days = query.days ?? 7;
  const bucket = query.bucket ?? (days <= 2 ? 'hour' : 'day');
  const bucketMs = bucket === 'hour' ? hourMs : dayMs;
  const until = new Date(Math.ceil((Date.parse(world.now()) + 1) / bucketMs) * bucketMs).toISOString();
  const since = plus(until, -days * dayMs);
  const groups = visibleGroups(query.groupId, bearer.groups);
  const records = groups?.length === 0 ? [] : await readRecords(world, groups, since, until);
  return { since, until, bucket, ...trendsOf(records, since, until, bucketMs) };
}

async function readRecords(
  { store }: World,
  groups: readonly string[] | null,
  since: string,
  until: string,
): Promise<TrendRecord[]> {
  const where: Filter<'trends'>[] = [
    ...(groups ? [{ field: 'groupId', is: 'in', value: groups } as const] : []),
    { field: 'day', is: '>=', value: since.slice(0, 10) },
    { field: 'day', is: '<=', value: until.slice(0, 10) },
  ];
  const records: TrendRecord[] = [];
  let after: unknown[] | undefined;
  do {
    const found = await store.find({
      in: 'trends',
      where,
      orderBy: [['day', 'asc']],
      limit: pageSize,
      ...(after ? { after } : {}),
    });
    records.push(...found.map(({ data }) => data));
    const last = found.length === pageSize ? found.at(-1) : undefined;
    after = last && [last.data.day, last.id];
  } while (after);
  return records;
}
