import Type, { type Static } from 'typebox';
import { AlertCode } from '../alert/alert.ts';
import {
  closed,
  DeviceId,
  GroupId,
  Line,
  many,
  Nullable,
  OneOf,
  PlaceId,
  paging,
  placeId,
  placeKind,
  Reporting,
  readings,
  Timestamp,
} from '../common.ts';
import { deviceStates, shownGuardianStatuses } from '../vocabulary.ts';
import { Coverage, Parents, Tags, tagKey } from './registry.ts';

/** A device as the API shows it. */
export const Device = Type.Object(
  {
    deviceId: DeviceId,
    groupId: GroupId,
    name: Type.String(),
    site: Nullable(PlaceId),
    parents: Parents,
    tags: Tags,
    coverage: Coverage,
    model: Nullable(Type.String()),
    serial: Nullable(Type.String()),
    firmware: Nullable(Type.String()),
    certificateEndsAt: Nullable(
      Type.String({ format: 'date-time', description: 'When its certificate ends, as it reported last.' }),
    ),
    ip: Nullable(Type.String()),
    reporting: Nullable(Reporting),
    state: OneOf(deviceStates, {
      description:
        '`unknown`: it is overdue while the platform itself cannot see whether it is connected. `never-seen`: it was registered, and nothing was ever heard of it.',
    }),
    isOnline: Type.Boolean({ description: 'state is online' }),
    online: Type.Boolean({ description: 'The same as `isOnline`.' }),
    registeredAt: Timestamp,
    lastSeenAt: { ...Nullable(Timestamp), description: 'null until it is seen for the first time.' },
    lastConnectedAt: Nullable(Timestamp),
    clockSkewSeconds: Nullable(
      Type.Number({ description: 'Device clock minus cloud clock, if they differ by more than 60 s.' }),
    ),
    readings: Type.Object(readings, closed),
    guardian: Nullable(
      Type.Object(
        {
          enrolled: Type.Boolean({ description: 'Whether a key of its guardian is registered.' }),
          status: Nullable(
            OneOf(shownGuardianStatuses, {
              description: '`silent`: its healths are missing up to the horizon; null: it has never sent one.',
            }),
          ),
          reason: Nullable(Type.String()),
          lastSeenAt: Nullable(Timestamp),
          goldenGeneration: Nullable(Type.Integer()),
          alertsMissing: Type.Integer({
            description: 'Alerts that the guardian sent 10 minutes ago or earlier and that have not arrived.',
          }),
        },
        { ...closed, description: 'Null if no guardian was ever enrolled.' },
      ),
    ),
    openAlerts: Type.Array(Type.Object({ code: AlertCode, alertId: Type.String() }, closed)),
  },
  closed,
);
export type Device = Static<typeof Device>;

export const DeviceList = Type.Object(
  { devices: Type.Array(Device), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const DevicesQuery = Type.Object(
  {
    groupId: many(GroupId),
    site: many(PlaceId),
    model: many(Line(128)),
    firmware: many(Line(128)),
    state: many(OneOf(deviceStates)),
    online: Type.Optional(Type.Boolean({ description: 'true: `state=online`; false: any other state.' })),
    parent: Type.Optional(
      Type.String({
        pattern: `^${placeKind.slice(1, -1)}:${placeId.slice(1)}`,
        description: 'What it is connected through, as `kind:id`.',
        examples: ['switch:sw-1'],
      }),
    ),
    tag: Type.Optional(
      Type.String({
        pattern: `^${tagKey.slice(1, -1)}:[^\\u0000-\\u001f\\u007f]{1,128}$`,
        description: 'A tag, as `key:value`.',
        examples: ['floor:2'],
      }),
    ),
    q: Type.Optional(
      Type.String({
        ...Line(128),
        description: 'Prefixes of words in its id, name or site; all of them must match.',
        examples: ['gate'],
      }),
    ),
    ...paging,
  },
  closed,
);
export type DevicesQuery = Static<typeof DevicesQuery>;
