import Type, { type Static, type TNumber, type TOptional } from 'typebox';
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
  readings,
  Timestamp,
  Uuid,
  undoable,
} from '../common.ts';
import {
  alertActions,
  alertCodes,
  alertStatuses,
  categories,
  type MeasureName,
  measureNames,
  measures,
  severities,
} from '../vocabulary.ts';

export const Severity = OneOf(severities);
export const Category = OneOf(categories);
export const AlertCode = OneOf(alertCodes);
export const AlertStatus = OneOf(alertStatuses);
export const AlertAction = OneOf(alertActions);
/** The priority that a rule gives. P1 to P5 sort before any other text. */
export const Priority = Type.String({ ...Line(40), examples: ['P1'] });

/** The thresholds that measures passed. */
const limits = Object.fromEntries(
  measureNames.flatMap((name) => {
    const { limit } = measures[name];
    return limit ? [[limit, Type.Optional(Type.Number())]] : [];
  }),
) as { [Name in MeasureName as (typeof measures)[Name]['limit'] & string]: TOptional<TNumber> };

/** Further details. Which members are present depends on the category and on what was measured. */
export const AlertContext = Type.Object(
  {
    lastConnected: Type.Optional(Timestamp),
    lastReportBy: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Of a silent camera: its last report came between `lastConnected` and this.',
      }),
    ),
    brokerHost: Type.Optional(Type.String()),
    reconnectAttempts: Type.Optional(Type.Integer({ minimum: 0 })),
    cause: Type.Optional(OneOf(['disconnected', 'silent'])),
    reconnectsLastHour: Type.Optional(Type.Integer({ minimum: 0 })),
    attempts: Type.Optional(
      Type.Integer({ minimum: 1, description: 'All attempts of this alert; the message describes the newest one.' }),
    ),
    reason: Type.Optional(Type.String()),
    notAfter: Type.Optional(Timestamp),
    daysLeft: Type.Optional(Type.Number()),
    expectedHost: Type.Optional(Type.String()),
    attemptedHost: Type.Optional(Type.String()),
    failedAttempts: Type.Optional(Type.Integer({ minimum: 0 })),
    fields: Type.Optional(Type.Array(Type.String())),
    maxSeverity: Type.Optional(Type.String()),
    fieldsRestored: Type.Optional(Type.Array(Type.String())),
    driftCount: Type.Optional(Type.Integer({ minimum: 0 })),
    window: Type.Optional(Type.String()),
    recommendation: Type.Optional(Type.String()),
    ...readings,
    ...limits,
  },
  { description: 'Further details; members depend on the category.' },
);
export type AlertContext = Static<typeof AlertContext>;

const contractMembers = {
  alertId: Uuid,
  deviceId: DeviceId,
  groupId: GroupId,
  code: AlertCode,
  severity: Severity,
  category: Category,
  message: Type.String({ minLength: 1 }),
  timestamp: Timestamp,
  context: AlertContext,
  resolved: Type.Boolean(),
  resolvedAt: Nullable(Timestamp),
};

/** The device alert of the contract, with the members that each consumer may rely on. */
export const DeviceAlert = Type.Object(contractMembers);
export type DeviceAlert = Static<typeof DeviceAlert>;

/** An alert as the API shows it: the contract's members, its lifecycle and the actions that are possible now. */
export const Alert = Type.Object(
  {
    ...contractMembers,
    deviceName: Nullable(
      Type.String({
        description: 'Name of the camera. It is kept up to date while the alert is open.',
      }),
    ),
    site: Nullable(Type.String({ description: 'Site of the camera, updated like its name.' })),
    incidentId: Nullable(
      Type.String({
        format: 'uuid',
        description:
          'The incident that it belongs to. While that is open, people are notified of the incident instead of the alert.',
      }),
    ),
    status: AlertStatus,
    availableActions: Type.Array(AlertAction),
    occurrences: Type.Integer({
      minimum: 1,
      description: 'How often the condition was seen, including the first time.',
    }),
    lastSeenAt: Timestamp,
    priority: Nullable(Priority),
    team: Nullable(Type.String({ description: 'The team it was escalated to.' })),
    acknowledgedAt: Nullable(Timestamp),
    acknowledgedBy: Nullable(Type.String()),
    escalatedAt: Nullable(Timestamp),
    snoozedUntil: Nullable(Timestamp),
    respondBy: Nullable(
      Type.String({
        format: 'date-time',
        description: 'When it is escalated unless somebody acknowledges it. null: no clock runs.',
      }),
    ),
    resolution: Nullable(OneOf(['manual', 'automatic', 'superseded', 'moved', 'deleted'])),
    flapping: Type.Boolean(),
    worsenedAt: Nullable(Type.String({ format: 'date-time', description: 'When it last got worse by a step.' })),
    maintenance: Nullable(
      Type.String({ description: 'The maintenance window that silences it: nobody is notified during the window.' }),
    ),
    ...undoable,
  },
  closed,
);
export type Alert = Static<typeof Alert>;

/** Open alerts by their state. */
const OpenAlertCounts = Type.Object(
  {
    active: Type.Integer({ minimum: 0 }),
    acknowledged: Type.Integer({ minimum: 0 }),
    escalated: Type.Integer({ minimum: 0 }),
  },
  {
    ...closed,
    description: 'On the first page: number of open alerts that match the other filters, whatever `status` is.',
  },
);

export const AlertList = Type.Object(
  {
    alerts: Type.Array(Alert),
    counts: Type.Optional(OpenAlertCounts),
    nextPageToken: Type.Optional(Type.String()),
  },
  closed,
);

/** The orders in which alerts are listed, the usual one first. */
export const alertOrders = ['timestamp desc', 'timestamp asc', 'urgency desc'] as const;

export type AlertList = Static<typeof AlertList>;

const commonFilters = {
  status: many(
    OneOf([...alertStatuses, 'open', 'all'], {
      description:
        '`open` means active, acknowledged and escalated. An unacknowledged alert changes from `active` to `escalated`, so use `open` to get all unresolved alerts.',
    }),
  ),
  severity: many(Severity),
  code: many(AlertCode),
  category: many(Category),
  groupId: many(GroupId),
  priority: many(Priority),
  snoozed: Type.Optional(Type.Boolean()),
  maintenance: Type.Optional(Type.Boolean({ description: 'Whether a maintenance window silences it now.' })),
  since: Type.Optional(Timestamp),
  until: Type.Optional(Timestamp),
};
const order = {
  orderBy: Type.Optional(
    OneOf(alertOrders, {
      description:
        '`urgency desc`: the highest severity first, then P1 to P5, other priorities and none, then the oldest first. It cannot be combined with `since` or `until`.',
    }),
  ),
  ...paging,
};
const alertFilters = {
  ...commonFilters,
  ...{
    deviceId: many(DeviceId),
    incidentId: many(Uuid),
    site: many(PlaceId),
    q: Type.Optional(
      Type.String({
        ...Line(128),
        description:
          'Prefix of a code (`CONN_`), or of words in the present id, name or site of the camera. 400 if it matches too many cameras.',
        examples: ['gate'],
      }),
    ),
  },
};

export const DeviceAlertsQuery = Type.Object({ ...commonFilters, ...order }, closed);
export const AlertsQuery = Type.Object({ ...alertFilters, ...order }, closed);
/** Conditions that select the alerts of an action on all matching alerts. */
export const AlertFilter = Type.Object(alertFilters, closed);
export type AlertFilter = Static<typeof AlertFilter>;
export type AlertsQuery = Static<typeof AlertsQuery>;

/** Body of the actions that need only a reason. */
export const ActionRequest = Type.Object({ comment: Type.Optional(Line(1000)) }, closed);
