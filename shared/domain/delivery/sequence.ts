import type { LostTime } from '../restored/restored.ts';
import { type Instant, plus } from '../time.ts';
import type { Delivery } from './delivery.ts';
import { reasonToWait, type Webhook } from './webhook.ts';
import { payloadVersion, webhookDelivery } from './webhook-events.ts';
import { takesGroup } from './webhook-filter.ts';

/**
 * The last sequence number of one device for each endpoint. They share one record, so that numbering costs a detection only one read and one write.
 */
export type SequenceRecord = {
  deviceId: string;
  /** The group of the device when a number was last given. */
  groupId: string;
  /** The keys of `last`, for queries. */
  endpoints: string[];
  last: Record<string, number>;
  /** The last restore of the database that its numbers know of. Absent: none. */
  restoredAt?: Instant;
};

/** Numbers that a restore skips: some of them may have been given in the time that it lost. */
const skipped = 1_000_000;

/** When one endpoint gets its next `checkpoint` events, which state the last number of every device, and how far the present round of them is. */
export type SequenceCheckpoint = {
  webhookId: string;
  /** The time of the round, its next part, and the last device of the previous part. */
  at: Instant;
  part: number;
  after: string | null;
  dueAt: Instant;
  version: number;
};

/** Devices per checkpoint part. With the longest ids a part has less than 300 KB. */
export const devicesOfPart = 2000;

export function isSequenced({ sequenced }: Pick<Webhook, 'sequenced'>): boolean {
  return sequenced === true;
}

/**
 * The deliveries of one detection, numbered for the endpoints that use numbers, and the record after them. An endpoint that stops using numbers keeps
 * its last one and can continue; a deleted endpoint loses it.
 * @param before null: no endpoint has a number of this device yet
 */
export function numbered(
  deliveries: readonly Delivery[],
  before: SequenceRecord | null,
  webhooks: readonly Webhook[],
  { deviceId, groupId }: { deviceId: string; groupId: string },
  lost: LostTime | null = null,
): { deliveries: Delivery[]; record: SequenceRecord } {
  const counting = new Set(webhooks.filter(isSequenced).map(({ webhookId }) => webhookId));
  const known = new Set(webhooks.map(({ webhookId }) => webhookId));
  const isAfterRestore = lost !== null && before?.restoredAt !== lost.at;
  const from = isAfterRestore ? skipped : 0;
  const kept = Object.entries(before?.last ?? {}).filter(([webhookId]) => known.has(webhookId));
  const last = Object.fromEntries(kept.map(([webhookId, number]) => [webhookId, number + from]));
  const made = deliveries.map((delivery): Delivery => {
    const { webhookId } = delivery;
    if (webhookId === null || !counting.has(webhookId)) return delivery;
    const sequence = (last[webhookId] ?? (lost ? skipped : 0)) + 1;
    last[webhookId] = sequence;
    return { ...delivery, sequence };
  });
  const record = { ...before, deviceId, groupId, endpoints: Object.keys(last).toSorted(), last };
  return { deliveries: made, record: lost ? { ...record, restoredAt: lost.at } : record };
}

export function firstCheckpoint(webhookId: string, now: Instant, everyMs: number): SequenceCheckpoint {
  const at = plus(now, everyMs);
  return { webhookId, at, part: 1, after: null, dueAt: at, version: 1 };
}

/**
 * The next part of a round, and when the following one is due. A disabled or unproven endpoint gets none: the first checkpoint after that contains
 * the same.
 */
export function checkpointPart(
  round: SequenceCheckpoint,
  webhook: Webhook,
  found: readonly SequenceRecord[],
  now: Instant,
  everyMs: number,
): { delivery: Delivery | null; next: SequenceCheckpoint } {
  const { webhookId, at, part } = round;
  const isLast = found.length < devicesOfPart;
  const version = round.version + 1;
  const nextAt = plus(at, everyMs) > now ? plus(at, everyMs) : plus(now, everyMs);
  const next = isLast
    ? { webhookId, at: nextAt, part: 1, after: null, dueAt: nextAt, version }
    : { ...round, part: part + 1, after: found.at(-1)?.deviceId ?? null, dueAt: now, version };
  if (reasonToWait(webhook) !== null) return { delivery: null, next };
  const shown = found.filter(({ groupId }) => takesGroup(webhook.filter, groupId));
  const sequences = Object.fromEntries(shown.map(({ deviceId, last }) => [deviceId, last[webhookId] ?? 0]));
  const head = { eventType: 'checkpoint', version: payloadVersion, timestamp: now, webhookId };
  const event = {
    eventType: 'checkpoint',
    eventId: `${webhook.version}:${at}:${part}`,
    ...{ alertId: null, deviceId: null, groupId: null },
    body: JSON.stringify({ ...head, part, isLast, sequences }),
  };
  return { delivery: webhookDelivery(webhook, event, now), next };
}

/**
 * Whether the endpoint changed after a checkpoint was made: a new address or other groups must not get it. The next checkpoint contains everything.
 */
export function isOvertaken({ eventType, eventId }: Delivery, { version }: Pick<Webhook, 'version'>): boolean {
  return eventType === 'checkpoint' && !eventId.startsWith(`${version}:`);
}
