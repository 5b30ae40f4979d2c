import { sliced } from '../../../shared/adapters/slices.ts';
import type { Store, Wake, Write } from '../../../shared/app/ports.ts';
import { type Definitions, readDefinitions, rowsBy } from './index-rows.ts';

/**
 * Limits of the platform: writes per second to rising values of one index (firestore/docs/solutions/shard-timestamp), writes per second to one
 * document, mean of a minute (firestore/docs/best-practices), tasks per second of one queue, mean of ten seconds (tasks/docs/quotas), bytes per
 * second of one ordering key (pubsub/quotas), bytes of one answer (run/quotas). A queue refuses nothing: tasks beyond its rate in one second wait for
 * the next, so only a load that stays above the rate exceeds the limit.
 */
export const limits = {
  'rising index': { most: 500, seconds: 1, unit: 'writes/s' },
  document: { most: 1, seconds: 60, unit: 'writes/s' },
  queue: { most: 500, seconds: 10, unit: 'dispatches/s' },
  'ordering key': { most: 1_000_000, seconds: 1, unit: 'bytes/s' },
  answer: { most: 32 * 1024 * 1024, seconds: 1, unit: 'bytes' },
} as const;
export type Wall = keyof typeof limits;
/** The highest load of one resource, as a share of its limit: 1 is the limit. */
export type Peak = { wall: Wall; name: string; rate: number; share: number };

type Data = Record<string, unknown>;

/**
 * Compares a world's load on the platform with its limits, in the time of that world. It wraps the store, so stores that are not metered cost
 * nothing.
 */
export function createMeter(now: () => string, definitions: Definitions = readDefinitions()) {
  const counts = new Map<Wall, Map<string, Map<number, number>>>();
  const note = (wall: Wall, name: string, amount: number, at = now()) => {
    const names = counts.get(wall) ?? new Map<string, Map<number, number>>();
    counts.set(wall, names);
    const spans = names.get(name) ?? new Map<number, number>();
    names.set(name, spans);
    const span = Math.floor(Date.parse(at) / 1000 / limits[wall].seconds);
    spans.set(span, (spans.get(span) ?? 0) + amount);
  };
  const rising = risingIn(definitions);
  const onWrite = (write: Write, before: Data | null) => {
    note('document', `${write.in}/${write.id}`, 1);
    const after = afterOf(write, before);
    const had = rising(write.in, before && sliced(write.in, write.id, before));
    for (const [name, last] of rising(write.in, after && sliced(write.in, write.id, after))) {
      if (had.get(name) !== last) note('rising index', name, 1);
    }
  };
  return {
    note,
    /** The same store with counted commits. */
    metered<S extends Store>(store: S): S {
      return {
        ...store,
        async commit(writes) {
          const before = await Promise.all(writes.map((write) => store.get(write.in, [write.id])));
          const revisions = await store.commit(writes);
          for (const [index, write] of writes.entries()) {
            onWrite(write, (before[index]?.[0]?.data ?? null) as Data | null);
          }
          return revisions;
        },
      };
    },
    /** Counts a wake at the time when its queue dispatches it. */
    dispatch(queue: string, { dueAt }: Wake) {
      note('queue', queue, 1, dueAt > now() ? dueAt : now());
    },
    /**
     * The highest rate at each limit, nearest to its limit first. `times`: the real fleet is this many times larger than the simulated one; then
     * minute means are used, because a random peak second would be multiplied too.
     */
    peaks(times = 1): Peak[] {
      return [...counts]
        .flatMap(([wall, names]) => {
          const { most, seconds } = limits[wall];
          let peak: Peak | null = null;
          for (const [name, spans] of names) {
            const isMany = times > 1 && isShared(wall, name);
            const rate = isMany ? times * highestMean(spans, 60 / seconds, seconds) : highestMean(spans, 1, seconds);
            if (!peak || rate > peak.rate) peak = { wall, name, rate, share: rate / most };
          }
          return peak ?? [];
        })
        .toSorted((x, y) => y.share - x.share);
    },
  };
}

/** The highest mean rate over consecutive spans. */
function highestMean(spans: ReadonlyMap<number, number>, together: number, seconds: number): number {
  const sums = new Map<number, number>();
  for (const [span, amount] of spans) {
    const key = Math.floor(span / together);
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  return Math.max(0, ...sums.values()) / (together * seconds);
}

/** A larger fleet has more documents, keys, groups and cameras, each with the same load. Queues and indexes of the whole fleet get more load. */
function isShared(wall: Wall, name: string): boolean {
  return (
    wall === 'queue' ||
    (wall === 'rising index' &&
      !/(^platform|^fleetSummaries|deviceId|groupId|webhookId|alertId|incidentId|site|places)\b/.test(name))
  );
}

export type Meter = ReturnType<typeof createMeter>;

/** The index rows of a record whose last value is an instant: the rising part of the index for each, and this value. */
function risingIn(definitions: Definitions): (collection: string, data: Data | null) => Map<string, string> {
  const rowsOf = rowsBy(definitions);
  return (collection, data) =>
    new Map(
      (data ? rowsOf(collection, data) : []).flatMap(({ index, prefix, last }) => {
        const before = beforeInstant(last);
        return before === null ? [] : [[`${collection}: ${index} ${prefix}${before}`, String(last)] as const];
      }),
    );
}

/** The digits before an instant in a text, for example a rank. Texts with the same digits rise with time. Null: the text has no instant. */
function beforeInstant(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return /^(\d* ?)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(value)?.[1]?.trimEnd() ?? null;
}

function afterOf(write: Write, before: Data | null): Data | null {
  if (write.kind === 'delete') return null;
  return write.kind === 'create' || write.kind === 'replace' ? (write.data as Data) : { ...before, ...write.set };
}
