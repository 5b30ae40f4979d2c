import Type, { type Static } from 'typebox';
import { Alert } from '../alert/alert.ts';
import { Counts } from '../alert/counts.ts';
import { closed, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';
import { drillHops, drillStates, sightStates, wayNames, wayStates } from '../vocabulary.ts';

const Count = Type.Integer({ minimum: 0 });

export const SightState = OneOf(sightStates);
export const WayState = OneOf(wayStates);

/** The state of one of the paths by which reports arrive. */
export const Way = Type.Object({ name: OneOf(wayNames), state: WayState, lastHandledAt: Nullable(Timestamp) }, closed);

/** The result of the hourly drill. `hop`: the first step of the path that failed. Null: none failed. */
export const Drill = Type.Object(
  { state: OneOf(drillStates), hop: Nullable(OneOf(drillHops)), since: Timestamp, lastPassedAt: Nullable(Timestamp) },
  closed,
);

/** What the platform itself can see: no report published before `horizonAt` is missing. */
export const Platform = Type.Object(
  {
    state: SightState,
    since: Nullable(Timestamp),
    horizonAt: Nullable(Timestamp),
    lastReportAt: Nullable(Timestamp),
    ways: Type.Array(Way),
    incidentId: Nullable(Uuid),
    drill: { ...Nullable(Drill), description: 'null if no drill is set up, or the first one is not over.' },
  },
  closed,
);

export const Fleet = Type.Object(
  {
    devices: Type.Object(
      {
        total: Count,
        online: Nullable(Type.Integer({ minimum: 0, description: 'null while no sweep runs.' })),
        offline: Count,
        unknown: { ...Count, description: 'Overdue while the platform cannot see whether they are connected.' },
        neverSeen: {
          ...Count,
          description: 'Registered, and never heard of: part of `total`, and not of the percentage.',
        },
        onlinePercent: Nullable(
          Type.Number({
            minimum: 0,
            maximum: 100,
            description:
              'Of the devices that were ever heard of; one decimal, rounded down. null if there are none, and while no sweep runs.',
          }),
        ),
      },
      closed,
    ),
    platform: Platform,
    reach: Type.Object(
      { contacts: Type.Boolean({ description: 'Whether anybody would be notified of an alert.' }) },
      closed,
    ),
    alerts: Type.Object(
      {
        open: Counts,
        last24h: Counts,
      },
      { ...closed, description: '`last24h` counts by whole hours (UTC).' },
    ),
    recentAlerts: Type.Array(Alert, { maxItems: 20 }),
    generatedAt: Timestamp,
  },
  closed,
);
export type Fleet = Static<typeof Fleet>;
