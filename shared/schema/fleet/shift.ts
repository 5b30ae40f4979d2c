import Type, { type Static } from 'typebox';
import { AlertCode, AlertStatus, Priority, Severity } from '../alert/alert.ts';
import { peopleChannels } from '../channels.ts';
import { closed, DeviceId, GroupId, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';
import { OnCall, OnCallQuery } from '../settings/on-call.ts';
import { incidentKinds } from '../vocabulary.ts';
import { ChannelFailures, EndpointFailures } from './channel-failure.ts';

export const ShiftQuery = OnCallQuery;
export type ShiftQuery = Static<typeof ShiftQuery>;

/** Alerts that a sheet lists one by one. */
export const mostShiftItems = 300;

/** One alert or incident that a shift hands over. */
export const ShiftItem = Type.Object(
  {
    state: OneOf(['unanswered', 'in-hand', 'snoozed', 'maintenance'], {
      description:
        'What the next shift must know of it. A maintenance window counts before a snooze, and both before an acknowledgement.',
    }),
    about: OneOf(['alert', 'incident']),
    id: Uuid,
    severity: Severity,
    code: Nullable(AlertCode),
    kind: Nullable(OneOf(incidentKinds)),
    title: Type.String({ examples: ['The connection is lost'] }),
    groups: Type.Array(GroupId),
    site: Nullable(Type.String()),
    deviceId: Nullable(DeviceId),
    deviceName: Nullable(Type.String()),
    startedAt: Timestamp,
    status: AlertStatus,
    acknowledgedBy: Nullable(Type.String({ description: 'Whoever has it in hand.' })),
    acknowledgedAt: Nullable(Timestamp),
    team: Nullable(Type.String({ description: 'The team it was escalated to.' })),
    priority: Nullable(Priority),
    respondBy: Nullable(Timestamp),
    snoozedUntil: Nullable(Timestamp),
    maintenance: Nullable(Type.String({ description: 'The maintenance window that silences it.' })),
    maintenanceUntil: Nullable(Timestamp),
    heldUntil: {
      ...Nullable(Timestamp),
      description: 'End of the quiet hours that hold back the message about it. null: none is held back.',
    },
  },
  closed,
);
export type ShiftItem = Static<typeof ShiftItem>;

/** The sheet of a hand-over: what is open now, in whose hands, what is silent and until when, and what people were not told. */
export const Shift = Type.Object(
  {
    at: { ...Timestamp, description: 'The hand-over: `onCall` is of this instant.' },
    generatedAt: { ...Timestamp, description: 'Everything else is of this instant.' },
    items: Type.Array(ShiftItem, {
      maxItems: mostShiftItems + 200,
      description:
        'What nobody has comes first, then what is in hand, snoozed, in maintenance; of each the incidents first, then the most urgent.',
    }),
    rest: Type.Integer({ minimum: 0, description: 'Further open alerts, less urgent than those listed.' }),
    heldBack: {
      ...Nullable(
        Type.Array(Type.Object({ channel: OneOf(peopleChannels), target: Type.String(), until: Timestamp }, closed), {
          maxItems: 200,
        }),
      ),
      description:
        'Receivers whose hourly budget is used up, and until when: they hear of no single alert before. null: the bearer is limited to groups.',
    },
    channels: ChannelFailures,
    endpoints: EndpointFailures,
    onCall: {
      ...Nullable(Type.Array(OnCall, { maxItems: 200 })),
      description: 'Who takes over, and who follows, in each team with a rotation. null: needs `settings:read`.',
    },
  },
  closed,
);
export type Shift = Static<typeof Shift>;
