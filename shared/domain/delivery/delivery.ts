import type { AddressChannel, DeliveryChannel, PeopleChannel } from '../../schema/channels.ts';
import type { HandoffAction } from '../../schema/settings/handoff-kinds.ts';
import type { ChatKind, channelTable, DeliveryStatus, Occasion } from '../../schema/vocabulary.ts';
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
  /** An address of the watch outside, by its number: the address is a secret. */
  | { kind: 'heartbeat'; index: number }
  | { kind: 'chat'; team: string; chatId: string }
  | { kind: 'handoff'; team: string; handoffId: string }
  | { kind: AddressChannel; team: string; address: string };

/** What a message to people is about: each attempt is rendered from these records as they are then. */
export type Message = {
  about: 'alert' | 'incident' | 'guardian' | 'digest' | 'held';
  /** The record: of a digest, the target whose window it tells of. */
  id: string;
  occasion: Occasion;
  /** Of a digest: its window, and what has left directly in it. */
  window?: number;
  left?: Left[];
  /** Of the word that an hour is used up: how many are held back. */
  count?: number;
  /** Of a digest: alerts that came and went before, and that were found after their digest had left. */
  went?: number;
  late?: number;
  /** Of a guardian's alert: the fields that it is about, and what is said of it. */
  fields?: string[];
  remark?: string | null;
};

/** What has left for a target: the record that it was about. */
export type Left = { about: string; occasion: Occasion };

/** The form in which a channel takes a message. */
export type MessageForm = NonNullable<(typeof channelTable)[PeopleChannel]['form']> | ChatKind;

/** By which part of a target's budget a message leaves. */
export type Slot = {
  targetId: string;
  form: MessageForm;
  use: 'direct' | 'digest' | 'held';
  /** It may take the slot for blindness and security. */
  isUrgent: boolean;
  /** It leaves with the digest of its window, whatever slots are free. */
  isGathered?: boolean;
  /** The window of digests that its record notes, and that tells of it where it finds no slot; null: no record notes one. */
  window: number | null;
  /** It has left before: where it finds no slot again, it notes the digest that tells of it by itself. */
  hasLeft: boolean;
};

/** How one attempt ended. `errorClass` null: the receiver took it. */
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

/** The place of a delivery among what one hand-off is told of one thing: two of them must not overtake each other. */
export type HandoffOrder = {
  about: 'alert' | 'incident' | 'test';
  /** The deduplication key: the id of the alert or incident. */
  key: string;
  action: HandoffAction;
  /** The delivery before it. Null: it is the first. */
  behind: string | null;
  /** It is sent again and again until the next one takes its place. */
  isRepeated: boolean;
};

/** One event on its way to one target over one channel, with its attempts. Each outgoing message of each channel is a delivery. */
export type Delivery = {
  deliveryId: string;
  channel: DeliveryChannel;
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
  /** The bytes that every attempt sends, as text; empty where each is rendered anew: its link is for nobody but its receiver. */
  body: string;
  /** From what each attempt is rendered; null: `body` stands. */
  message: Message | null;
  /** By which budget it leaves; null: by none. */
  slot: Slot | null;
  /** Its place among what one hand-off is told of one thing; absent: it is for no hand-off. */
  handoff?: HandoffOrder;
  /** The digest window that tells of it in its place. */
  foldId: string | null;
  /** Why it was dismissed, where no person did it: nothing in it was true any more, or a digest tells of it. */
  dismissedReason: 'overtaken' | 'digest' | null;
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
  /** When it was last put off because nothing outside answered. Absent: never. */
  unheardAt?: Instant;
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
> &
  Partial<Pick<Delivery, 'message' | 'slot' | 'handoff'>>;

/** A new delivery. Its first attempt is due at once, or it waits for a person where there is a reason to hold it. */
export function newDelivery(seed: DeliverySeed, now: Instant, heldReason: string | null = null): Delivery {
  return {
    message: null,
    slot: null,
    ...seed,
    foldId: null,
    dismissedReason: null,
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
