import Type, { type Static } from 'typebox';
import { closed, DeviceId, GroupId, Line, LineOrNone, Nullable, OneOf, paging, Text, Timestamp } from '../common.ts';
import { driftSeverities, guardianAlertCodes, guardianSeverities } from '../vocabulary.ts';

/** The contract leaves the values open: an unknown value is kept and shown, and counts as HIGH. */
const DriftSeverity = Type.String({ minLength: 1, maxLength: 64, examples: [...driftSeverities] });

/** `warning`, `info` or `critical`. An unknown value is kept and shown. */
const GuardianSeverity = Type.String({ minLength: 1, maxLength: 64, examples: [...guardianSeverities] });

export const GuardianDevice = Type.Object({
  serial: LineOrNone(256),
  model: LineOrNone(256),
  ip: Nullable(LineOrNone(256)),
});
const common = { device: GuardianDevice, timestamp: Timestamp };
const FieldName = Line(256);

/** A protected field whose value is not the golden one. */
export const DriftedField = Type.Object({
  name: FieldName,
  expected: Type.Unknown(),
  actual: Type.Optional(Type.Unknown()),
  severity: DriftSeverity,
});
export const LastDrift = Type.Object({
  field: FieldName,
  expected: Type.Optional(Type.Unknown()),
  actual: Type.Optional(Type.Unknown()),
});

export const DriftAlert = Type.Object({
  alertCode: Type.Literal('CONFIG_DRIFT'),
  severity: GuardianSeverity,
  ...common,
  drift: Type.Object({
    fields: Type.Array(DriftedField, { minItems: 1, maxItems: 100 }),
    maxSeverity: DriftSeverity,
    count: Type.Integer({ minimum: 1 }),
  }),
  action: Type.String({ minLength: 1, maxLength: 64, examples: ['HEALING', 'ALERT_ONLY'] }),
});
export type DriftAlert = Static<typeof DriftAlert>;

export const HealedAlert = Type.Object({
  alertCode: Type.Literal('CONFIG_HEALED'),
  severity: GuardianSeverity,
  ...common,
  heal: Type.Object({
    fieldsRestored: Type.Array(FieldName, { maxItems: 100 }),
    count: Type.Integer({ minimum: 0 }),
    durationMs: Type.Integer({ minimum: 0 }),
  }),
});
export type HealedAlert = Static<typeof HealedAlert>;

export const ConflictAlert = Type.Object({
  alertCode: Type.Literal('CONFIG_CONFLICT'),
  severity: GuardianSeverity,
  ...common,
  conflict: Type.Object({
    driftCount: Type.Integer({ minimum: 1 }),
    window: Type.String({ minLength: 1, maxLength: 64, examples: ['5m'] }),
    healAttempts: Type.Integer({ minimum: 0 }),
    lastDrift: LastDrift,
  }),
  recommendation: Text(),
});
export type ConflictAlert = Static<typeof ConflictAlert>;

/** What a guardian publishes. `alertCode` selects the branch of the union, so that a fault names a member and not the whole union. */
export const GuardianAlert = Type.Unsafe<DriftAlert | HealedAlert | ConflictAlert>({
  type: 'object',
  required: ['alertCode'],
  discriminator: { propertyName: 'alertCode' },
  oneOf: [DriftAlert, HealedAlert, ConflictAlert],
});
export type GuardianAlert = DriftAlert | HealedAlert | ConflictAlert;

/** A guardian alert as the API lists it: as it was received, with its device and group. */
export const ListedGuardianAlert = Type.Object(
  {
    guardianAlertId: Type.String(),
    deviceId: DeviceId,
    deviceName: Nullable(Type.String({ description: 'Name of the camera when the alert came.' })),
    groupId: GroupId,
    receivedAt: Timestamp,
    guardianAlert: GuardianAlert,
  },
  closed,
);
export type ListedGuardianAlert = Static<typeof ListedGuardianAlert>;

export const GuardianAlertList = Type.Object(
  { guardianAlerts: Type.Array(ListedGuardianAlert), nextPageToken: Type.Optional(Type.String()) },
  closed,
);

export const GuardianAlertsQuery = Type.Object(
  {
    alertCode: Type.Optional(
      Type.Array(OneOf(guardianAlertCodes), {
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
      }),
    ),
    deviceId: Type.Optional(Type.Array(DeviceId, { minItems: 1, maxItems: 10, uniqueItems: true })),
    ...paging,
  },
  closed,
);
export type GuardianAlertsQuery = Static<typeof GuardianAlertsQuery>;
