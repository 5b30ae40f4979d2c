import Type, { type Static } from 'typebox';
import { closed, DeviceId, many, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';
import { endpointEvents, webhookEvents } from '../vocabulary.ts';

const FeedEventType = OneOf([...webhookEvents, ...endpointEvents]);

/** The body of an event about an endpoint itself. */
export const EndpointEvent = Type.Object(
  {
    eventType: OneOf(endpointEvents),
    version: Type.String({ examples: ['1.0'] }),
    timestamp: Timestamp,
    webhookId: Uuid,
    since: { ...Timestamp, description: 'Since when it fails, is disabled or, if it works again, was told of.' },
    reason: Nullable(Type.String({ examples: ['It answered 500.'] })),
  },
  closed,
);
export type EndpointEvent = Static<typeof EndpointEvent>;

/** One event of the feed. */
export const FeedEvent = Type.Object(
  {
    recordId: Type.String({
      format: 'uuid',
      description: 'Identifies the event, with the same value in every read. Receivers deduplicate by it.',
    }),
    eventId: Type.String({ description: 'Identifies the event among those of its type; deliveries contain it too.' }),
    type: FeedEventType,
    at: Timestamp,
    deviceId: Nullable(DeviceId),
    body: Type.String({
      description:
        'The payload as text: exactly the bytes that webhooks send. Of an event about an endpoint: `eventType`, `version`, `timestamp`, `webhookId`, `since`, `reason`.',
    }),
  },
  closed,
);
export type FeedEvent = Static<typeof FeedEvent>;

export const FeedPage = Type.Object(
  {
    events: Type.Array(FeedEvent, { description: 'In the order in which the store committed them.' }),
    cursor: Type.String({ description: 'The position of the next page. Always present, also without events.' }),
  },
  closed,
);
export type FeedPage = Static<typeof FeedPage>;

export const FeedQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        maxLength: 256,
        examples: ['now'],
        description:
          'The cursor of the previous page; `now` for events from now on. Default: the oldest event that is kept.',
      }),
    ),
    types: many(FeedEventType),
    wait: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 25, default: 0, description: 'Seconds to wait for the first event.' }),
    ),
  },
  closed,
);
export type FeedQuery = Static<typeof FeedQuery>;
