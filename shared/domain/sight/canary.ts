import type { WayName } from '../../schema/vocabulary.ts';
import type { Waits } from '../limits.ts';
import { earliest, type Instant, msBetween, plus } from '../time.ts';

/**
 * Canaries that each sweep sends on a way. Each has its own ordering key, so that one that waits for a retry does not delay the others.
 */
export const canariesOf: Record<WayName, number> = { ingest: 4, broker: 1 };

/**
 * A message of our own that takes the way of a report, to show that the way is open. It is not a device and is never counted, listed or
 * sent on.
 */
export type Canary = { way: WayName; n: number; sentAt: Instant };

/** Attribute of a canary that is published directly to Pub/Sub. */
export const canaryAttribute = 'watchpost-canary';

/** A period in which canaries came late. It ends some time after the first one that was in time again. */
export type Gap = { from: Instant; goodAt: Instant | null };

/** The newest canary of one number that arrived. There is one record for each number. */
export type CanaryRecord = Canary & {
  platformId: string;
  kind: 'canary';
  handledAt: Instant;
  /** When canaries last came late. Null where that is over. */
  gap: Gap | null;
};

export function canaryIdOf({ way, n }: Pick<Canary, 'way' | 'n'>): string {
  return `canary-${way}-${n}`;
}

/** The text that a canary's signature covers. */
export function canaryText({ way, n, sentAt }: Canary): string {
  return `watchpost-canary ${way} ${n} ${sentAt}`;
}

/** Replaces the record by a canary that arrived. Null: it is not newer, so that a replay changes nothing. */
export function withCanary(
  before: CanaryRecord | null,
  canary: Canary,
  handledAt: Instant,
  waits: Waits,
): CanaryRecord | null {
  if (before && canary.sentAt <= before.sentAt) return null;
  const record = { platformId: canaryIdOf(canary), kind: 'canary' as const, ...canary, handledAt };
  const gap = before?.gap && isHeldAt(before.gap, handledAt, waits) ? before.gap : null;
  const isLate = msBetween(canary.sentAt, handledAt) > waits.canaryLate;
  if (isLate) return { ...record, gap: { from: gap?.from ?? before?.sentAt ?? canary.sentAt, goodAt: null } };
  return { ...record, gap: gap && { ...gap, goodAt: gap.goodAt ?? handledAt } };
}

/** What the canaries of a way show. `newestAt` null: not all of them have arrived yet since the beginning. */
export type Shown = { newestAt: Instant | null; heldFrom: Instant | null; handledAt: Instant | null };

/**
 * The time up to which a way is known to be open: the oldest among the newest of its canaries. After late ones it is the beginning of the
 * gap for a while.
 */
export function shownBy(way: WayName, records: readonly CanaryRecord[], now: Instant, waits: Waits): Shown {
  const own = records.filter((record) => record.way === way);
  const isComplete = own.length >= canariesOf[way];
  const held = own.flatMap(({ gap }) => (gap && isHeldAt(gap, now, waits) ? [gap.from] : []));
  return {
    newestAt: isComplete ? earliest(own.map(({ sentAt }) => sentAt)) : null,
    heldFrom: earliest(held),
    handledAt:
      own
        .map(({ handledAt }) => handledAt)
        .toSorted()
        .at(-1) ?? null,
  };
}

/**
 * Whether the gap still counts. Each camera's first message has its own retry wait, so everything late has arrived when that wait and one
 * acknowledgement deadline have passed.
 */
function isHeldAt({ goodAt }: Gap, now: Instant, waits: Waits): boolean {
  return goodAt === null || now < plus(goodAt, waits.headBackoff + waits.ackDeadline);
}
