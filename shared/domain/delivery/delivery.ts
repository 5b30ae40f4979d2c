import type { AddressChannel, DeliveryChannel, PeopleChannel } from '../../schema/channels.ts';
import type { HandoffAction } from '../../schema/settings/handoff-kinds.ts';
import type { ChatKind, channelTable, DeliveryStatus, Occasion } from '../../schema/vocabulary.ts';
import type { Attached } from '../attachment.ts';
import type { EventRecord } from '../event/event.ts';
import { retention, type Waits } from '../limits.ts';
import { shardOf } from '../shards.ts';
import { type Instant, plus } from '../time.ts';
import type { Undo } from '../undo.ts';
import type { UncountedEnd } from './channel-health.ts';

/** Delays of the contract before attempts 2 to 5. */
const delays = ['retry2', 'retry3', 'retry4', 'retry5'] as const satisfies (keyof Waits)[];

/** Attempts are spread over this share of the delay, always after the contract's delay. */
const jitterShare = 0.1;

/**
 * When the next attempt is due after a failed one.
 * @param failed attempts made in this round, 1 for the first
 * @param retryDelays seconds, where the endpoint has its own
 * @param jitter 0 up to 1: the position within the spread
 * @param retryAfterMs the wait that the receiver asked for; it can only lengthen the delay, to at most `retryAfterCap`
 */
export function nextAttemptAt(
  failed: number,
  failedAt: Instant,
  {
    jitter,
    retryAfterMs,
    retryDelays,
  }: { jitter: number; retryAfterMs: number | null; retryDelays?: readonly number[] },
  waits: Waits,
): Instant {
  const own = retryDelays?.[failed - 1] ?? retryDelays?.at(-1);
  const delay = own === undefined ? waits[delays[failed - 1] ?? 'retry5'] : own * waits.settingsSecond;
  const asked = Math.min(retryAfterMs ?? 0, waits.retryAfterCap);
  return plus(failedAt, Math.ceil(Math.max(delay, asked) + delay * jitterShare * jitter));
}

/**
 * Reads `Retry-After`: seconds or an HTTP date. If the header appears twice, the longer wait counts.
 * @returns milliseconds from `now`; null if it is absent, unreadable or in the past
 */
export function readRetryAfter(header: string | readonly string[] | undefined, now: Instant): number | null {
  const values = (typeof header === 'string' ? [header] : (header ?? [])).map((value) => millisecondsOf(value, now));
  const longest = Math.max(0, ...values);
  return longest > 0 ? longest : null;
}

function millisecondsOf(value: string, now: Instant): number {
  const text = value.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // The three forms of RFC 9110 begin with the name of a day. `Date.parse` alone would accept many texts that are not such a date.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]{10,40}$/.test(text)) return 0;
  const until = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.parse(now));
}

/** Where a delivery goes. Secret addresses (chat webhooks) stay in the record that owns them until it is sent. */
export type Target =
  | { kind: 'webhook'; webhookId: string }
  /** An address of the external watchdog, by its number, because the address is a secret. */
  | { kind: 'heartbeat'; index: number }
  | { kind: 'chat'; team: string; chatId: string }
  | { kind: 'handoff'; team: string; handoffId: string }
  | { kind: AddressChannel; team: string; address: string };

/** What a message to people is about. Each attempt renders it from the records as they are at that time. */
export type Message = {
  about: 'alert' | 'incident' | 'guardian' | 'digest' | 'held';
  /** Id of the record. For a digest: the target of its window. */
  id: string;
  occasion: Occasion;
  /** For a digest: its window, and the messages that were sent individually in it. */
  window?: number;
  left?: Left[];
  /** For the notice that an hourly budget is used up: the number of held messages. */
  count?: number;
  /** For that notice: when the messages of the hour left, and when the next one may. */
  sent?: Instant[];
  nextAt?: Instant;
  /** For a digest: alerts that ended before it was sent, and alerts that belong to an earlier digest but were found later. */
  went?: number;
  late?: number;
  /** For a guardian alert: its fields and what happened to them. */
  fields?: string[];
  remark?: string | null;
};

/** A message that was sent to a target: the record that it was about, and the occasion. */
export type Left = { about: string; occasion: Occasion };

/** The form in which a channel takes a message. */
export type MessageForm = NonNullable<(typeof channelTable)[PeopleChannel]['form']> | ChatKind;

/** The part of a target's budget that a message uses. */
export type Slot = {
  targetId: string;
  form: MessageForm;
  use: 'direct' | 'digest' | 'held';
  /** It may use the slot reserved for blindness and security. */
  isUrgent: boolean;
  /** It is always sent with the digest of its window, even if slots are free. */
  isGathered?: boolean;
  /**
   * The digest window that its alert notes (`domain/notify/notes.ts`). If the message finds no free slot, this digest reports the alert instead.
   * Null: the record notes no window, as an incident.
   */
  window: number | null;
  /**
   * It took a slot for an earlier attempt, so its window counts it as sent. If a retry finds no slot, the delivery itself notes the open digest
   * window.
   */
  hasLeft: boolean;
};

/** How one attempt ended. `errorClass` null: the receiver took it. */
export type Attempt = {
  number: number;
  round: number;
  at: Instant;
  durationMs: number;
  statusCode: number | null;
  errorClass: ErrorClass | null;
  /** What went wrong, in words without secrets. */
  detail: string | null;
  /** The beginning of the receiver's answer. */
  responseExcerpt: string | null;
  /** The template of the endpoint that the event was filled into. Absent: none. */
  templateVersion?: number;
};

const errorClasses = [
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
  'template_failed',
  'token_failed',
  'client_certificate_refused',
] as const;
export type ErrorClass = (typeof errorClasses)[number];

/** The place of a delivery in the queue of one alert or incident at one hand-off. Deliveries in this queue must keep their order. */
export type HandoffOrder = {
  about: 'alert' | 'incident' | 'test';
  /** The deduplication key: the id of the alert or incident. */
  key: string;
  action: HandoffAction;
  /** The previous delivery in the queue. Null: it is the first. */
  behind: string | null;
  /** It is repeated until the next one replaces it. */
  isRepeated: boolean;
  /** When it may be sent, if its receiver limits requests per minute. */
  slotAt?: Instant;
};

/** A first sending of a delivery (number 1), or a later one that was asked for. `by`: the subject that asked; null: the service did. */
type Round = { number: number; at: Instant; by: string | null };

/** How a round ended. `reason`: why it was held or dismissed. */
export type Outcome = Round & {
  status: Exclude<DeliveryStatus, 'pending'>;
  reason: string | null;
  endedAt: Instant;
  attempts: number;
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
  /**
   * An event of an endpoint: `detection`, `alert`, `guardian`, `incident`, `audit`, `checkpoint`, `test` or `challenge`. A message to people:
   * `notification`, `digest`, `held`, `notice`, `report` or `test`. For a hand-off: `alert`, `incident` or `test`. For the external watchdog:
   * `heartbeat`.
   */
  eventType: string;
  /** The event whose sample a test sends, under this name. Absent: a test sends no sample. */
  sampleOf?: string;
  /** What identifies the event: a detection's session id, an alert's id and version … */
  eventId: string;
  alertId: string | null;
  deviceId: string | null;
  groupId: string | null;
  /** Sequence number among the detections of its device for this endpoint. Absent: the endpoint does not use numbers. */
  sequence?: number;
  /**
   * The exact text that every attempt sends. Empty if the event record holds it (`recordId`), or if each attempt renders the message anew: its link
   * is for the receiver only.
   */
  body: string;
  /** The event record that holds the body. Null: `body` holds it. */
  recordId: string | null;
  /** What each attempt is rendered from. Null: `body` is sent as it is. */
  message: Message | null;
  /** The budget that it uses. Null: none. */
  slot: Slot | null;
  /** Files of a mail. A receiver gets a file once: if it is not known whether the mail has left, a person decides. */
  attached?: Attached[];
  /** Its place in a queue of a hand-off. Absent: it is not for a hand-off. */
  handoff?: HandoffOrder;
  /** The digest window that replaces it. */
  digestId: string | null;
  /** Why the service dismissed it: its content was no longer true, a digest replaced it, or the database was restored. Null: it was not dismissed by the service. */
  dismissedReason: 'overtaken' | 'digest' | 'restored' | null;
  status: DeliveryStatus;
  heldReason: string | null;
  /** Attempts in one round. A redelivery starts a new round. */
  maxAttempts: number;
  /** Number of all attempts, and how many of them were made before the present round. */
  attemptCount: number;
  earlierAttempts: number;
  /** Attempts of all rounds, oldest first. */
  attempts: Attempt[];
  /** The present round, and how each round ended: only further ones are added. */
  round: Round;
  outcomes: Outcome[];
  createdAt: Instant;
  finishedAt: Instant | null;
  /** When the next attempt is due. Null: none is. During an attempt: the time by which it must be over. */
  dueAt: Instant | null;
  /** A process is making an attempt until this time. */
  leasedUntil: Instant | null;
  /** How it ended, as long as the health of its channel does not count it. */
  end?: UncountedEnd;
  /** The groups of an event of several, if its endpoint was limited to groups. Absent: `groupId` says it. */
  ofGroups?: readonly string[];
  /** When it was last postponed because nothing outside answered. Absent: never. */
  unheardAt?: Instant;
  /** What is needed to undo its dismissal. */
  undo: DeliveryUndo | null;
  shard: number;
  version: number;
  expireAt: Instant;
};

/** The events and deliveries that an input causes for machines. */
export type Publication = { events: EventRecord[]; deliveries: Delivery[] };

/** The dismissal of a delivery, with the state that it replaced. */
type DeliveryUndo = Undo & { before: Pick<Delivery, 'status' | 'heldReason' | 'finishedAt'> };

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
  Partial<Pick<Delivery, 'message' | 'slot' | 'recordId' | 'handoff' | 'ofGroups'>>;

/** A new delivery. Its first attempt is due at once; with a reason to hold it, it waits for a person. */
export function newDelivery(seed: DeliverySeed, now: Instant, heldReason: string | null = null): Delivery {
  return {
    message: null,
    slot: null,
    recordId: null,
    ...seed,
    digestId: null,
    dismissedReason: null,
    webhookId: seed.target.kind === 'webhook' ? seed.target.webhookId : null,
    status: heldReason === null ? 'pending' : 'held',
    heldReason,
    attemptCount: 0,
    earlierAttempts: 0,
    attempts: [],
    round: { number: 1, at: now, by: null },
    outcomes: [],
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
  templateVersion?: number;
  /** Nothing came back, although `errorClass` says more than that. */
  isSilent?: boolean;
};
