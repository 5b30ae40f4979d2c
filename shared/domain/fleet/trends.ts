import { type Severity, severities } from '../../schema/vocabulary.ts';
import type { AlertRecord } from '../alert/alert.ts';
import type { AuditEntry } from '../alert/lifecycle.ts';
import { type Instant, msBetween, plus } from '../time.ts';

/** What happened in an hour or a day, by name: `opened ERROR`, `acknowledge count`, `acknowledge ms`, `acknowledge class 12`, … */
export type TrendCounts = Record<string, number>;

/**
 * Counters since the last sweep, of one group and day (UTC), by hour. They are incremented in the commit of the change that they count, without
 * a read. Several shards take the writes when many alerts change at once. A sweep adds them to the roll-ups and deletes them.
 */
export type TrendCounter = {
  day: string;
  groupId: string;
  hours: Record<string, TrendCounts>;
};

/**
 * The roll-up of one group, or of the whole fleet (`*`): of a day by hour (`2026-11-22T07`), or of a month by day (`2026-11-22`), UTC.
 * A month of a group is therefore read from two documents.
 */
export type TrendRecord = {
  groupId: string;
  span: TrendSpan;
  /** First day of the span. */
  start: string;
  cells: Record<string, TrendCounts>;
  expireAt: Instant;
};
type TrendSpan = 'day' | 'month';

/** The scope of the roll-up of all groups; no group has this id. */
export const wholeFleet = '*';
/** Firestore takes about one write a second to a document. */
const counterShards = 64;
const dayMs = 24 * 60 * 60_000;
const keptMs = 400 * dayMs;
/** Classes per doubling of a duration. A percentile is wrong by at most 9 %. */
const classesPerDoubling = 4;

export type CounterAccrual = {
  id: string;
  set: Omit<TrendCounter, 'hours'>;
  add: { hours: Record<string, TrendCounts> };
};
export type RollUpAccrual = {
  id: string;
  set: Omit<TrendRecord, 'cells'>;
  add: { cells: Record<string, TrendCounts> };
};

/** What one change of an alert adds to the counters. Null: nothing. An undo subtracts where the change was counted. */
export function accrualOf(before: AlertRecord | null, after: AlertRecord, entry: AuditEntry): CounterAccrual | null {
  const { action } = entry;
  const at = action === 'unacknowledge' ? (before?.acknowledgedAt ?? entry.at) : entry.at;
  const counts = countsOf(before, after, action, at);
  if (!counts) return null;
  const day = at.slice(0, 10);
  const shard = Number.parseInt(after.alertId.slice(0, 4), 16) % counterShards;
  const { groupId } = after;
  return {
    id: `${day} ${groupId} ${shard}`,
    set: { day, groupId },
    add: { hours: { [at.slice(11, 13)]: counts } },
  };
}

/** What counters add to the roll-ups of their groups and of the fleet. */
export function rollUpsOf(counters: readonly TrendCounter[]): RollUpAccrual[] {
  const rollUps = new Map<string, RollUpAccrual>();
  const add = (span: TrendSpan, groupId: string, day: string, cell: string, counts: TrendCounts) => {
    const start = startOf(span, day);
    const id = idOf(span, start, groupId);
    const set = { groupId, span, start, expireAt: plus(`${start}T00:00:00.000Z`, keptMs) };
    const rollUp = rollUps.get(id) ?? { id, set, add: { cells: {} } };
    rollUps.set(id, rollUp);
    const { cells } = rollUp.add;
    cells[cell] = sumOf(cells[cell] ?? {}, counts);
  };
  for (const { day, groupId, hours } of counters) {
    for (const [hour, counts] of Object.entries(hours)) {
      for (const scope of [groupId, wholeFleet]) {
        add('day', scope, day, `${day}T${hour}`, counts);
        add('month', scope, day, day, counts);
      }
    }
  }
  return [...rollUps.values()];
}

/** The roll-ups that hold `[since, until)` of these groups in buckets of `bucketMs`, an hour or a day. */
export function rollUpIds(groups: readonly string[], since: Instant, until: Instant, bucketMs: number): string[] {
  const span = spanOf(bucketMs);
  const starts = new Set<string>();
  for (let at = since; at < until; at = plus(at, bucketMs)) starts.add(startOf(span, at.slice(0, 10)));
  return [...starts].flatMap((start) => groups.map((groupId) => idOf(span, start, groupId)));
}

function spanOf(bucketMs: number): TrendSpan {
  return bucketMs < dayMs ? 'day' : 'month';
}

function startOf(span: TrendSpan, day: string): string {
  return span === 'day' ? day : `${day.slice(0, 7)}-01`;
}

function idOf(span: TrendSpan, start: string, groupId: string): string {
  return `${span} ${start} ${groupId}`;
}

/** The sum of two counts, name by name. */
export function sumOf(one: TrendCounts, other: TrendCounts): TrendCounts {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

function countsOf(
  before: AlertRecord | null,
  after: AlertRecord,
  action: AuditEntry['action'],
  at: Instant,
): TrendCounts | null {
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

function negative(counts: TrendCounts): TrendCounts {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, -count]));
}

type ResponseKind = 'acknowledge' | 'resolve';

function durationCounts(what: ResponseKind, durationMs: number): TrendCounts {
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

/** Sums roll-ups over `[since, until)`. Both are boundaries of a bucket. `bucketMs`: an hour or a day. */
export function trendsOf(records: readonly TrendRecord[], since: Instant, until: Instant, bucketMs: number): Trends {
  const cellLength = bucketMs < dayMs ? '2026-11-22T07'.length : '2026-11-22'.length;
  const buckets: Trends['buckets'] = [];
  let totals: TrendCounts = {};
  for (let at = since; at < until; at = plus(at, bucketMs)) {
    const cell = at.slice(0, cellLength);
    const counts = records.reduce<TrendCounts>((sum, { cells }) => sumOf(sum, cells[cell] ?? {}), {});
    const opened = severities.map((severity) => [severity, counts[`opened ${severity}`] ?? 0] as const);
    buckets.push({ at, opened: Object.fromEntries(opened) as Record<Severity, number> });
    totals = sumOf(totals, counts);
  }
  return {
    buckets,
    timeToAcknowledge: durationsOf(totals, 'acknowledge'),
    timeToResolve: durationsOf(totals, 'resolve'),
  };
}

function durationsOf(totals: TrendCounts, what: ResponseKind): Durations {
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
