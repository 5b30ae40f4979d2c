import Type, { type Static } from 'typebox';
import { AlertCode, AlertStatus, Priority, Severity } from '../alert/alert.ts';
import { Counts } from '../alert/counts.ts';
import { closed, DeviceId, GroupId, many, Nullable, OneOf, OutageSpell, Timestamp, Uuid } from '../common.ts';
import { incidentKinds } from '../vocabulary.ts';
import { ChannelFailures, EndpointFailures } from './channel-failure.ts';

const Count = Type.Integer({ minimum: 0 });

export const NowQuery = Type.Object({ groupId: many(GroupId) }, closed);
export type NowQuery = Static<typeof NowQuery>;

const place = {
  kind: Type.String({ examples: ['site'] }),
  id: Type.String({ examples: ['gbg-central'] }),
  groupId: Nullable(GroupId),
  name: Nullable(Type.String()),
};

/** Who was told, by the outcomes of the messages that the trail names. */
export const NotificationOutcome = Type.Object(
  {
    accepted: Type.Integer({ minimum: 0, description: 'People, rooms and systems whose message was accepted.' }),
    pending: Type.Integer({ minimum: 0, description: 'Those whose message is still on its way.' }),
    digest: Type.Boolean({ description: 'Some were left to a digest.' }),
  },
  closed,
);
export type NotificationOutcome = Static<typeof NotificationOutcome>;

/** One thing that is wrong now: an incident, or the same code at one place or at many. The clock is the one of its worst alert. */
export const Cause = Type.Object(
  {
    key: Type.String({ description: 'Stays the same as long as the cause does.', examples: ['CONN_001 north gbg'] }),
    severity: Severity,
    code: Nullable(AlertCode),
    incident: Nullable(Type.Object({ incidentId: Uuid, kind: OneOf(incidentKinds), title: Type.String() }, closed)),
    alert: {
      ...Nullable(Type.Object({ alertId: Uuid, deviceId: DeviceId, deviceName: Nullable(Type.String()) }, closed)),
      description: 'The alert that needs somebody most. null for an incident.',
    },
    place: { ...Nullable(Type.Object(place, closed)), description: 'null: at several places, see `among`.' },
    among: Type.Array(Type.Object({ ...place, cameras: Count }, closed), {
      maxItems: 50,
      description: 'Of several places the most affected.',
    }),
    places: Count,
    cameras: Nullable(Type.Integer({ minimum: 0, description: 'Cameras concerned. null: not known.' })),
    of: Nullable(Type.Integer({ minimum: 0, description: 'Cameras of the place, or of the groups concerned.' })),
    since: Timestamp,
    status: AlertStatus,
    startedAt: Timestamp,
    respondBy: Nullable(Timestamp),
    escalatedAt: Nullable(Timestamp),
    acknowledgedBy: Nullable(Type.String()),
    team: Nullable(Type.String()),
    priority: Nullable(Priority),
    spells: Type.Array(OutageSpell, {
      description:
        'Of an outage: when its place was dark, oldest first. Empty for other causes, and for a part of its groups.',
    }),
    told: { ...Nullable(NotificationOutcome), description: 'null: not looked up.' },
  },
  closed,
);
export type Cause = Static<typeof Cause>;

/** What is wrong now, the worst first: severity, then the cameras concerned times their share of the place, then what nobody has, then age. */
export const Now = Type.Object(
  {
    causes: Type.Array(Cause, { maxItems: 200 }),
    rest: { ...Counts, description: 'Further causes by severity.' },
    isMore: Type.Boolean({ description: 'Even more alerts are open: counts are at least what they say.' }),
    channels: ChannelFailures,
    endpoints: EndpointFailures,
    generatedAt: {
      ...Nullable(Timestamp),
      description: 'As of when it is complete. null: nothing is known yet. Older than 90 s: the service is behind.',
    },
  },
  closed,
);
export type Now = Static<typeof Now>;
