import Type, { type Static } from 'typebox';
import { AlertCode } from '../alert/alert.ts';
import { closed, DeviceId, GroupId, Line, Nullable, OneOf, paging, Reporting, Timestamp } from '../common.ts';
import { deviceStates, guardianStatuses } from '../vocabulary.ts';

/** A device as the API shows it. */
export const Device = Type.Object(
  {
    deviceId: DeviceId,
    groupId: GroupId,
    name: Type.String(),
    model: Nullable(Type.String()),
    serial: Nullable(Type.String()),
    firmware: Nullable(Type.String()),
    ip: Nullable(Type.String()),
    reporting: Nullable(Reporting),
    state: OneOf(deviceStates, {
      description: '`unknown`: it is overdue, and the platform itself cannot see whether it is there.',
    }),
    isOnline: Type.Boolean({ description: 'state is online' }),
    online: Type.Boolean({ description: 'The same as `isOnline`.' }),
    registeredAt: Timestamp,
    lastSeenAt: Timestamp,
    lastConnectedAt: Nullable(Timestamp),
    clockSkewSeconds: Nullable(
      Type.Number({ description: 'Device clock minus cloud clock, where they differ by more than 60 s.' }),
    ),
    readings: Type.Object(
      {
        memoryUsedPercent: Type.Optional(Type.Number()),
        storageFreeMegabytes: Type.Optional(Type.Number()),
        latencyMs: Type.Optional(Type.Number()),
      },
      closed,
    ),
    guardian: Nullable(
      Type.Object(
        {
          enrolled: Type.Boolean({ description: 'Whether a key of its guardian is registered.' }),
          status: Nullable(OneOf(guardianStatuses)),
          reason: Nullable(Type.String()),
          lastSeenAt: Nullable(Timestamp),
          goldenGeneration: Nullable(Type.Integer()),
          alertsMissing: Type.Integer({
            description: 'Alerts that the guardian has sent for 10 minutes or more and that never came.',
          }),
        },
        { ...closed, description: 'Null where no guardian was ever enrolled.' },
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
    groupId: Type.Optional(Type.Array(GroupId, { minItems: 1, maxItems: 30, uniqueItems: true })),
    online: Type.Optional(Type.Boolean()),
    q: Type.Optional(Line(128)),
    ...paging,
  },
  closed,
);
export type DevicesQuery = Static<typeof DevicesQuery>;

/** What a person may set by hand; reports no longer change it then. */
export const DevicePatch = Type.Object(
  {
    name: Type.Optional(Line(128)),
    groupId: Type.Optional(GroupId),
    reporting: Type.Optional(Nullable(Reporting)),
  },
  { ...closed, minProperties: 1 },
);
export type DevicePatch = Static<typeof DevicePatch>;
