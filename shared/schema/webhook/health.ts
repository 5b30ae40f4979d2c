import Type, { type Static } from 'typebox';
import { closed, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';

export const EndedDeliveries = Type.Object(
  { delivered: Type.Integer({ minimum: 0 }), failed: Type.Integer({ minimum: 0 }) },
  { ...closed, description: 'Deliveries created in this time that were taken, and that were given up.' },
);

/** The health of an endpoint: the state of its circuit breaker, and the outcomes of its deliveries. */
export const WebhookHealth = Type.Object(
  {
    webhookId: Uuid,
    state: OneOf(['healthy', 'failing', 'paused', 'pending', 'disabled'], {
      description: '`failing`: the newest attempt failed, or 3 of `recent` in the last hour.',
    }),
    recent: Type.Object(
      {
        failed: Type.Integer({ minimum: 0 }),
        of: Type.Integer({ minimum: 0, maximum: 10 }),
        since: Nullable(Timestamp),
      },
      { ...closed, description: 'The newest attempts, since the oldest of them.' },
    ),
    waiting: Type.Integer({ minimum: 0, description: 'Deliveries that are on their way.' }),
    circuit: OneOf(['closed', 'open', 'testing'], {
      description:
        '`closed`: deliveries go out. `open`: it failed several times in a row, and nothing goes out until `pausedUntil`. `testing`: one delivery at a time tests whether it answers again.',
    }),
    pausedUntil: Nullable(Timestamp),
    failuresInRow: Type.Integer({ minimum: 0 }),
    failingSince: Nullable(Timestamp),
    lastSuccessAt: Nullable(Timestamp),
    last24h: EndedDeliveries,
    last28d: EndedDeliveries,
  },
  closed,
);
export type WebhookHealth = Static<typeof WebhookHealth>;

export const WebhookHealthList = Type.Object(
  { health: Type.Array(WebhookHealth), nextPageToken: Type.Optional(Type.String()) },
  closed,
);
