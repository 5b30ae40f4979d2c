import type { WayName } from '../../schema/vocabulary.ts';
import type { Waits } from '../limits.ts';
import { earliest, type Instant, msBetween, plus } from '../time.ts';

/** Canaries that each sweep sends on a way, each with an ordering key of its own: one that waits in its back-off holds up no other. */
export const canariesOf: Record<WayName, number> = { ingest: 4, broker: 1 };

/** A message of our own that takes the way of a report, to show that the way is open. No device: never counted, listed or sent on. */
export type Canary = { way: WayName; n: number; sentAt: Instant };

/** Attribute of a canary that is published straight to Pub/Sub. */
export const canaryAttribute = 'watchpost-canary';

/** A device id that no device may have: canaries come under it through the broker. */
export const reservedDeviceId = 'watchpost';

/** A time in which canaries came late. It ends for good some time after the first that was on time again. */
export type Gap = { from: Instant; goodAt: Instant | null };

/** The newest canary of one number that has come through: one record each. */
export type CanaryRecord = Canary & {
  platformId: string;
  kind: 'canary';
  handledAt: Instant;
  /** When canaries last came late; null where that is over. */
  gap: Gap | null;
};

export function canaryIdOf({ way, n }: Pick<Canary, 'way' | 'n'>): string {
  return `canary-${way}-${n}`;
}

/** What a canary is signed over. */
export function canaryText({ way, n, sentAt }: Canary): string {
  return `watchpost-canary ${way} ${n} ${sentAt}`;
}

/** Puts a canary that came through to the one before it. Null: it is no newer, so a replay changes nothing. */
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

/** What the canaries of a way show. `newestAt` null: not all of them have come through yet, ever. */
export type Shown = { newestAt: Instant | null; heldFrom: Instant | null; handledAt: Instant | null };

/** Up to when a way is known to be open: the oldest of its canaries' newest. After late ones that is the beginning of the gap for a while. */
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

/** Each camera's first message waits in a back-off of its own: what came late is through when that and one acknowledgement have passed. */
function isHeldAt({ goodAt }: Gap, now: Instant, waits: Waits): boolean {
  return goodAt === null || now < plus(goodAt, waits.headBackoff + waits.ackDeadline);
}
