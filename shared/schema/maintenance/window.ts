import Type, { type Static } from 'typebox';
import { closed, DeviceId, GroupId, Line, Nullable, OneOf, paging, Timestamp, Uuid } from '../common.ts';
import { CodePattern, TagFilter } from '../settings/rule.ts';
import { TimeOfDay, TimeZone } from '../settings/settings.ts';
import { weekdays, windowStates } from '../vocabulary.ts';

const some = <T extends Type.TSchema>(items: T, maxItems: number) =>
  Type.Optional(Type.Array(items, { minItems: 1, maxItems, uniqueItems: true }));
const Name = Line(128);

/** The devices and alerts that a window matches. Within a member any of the values may match, and all given members must match. */
export const MaintenanceScope = Type.Object(
  {
    devices: some(DeviceId, 500),
    groups: some(GroupId, 100),
    sites: some(Name, 100),
    parents: some(Type.Object({ kind: Name, id: Name }, closed), 100),
    tags: Type.Optional(TagFilter),
    codes: Type.Optional(
      Type.Array(CodePattern, {
        minItems: 1,
        maxItems: 50,
        uniqueItems: true,
        description: 'Absent: every code except security codes, which are silenced only if they are named here.',
      }),
    ),
  },
  { ...closed, minProperties: 1, description: 'Any value of a member matches; all given members must match.' },
);
export type MaintenanceScope = Static<typeof MaintenanceScope>;

export const Recurrence = Type.Object(
  {
    weekdays: Type.Array(OneOf(weekdays), { minItems: 1, maxItems: 7, uniqueItems: true }),
    from: TimeOfDay,
    to: TimeOfDay,
    timeZone: Type.Optional(TimeZone),
    until: Type.Optional(Timestamp),
  },
  {
    ...closed,
    description:
      'On these days, from one time up to the other; if `to` is not after `from`, it is on the next day. Default time zone: that of the settings.',
  },
);
export type Recurrence = Static<typeof Recurrence>;

/** A window as a person writes it. */
export const MaintenanceWindowInput = Type.Object(
  {
    name: Name,
    reason: Type.Optional(Line(512)),
    scope: MaintenanceScope,
    startsAt: Type.Optional(Timestamp),
    endsAt: Type.Optional(Timestamp),
    recurrence: Type.Optional(Recurrence),
  },
  { ...closed, description: 'Either `startsAt` and `endsAt`, at most 30 days apart, or `recurrence`.' },
);
export type MaintenanceWindowInput = Static<typeof MaintenanceWindowInput>;

export const MaintenanceWindow = Type.Object(
  {
    windowId: Uuid,
    ...MaintenanceWindowInput.properties,
    state: OneOf(windowStates),
    activeUntil: Nullable(Timestamp),
    limitedTo: Nullable(
      Type.Array(GroupId, {
        description: 'Groups that it is limited to, because its author is limited to them; null: every group.',
      }),
    ),
    createdBy: Type.String(),
    createdAt: Timestamp,
    changedAt: Timestamp,
  },
  closed,
);
export type MaintenanceWindow = Static<typeof MaintenanceWindow>;

export const MaintenanceWindowList = Type.Object(
  { windows: Type.Array(MaintenanceWindow), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const MaintenanceWindowQuery = Type.Object(
  { state: Type.Optional(Type.Array(OneOf(windowStates), { uniqueItems: true })), ...paging },
  closed,
);
export type MaintenanceWindowQuery = Static<typeof MaintenanceWindowQuery>;

export const MaintenancePreviewRequest = Type.Object(
  { window: MaintenanceWindowInput, days: Type.Optional(Type.Integer({ minimum: 1, maximum: 30, default: 30 })) },
  closed,
);
export type MaintenancePreviewRequest = Static<typeof MaintenancePreviewRequest>;

/** The alerts that a window would have silenced. */
export const MaintenancePreview = Type.Object(
  {
    since: Timestamp,
    devices: Type.Integer({ minimum: 0, description: 'Devices that it matches now.' }),
    examined: Type.Integer({ minimum: 0 }),
    isComplete: Type.Boolean({ description: 'False where there were more alerts than a preview examines.' }),
    matched: Type.Integer({ minimum: 0, description: 'Alerts in its scope that began in the examined days.' }),
    quiet: Type.Integer({ minimum: 0, description: 'Those that began while it would have been active.' }),
    alerts: Type.Array(
      Type.Object(
        {
          alertId: Uuid,
          deviceId: DeviceId,
          deviceName: Nullable(Type.String({ description: 'Name of the camera, as on the alert.' })),
          groupId: GroupId,
          code: Type.String(),
          timestamp: Timestamp,
          isQuiet: Type.Boolean(),
        },
        closed,
      ),
      { maxItems: 100 },
    ),
  },
  closed,
);
export type MaintenancePreview = Static<typeof MaintenancePreview>;
