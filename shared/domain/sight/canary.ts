import type { WayName } from '../../schema/vocabulary.ts';
import type { Waits } from '../limits.ts';
import { earlier, earliest, type Instant, msBetween, plus } from '../time.ts';
import { covering, type Partition, partitionId, wholeBroker } from './partitions.ts';

/** Canaries that each sweep sends per path. Each has its own ordering key, so that one waiting for a retry does not delay the others. */
export const canariesOf: Record<WayName, number> = { ingest: 4, broker: 1 };

/** A message of our own that takes the path of a report, to show that the path works. It is not a device, and is never counted, listed or sent on. */
export type Canary = { way: WayName; n: number; sentAt: Instant };

/** Attribute of a canary that is published directly to Pub/Sub. */
export const canaryAttribute = 'watchpost-canary';

/** A period in which canaries were late. It ends some time after the first punctual one. */
export type CanaryGap = { from: Instant; goodAt: Instant | null };

/** The newest canary that arrived of one path and number, for the broker of one bridge. Each has one record. */
export type CanaryRecord = Canary & {
  platformId: string;
  kind: 'canary';
  handledAt: Instant;
  /** When canaries last came late. Null where that is over. */
  gap: CanaryGap | null;
  /** The bridge through which it came. Null: it did not come through the broker. */
  bridge: Partition | null;
  /** When a person removed this bridge. Absent: it is expected. */
  removedAt?: Instant;
};

export function canaryIdOf({ way, n }: Pick<Canary, 'way' | 'n'>, bridge: Partition | null): string {
  return `canary-${way}-${bridge === null ? n : partitionId(bridge)}`;
}

/** The text that a canary's signature covers. */
export function canaryText({ way, n, sentAt }: Canary): string {
  return `watchpost-canary ${way} ${n} ${sentAt}`;
}

/** Replaces the record by a canary that arrived. Null: it is not newer, so that a replay changes nothing. */
export function withCanary(
  before: CanaryRecord | null,
  canary: Canary,
  bridge: Partition | null,
  handledAt: Instant,
  waits: Waits,
): CanaryRecord | null {
  if (before && canary.sentAt <= before.sentAt) return null;
  const platformId = canaryIdOf(canary, bridge);
  // A canary through a bridge that a person removed brings it back.
  const { removedAt: _removed, ...kept } = before ?? {};
  const record = { ...kept, platformId, kind: 'canary' as const, ...canary, handledAt, bridge };
  const gap = before?.gap && isHeldAt(before.gap, handledAt, waits) ? before.gap : null;
  const isLate = msBetween(canary.sentAt, handledAt) > waits.canaryLate;
  if (isLate) return { ...record, gap: { from: gap?.from ?? knownBy(before ?? record, waits), goodAt: null } };
  return { ...record, gap: gap && { ...gap, goodAt: gap.goodAt ?? handledAt } };
}

/**
 * The time before which no message is missing. A canary may overtake one that was published a moment before it, which then waits if the path
 * fails: it is certain to have arrived only if the path still worked as long after it as a message may take.
 */
function knownBy({ sentAt, handledAt }: Pick<CanaryRecord, 'sentAt' | 'handledAt'>, waits: Waits): Instant {
  return earlier(sentAt, plus(handledAt, -waits.canaryLate));
}

/**
 * What the canaries of a path show. `newestAt`: the oldest among the newest canaries; `knownAt`: the time before which no message is missing. Both
 * null: some canaries have never arrived. `heldFrom`: the beginning of the gaps that still count; `handledAt`: when the last canary was handled.
 */
export type CanaryEvidence = {
  newestAt: Instant | null;
  knownAt: Instant | null;
  heldFrom: Instant | null;
  handledAt: Instant | null;
};

/** The bridge through which canaries came, and when. */
export function heardBridges(records: readonly CanaryRecord[]) {
  return records.flatMap(({ bridge, sentAt, removedAt }) =>
    bridge === null ? [] : [{ ...bridge, sentAt, ...(removedAt === undefined ? {} : { removedAt }) }],
  );
}

/** The canaries of the bridges that together forward every device. */
function ofPartitions(records: readonly CanaryRecord[]): CanaryRecord[] {
  const ids = new Set(covering(heardBridges(records)).map(partitionId));
  return records.filter(({ bridge }) => ids.has(partitionId(bridge ?? wholeBroker)));
}

/** The time up to which a path is known to work. After late canaries it stays at the start of the gap for a while. */
export function shownBy(way: WayName, records: readonly CanaryRecord[], now: Instant, waits: Waits): CanaryEvidence {
  const all = records.filter((record) => record.way === way);
  const own = way === 'broker' ? ofPartitions(all) : all;
  const isComplete = way === 'broker' ? own.length > 0 : own.length >= canariesOf[way];
  const held = own.flatMap(({ gap }) => (gap && isHeldAt(gap, now, waits) ? [gap.from] : []));
  const newestAt = isComplete ? earliest(own.map(({ sentAt }) => sentAt)) : null;
  const handledAt =
    own
      .map((record) => record.handledAt)
      .toSorted()
      .at(-1) ?? null;
  return {
    newestAt,
    knownAt: newestAt && handledAt && knownBy({ sentAt: newestAt, handledAt }, waits),
    heldFrom: earliest(held),
    handledAt,
  };
}

/**
 * Whether the gap still counts. Each camera's first message has its own retry delay, so all late messages have arrived one such delay and one
 * acknowledgement deadline after the first punctual canary.
 */
function isHeldAt({ goodAt }: CanaryGap, now: Instant, waits: Waits): boolean {
  return goodAt === null || now < plus(goodAt, waits.headBackoff + waits.ackDeadline);
}
