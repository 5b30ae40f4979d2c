import Type, { type Static } from 'typebox';
import { closed, DeviceId, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';
import { deviceStates } from '../vocabulary.ts';

const Count = Type.Integer({ minimum: 0 });

/** Why a device is in the state that it is in, as far as the service knows: one sentence, and the facts that it follows from. */
export const DeviceWhy = Type.Object(
  {
    deviceId: DeviceId,
    state: OneOf(deviceStates),
    since: {
      ...Nullable(Timestamp),
      description:
        'Since when it is silent, or was last heard of where that is not certain. null: it is not silent, or was never heard of.',
    },
    sentence: Type.String({
      description: 'Without instants, so that each reader can show `since` in a time zone of their own.',
      examples: ['Its connection was lost (keepalive timeout); so were all 24 other cameras behind uplink u-1.'],
    }),
    evidence: Type.Array(
      Type.Object({ at: Nullable(Timestamp), text: Type.String({ examples: ['It connected'] }) }, closed),
      {
        description: 'Facts, the newest first; those without an instant come last.',
      },
    ),
    neighbours: Type.Array(
      Type.Object(
        {
          kind: Type.String({ examples: ['uplink'] }),
          id: Type.String({ examples: ['u-1'] }),
          name: Nullable(Type.String()),
          others: { ...Count, description: 'Other cameras there, of groups that the token may see.' },
          dark: { ...Count, description: 'Those that are dark now.' },
          together: { ...Count, description: 'Those that became dark at the same time as it.' },
        },
        closed,
      ),
      {
        description: 'The other cameras at each of its places, from narrow to wide. Empty for one that is not silent.',
      },
    ),
    incident: Nullable(
      Type.Object(
        { incidentId: Uuid, title: Type.String({ examples: ['24 of 24 cameras behind uplink u-1 are dark'] }) },
        { ...closed, description: 'The open incident that its loss belongs to.' },
      ),
    ),
  },
  closed,
);
export type DeviceWhy = Static<typeof DeviceWhy>;
