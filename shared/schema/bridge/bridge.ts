import Type, { type Static } from 'typebox';
import { closed, Nullable, Timestamp } from '../common.ts';

const Part = Type.Integer({ minimum: 1, maximum: 64 });

/** A bridge between your broker and Watchpost that is expected to forward. */
export const Bridge = Type.Object(
  {
    partition: { ...Part, description: 'Number of the bridge, from 1 on.' },
    of: { ...Part, description: 'Number of bridges among which devices are divided.' },
    lastHeardAt: {
      ...Nullable(Timestamp),
      description: 'When the newest canary that came through it was sent. null: none came.',
    },
  },
  closed,
);
export type Bridge = Static<typeof Bridge>;

export const BridgeList = Type.Object({ bridges: Type.Array(Bridge, { maxItems: 200 }) }, closed);
export type BridgeList = Static<typeof BridgeList>;
