import { type Severity, severities } from '../../schema/vocabulary.ts';
import type { AlertRecord } from '../alert/alert.ts';
import type { AuditEntry } from '../alert/lifecycle.ts';
import { type Instant, msBetween, plus } from '../time.ts';

/**
 * Counters of one group and day (UTC), by hour. They are incremented in the same commit as the change that they count, without a read.
 * Several shards take the writes when many alerts change at once.
 */
export type TrendRecord = {
  day: string;
  groupId: string;
  shard: number;
  hours: Record<string, Record<string, number>>;
  expireAt: Instant;
};

export const trendShards = 8;
const dayMs = 24 * 60 * 60_000;
const keptMs = 400 * dayMs;
/** Classes per doubling of a duration. A percentile is wrong by at most 9 %. */
const classesPerDoubling = 4;

export type Accrual = {
  id: string;
  set: Omit<TrendRecord, 'hours'>;
  add: { hours: Record<string, Record<string, number>> };
};

/** What one change of an alert adds to the counters. Null: nothing. An undo subtracts where the change was counted. */
export function accrualOf(before: AlertRecord | null, after: AlertRecord, entry: AuditEntry): Accrual | null {
  const { action } = entry;
  const at = action === 'unacknowledge' ? (before?.acknowledgedAt ?? entry.at) : entry.at;
  const counts = countsOf(before, after, action, at);
  if (!counts) return null;
  const day = at.slice(0, 10);
  const shard = Number.parseInt(after.alertId.slice(0, 4), 16) % trendShards;
  const { groupId } = after;
  return {
    id: `${day} ${groupId} ${shard}`,
    set: { day, groupId, shard, expireAt: plus(`${day}T00:00:00.000Z`, keptMs) },
    add: { hours: { [at.slice(11, 13)]: counts } },
  };
}

function countsOf(
  before: AlertRecord | null,
  after: AlertRecord,
  action: AuditEntry['action'],
  at: Instant,
): Record<string, number> | null {
  switch (action) {
    case 'open':
    case 'reopen':
    case 'return':
      return { [`opened ${after.severity}`]: 1 };
    case 'worsen':
      return before?.isOpen ? null : { [`opened ${after.severity}`]: 1 };
    case 'acknowledge':
      return durationCounts('acknowledge', msBetween(after.timestamp, at));
    case 'unacknowledge':
      return negative(durationCounts('acknowledge', msBetween(after.timestamp, at)));
    case 'resolve':
    case 'end':
      return before?.isOpen ? durationCounts('resolve', msBetween(after.timestamp, at)) : null;
    default:
      return null;
  }
}

function negative(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, -count]));
}

type Measured = 'acknowledge' | 'resolve';

function durationCounts(what: Measured, durationMs: number): Record<string, number> {
  const ms = Math.max(0, durationMs);
  return { [`${what} count`]: 1, [`${what} ms`]: ms, [`${what} class ${classOf(ms)}`]: 1 };
}

function classOf(ms: number): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(ms, 1) / 1000) * classesPerDoubling));
}

/** Opened alerts per bucket, and how long people took, over the whole period. */
export type Trends = {
  buckets: { at: Instant; opened: Record<Severity, number> }[];
  timeToAcknowledge: Durations;
  timeToResolve: Durations;
};
export type Durations = {
  count: number;
  meanSeconds: number | null;
  medianSeconds: number | null;
  p95Seconds: number | null;
};

/** Sums the counters over `[since, until)`. Both are boundaries of a bucket. `bucketMs`: an hour or a day. */
export function trendsOf(records: readonly TrendRecord[], since: Instant, until: Instant, bucketMs: number): Trends {
  const buckets: Trends['buckets'] = [];
  for (let at = since; at < until; at = plus(at, bucketMs)) {
    buckets.push({ at, opened: { CRITICAL: 0, ERROR: 0, WARNING: 0, INFO: 0 } });
  }
  const totals: Record<string, number> = {};
  for (const { day, hours } of records) {
    for (const [hour, counts] of Object.entries(hours)) {
      const index = Math.floor(msBetween(since, `${day}T${hour}:00:00.000Z`) / bucketMs);
      const bucket = buckets[index];
      if (!bucket) continue;
      for (const severity of severities) bucket.opened[severity] += counts[`opened ${severity}`] ?? 0;
      for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count;
    }
  }
  return {
    buckets,
    timeToAcknowledge: durationsOf(totals, 'acknowledge'),
    timeToResolve: durationsOf(totals, 'resolve'),
  };
}

function durationsOf(totals: Record<string, number>, what: Measured): Durations {
  const count = totals[`${what} count`] ?? 0;
  if (count === 0) return { count, meanSeconds: null, medianSeconds: null, p95Seconds: null };
  const prefix = `${what} class `;
  const classes = Object.entries(totals)
    .flatMap(([name, held]) => (name.startsWith(prefix) ? [[Number(name.slice(prefix.length)), held] as const] : []))
    .toSorted(([a], [b]) => a - b);
  return {
    count,
    meanSeconds: rounded((totals[`${what} ms`] ?? 0) / count / 1000),
    medianSeconds: quantile(classes, count, 0.5),
    p95Seconds: quantile(classes, count, 0.95),
  };
}

/** The middle, on the scale of the classes, of the class that contains the quantile. */
function quantile(classes: readonly (readonly [number, number])[], count: number, share: number): number {
  let seen = 0;
  for (const [number, held] of classes) {
    seen += held;
    if (seen >= count * share) return number === 0 ? 1 : rounded(2 ** ((number - 0.5) / classesPerDoubling));
  }
  return 0;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
