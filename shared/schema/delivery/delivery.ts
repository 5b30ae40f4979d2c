import Type, { type Static } from 'typebox';
import { closed, DeliveryChannel, Nullable, named, OneOf, paging, Timestamp, Uuid, undoable } from '../common.ts';
import { deliveryActions, deliveryStatuses } from '../vocabulary.ts';

export const DeliveryStatus = OneOf(deliveryStatuses);

/** How one attempt ended. */
export const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    round: Type.Integer({ minimum: 1, description: 'The sending that it belongs to.' }),
    at: Timestamp,
    durationMs: Type.Number({ minimum: 0 }),
    statusCode: Nullable(Type.Integer()),
    errorClass: Nullable(Type.String({ description: 'Null: the receiver accepted it.' })),
    detail: Nullable(Type.String()),
    responseExcerpt: Nullable(Type.String({ description: 'The first part of the answer.' })),
    templateVersion: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Which template of the endpoint it was filled into, if it has one.' }),
    ),
  },
  closed,
);

/** How one sending of a delivery ended. */
export const DeliveryRound = Type.Object(
  {
    round: Type.Integer({ minimum: 1 }),
    at: Timestamp,
    by: Nullable(Type.String({ description: 'Who asked for it. Null: the service.' })),
    status: OneOf(['held', 'delivered', 'failed', 'dismissed']),
    reason: Nullable(Type.String()),
    endedAt: Timestamp,
    attempts: Type.Integer({ minimum: 0 }),
  },
  closed,
);

const members = {
  deliveryId: Uuid,
  channel: DeliveryChannel,
  target: Type.String({ description: "The endpoint's id, or a team and its contact or hand-off." }),
  webhookId: Nullable(Uuid),
  eventType: Type.String(),
  eventId: Type.String(),
  alertId: Nullable(Type.String()),
  deviceId: Nullable(Type.String()),
  ...named,
  groupId: Nullable(Type.String()),
  sequence: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Sequence number among the detections of its device, if the endpoint is `sequenced`.',
    }),
  ),
  status: DeliveryStatus,
  heldReason: Nullable(Type.String()),
  dismissedReason: Nullable(
    OneOf(['overtaken', 'digest', 'restored'], {
      description:
        'Why it was not sent: its content was no longer true, a digest replaced it, or it was due in a time that a restore of the database lost.',
    }),
  ),
  attemptCount: Type.Integer({ minimum: 0 }),
  maxAttempts: Type.Integer({ minimum: 1 }),
  attempts: Type.Array(Attempt),
  round: Type.Integer({
    minimum: 1,
    description: 'The present sending. Each redelivery, replay or release is a further one.',
  }),
  rounds: Type.Array(DeliveryRound, { description: 'Sendings that ended, oldest first. None of them ever changes.' }),
  createdAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  nextAttemptAt: Nullable(Timestamp),
  availableActions: Type.Array(OneOf(deliveryActions), { description: 'What the caller may do with it now.' }),
};

/** A delivery as a list shows it, with shortened excerpts of answers. */
export const DeliverySummary = Type.Object(members, closed);
export type DeliverySummary = Static<typeof DeliverySummary>;

/** One delivery. Only that of a webhook shows its payload, because messages of other channels may contain addresses. */
export const Delivery = Type.Object({ ...members, payload: Nullable(Type.String()), ...undoable }, closed);
export type Delivery = Static<typeof Delivery>;

export const DeliveryList = Type.Object(
  { deliveries: Type.Array(DeliverySummary), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const DeliveriesQuery = Type.Object(
  {
    status: Type.Optional(Type.Array(DeliveryStatus, { minItems: 1, maxItems: 5, uniqueItems: true })),
    webhookId: Type.Optional(Uuid),
    channel: Type.Optional(DeliveryChannel),
    since: Type.Optional(Timestamp),
    ...paging,
  },
  closed,
);
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;
