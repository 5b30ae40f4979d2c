import Type, { type Static } from 'typebox';
import { peopleChannels } from '../channels.ts';
import { closed, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';

/** A channel that does not get through: to anybody, or to some receivers. */
export const ChannelFailure = Type.Object(
  {
    channel: OneOf(peopleChannels),
    failingSince: {
      ...Nullable(Timestamp),
      description: 'Since when messages to whomever fail. null: only those to `receivers` do.',
    },
    lastFailedAt: Nullable(Timestamp),
    detail: Nullable(Type.String({ examples: ['The gateway answered 500.'] })),
    receivers: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          failingSince: Timestamp,
          isRefused: Type.Boolean({ description: 'The channel said that it never takes a message for it.' }),
        },
        closed,
      ),
      {
        maxItems: 50,
        description: 'Receivers that messages do not reach; empty where the bearer is limited to groups.',
      },
    ),
  },
  closed,
);
export type ChannelFailure = Static<typeof ChannelFailure>;

export const ChannelFailures = Type.Array(ChannelFailure, {
  maxItems: peopleChannels.length,
  description: 'Channels that do not get through to people.',
});

/** An endpoint that takes what is CRITICAL and does not get it. */
export const EndpointFailure = Type.Object(
  {
    webhookId: Uuid,
    host: Type.String({ examples: ['hooks.example.com'] }),
    state: OneOf(['failing', 'disabled'] as const),
    since: Timestamp,
    reason: { ...Nullable(Type.String()), description: 'Why the service disabled it. null: it goes on trying.' },
  },
  closed,
);
export type EndpointFailure = Static<typeof EndpointFailure>;

export const mostEndpointFailures = 50;
export const EndpointFailures = Type.Array(EndpointFailure, {
  maxItems: mostEndpointFailures,
  description:
    'Endpoints that take what is CRITICAL and fail, or that the service disabled; empty where the bearer may not read endpoints.',
});
