import Type, { type Static } from 'typebox';
import { peopleChannels } from '../channels.ts';
import { closed, Nullable, OneOf, Timestamp } from '../common.ts';

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
