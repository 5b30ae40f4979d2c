import type { Channel, DeliveryStatus } from '../../schema/vocabulary.ts';

import { retention } from '../limits.ts';
import { shardOf } from '../shards.ts';
import { type Instant, plus } from '../time.ts';
import type { Undo } from '../undo.ts';

/**
 * Where a delivery goes. Addresses that are secrets (chat webhooks) stay in the record that owns them and are read when the delivery is
 * sent.
 */
export type Target =
  | { kind: 'webhook'; webhookId: string }
  | { kind: 'email'; team: string; address: string }
  | { kind: 'chat'; team: string; chatId: string }
  | { kind: 'sms'; team: string; phone: string };

/** How one attempt ended. `errorClass` null: the receiver accepted it. */
export type Attempt = {
  number: number;
  at: Instant;
  durationMs: number;
  statusCode: number | null;
  errorClass: ErrorClass | null;
  /** What went wrong, in words without secrets. */
  detail: string | null;
  /** The beginning of the receiver's answer. */
  responseExcerpt: string | null;
};

export const errorClasses = [
  'http_status',
  'timeout',
  'dns_error',
  'connection_refused',
  'connection_reset',
  'tls_error',
  'redirect',
  'blocked_target',
  'refused_by_channel',
  'not_configured',
  'not_echoed',
] as const;
export type ErrorClass = (typeof errorClasses)[number];

/** One event on its way to one target over one channel, with its attempts. Each outgoing message of each channel is a delivery. */
export type Delivery = {
  deliveryId: string;
  channel: Channel;
  target: Target;
  /** Name of the target without secrets: a webhook's id, a team's name and contact. */
  targetName: string;
  /** The endpoint, where the target is one. Lists filter by it. */
  webhookId: string | null;
  /** `detection`, `alert`, `guardian`, `notification`, `digest`, `notice`, `test` or `challenge`. */
  eventType: string;
  /** What identifies the event: a detection's session id, an alert's id and version … */
  eventId: string;
  alertId: string | null;
  deviceId: string | null;
  groupId: string | null;
  /** The bytes that every attempt sends, as text. */
  body: string;
  status: DeliveryStatus;
  heldReason: string | null;
  /** Attempts in one round. A redelivery starts a new round. */
  maxAttempts: number;
  /** Number of all attempts, and how many of them were made before the present round. */
  attemptCount: number;
  earlierAttempts: number;
  /** The latest attempts, oldest first. */
  attempts: Attempt[];
  createdAt: Instant;
  finishedAt: Instant | null;
  /** When the next attempt is due. Null: none is. While an attempt is in progress, the time by which it must be over. */
  dueAt: Instant | null;
  /** Until this time a process is making an attempt. */
  leasedUntil: Instant | null;
  /** What is needed to undo its dismissal. */
  undo: DeliveryUndo | null;
  shard: number;
  version: number;
  expireAt: Instant;
};

/** The dismissal of a delivery, with the state that it replaced. */
export type DeliveryUndo = Undo & { before: Pick<Delivery, 'status' | 'heldReason' | 'finishedAt'> };

export type DeliverySeed = Pick<
  Delivery,
  | 'deliveryId'
  | 'channel'
  | 'target'
  | 'targetName'
  | 'eventType'
  | 'eventId'
  | 'alertId'
  | 'deviceId'
  | 'groupId'
  | 'body'
  | 'maxAttempts'
>;

/** A new delivery. Its first attempt is due at once, or it waits for a person where there is a reason to hold it. */
export function newDelivery(seed: DeliverySeed, now: Instant, heldReason: string | null = null): Delivery {
  return {
    ...seed,
    webhookId: seed.target.kind === 'webhook' ? seed.target.webhookId : null,
    status: heldReason === null ? 'pending' : 'held',
    heldReason,
    attemptCount: 0,
    earlierAttempts: 0,
    attempts: [],
    createdAt: now,
    finishedAt: null,
    dueAt: heldReason === null ? now : null,
    leasedUntil: null,
    undo: null,
    shard: shardOf(seed.deliveryId),
    version: 1,
    expireAt: plus(now, retention.delivery),
  };
}

/** What a channel reports of one attempt. A receiver's failure is an outcome, never an error. */
export type SendOutcome = {
  statusCode: number | null;
  errorClass: ErrorClass | null;
  detail: string | null;
  responseExcerpt: string | null;
  /** Whether another attempt could help. False ends the delivery at once. */
  isRetryable: boolean;
  /** How long the receiver asks us to wait, milliseconds. */
  retryAfterMs: number | null;
  /** The target wants no further deliveries (410 Gone). */
  isGone: boolean;
};
