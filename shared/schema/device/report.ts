import Type, { type Static, type TNumber, type TObject, type TOptional } from 'typebox';
import type { Fault } from '../../errors.ts';
import { GroupId, Line, OneOf, Timestamp } from '../common.ts';
import { DetectionReport } from '../detection/detection.ts';
import { type GuardianEnvelope, GuardianHealth } from '../guardian/envelope.ts';
import { GuardianAlert } from '../guardian/guardian-alert.ts';
import type { EnvelopeMember } from '../guardian/signed-text.ts';
import { type MeasureName, measureNames, measures, type ReportKind } from '../vocabulary.ts';

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

type Measures = typeof measures;
type MembersIn<Section> = {
  [Name in MeasureName as Measures[Name]['section'] extends Section ? Measures[Name]['member'] : never]: TNumber;
};
/** The members of a section that have measurements. */
function membersIn<const Section extends string>(section: Section): MembersIn<Section> {
  const names = measureNames.filter((name) => measures[name].section === section);
  return Object.fromEntries(
    names.map((name) => [measures[name].member, Type.Number({ ...measures[name].range })]),
  ) as MembersIn<Section>;
}

type OwnSections = {
  [Section in Exclude<Measures[MeasureName]['section'], 'mqtt'>]: TOptional<TObject<MembersIn<Section>>>;
};
/** The sections that consist of measurements. */
const ownSections = Object.fromEntries<unknown>(
  measureNames
    .map((name) => measures[name].section)
    .filter((section) => section !== 'mqtt')
    .map((section) => [section, Type.Optional(Type.Object(membersIn(section)))]),
) as OwnSections;

/** Regular report of a device. Each section is optional, and a report changes only what it contains. */
export const StatusReport = Type.Object({
  timestamp: Type.Optional(Timestamp),
  bootId: Type.Optional(Line(128)),
  seq: Type.Optional(Count),
  groupId: Type.Optional(GroupId),
  name: Type.Optional(Line(128)),
  model: Type.Optional(Line(128)),
  serial: Type.Optional(Line(128)),
  firmware: Type.Optional(Line(128)),
  ip: Type.Optional(Line(64)),
  uptimeSeconds: Type.Optional(Type.Number({ minimum: 0 })),
  mqtt: Type.Optional(
    Type.Object({
      brokerHost: Type.Optional(Line(256)),
      ...Type.Partial(Type.Object(membersIn('mqtt'))).properties,
      reconnectAttempts: Type.Optional(Count),
      lastConnected: Type.Optional(Timestamp),
    }),
  ),
  certificate: Type.Optional(
    Type.Object({
      valid: Type.Optional(Type.Boolean()),
      notAfter: Type.Optional(Timestamp),
      reason: Type.Optional(Line(512)),
    }),
  ),
  auth: Type.Optional(
    Type.Object({ failedAttempts: Count, windowSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0 })) }),
  ),
  ...ownSections,
});
export type StatusReport = Static<typeof StatusReport>;

/** Birth message and last will. `connectedAt` identifies the connection: both messages of one connection have the same value. */
export const ConnectionReport = Type.Object({
  status: OneOf(['online', 'offline']),
  timestamp: Type.Optional(Timestamp),
  connectedAt: Type.Optional(Timestamp),
  reason: Type.Optional(Line(256)),
});
export type ConnectionReport = Static<typeof ConnectionReport>;

/**
 * Types that can open or end an alert: `certificate_validation_failed`, `unauthorized_broker_attempt`,
 * `config_updated`, `configuration_restored` and `guardian_heal_failed`. Other types are only kept in the activity log.
 */
export const EventReport = Type.Object({
  type: Line(128),
  timestamp: Timestamp,
  reason: Type.Optional(Line(512)),
  expectedHost: Type.Optional(Line(256)),
  attemptedHost: Type.Optional(Line(256)),
});
export type EventReport = Static<typeof EventReport>;

type Bodies = {
  status: StatusReport;
  connection: ConnectionReport;
  event: EventReport;
  guardian: GuardianAlert;
  'guardian-health': GuardianHealth;
  detection: DetectionReport;
};

/** The schema of the body for each kind. */
export const reportSchemas = {
  status: StatusReport,
  connection: ConnectionReport,
  event: EventReport,
  guardian: GuardianAlert,
  'guardian-health': GuardianHealth,
  detection: DetectionReport,
};

/** The envelope of a guardian's message, and the member of it that contains the message. */
export type Envelope = Pick<GuardianEnvelope, 'epoch' | 'seq' | 'signature'> & { member: EnvelopeMember };

/**
 * One message of a device in the common form of all dialects. `receivedAt` is the cloud's time of publication, `heardAt` when it was first
 * handled.
 */
export type Report<Kind extends ReportKind = ReportKind> = {
  [K in Kind]: {
    deviceId: string;
    kind: K;
    receivedAt: string;
    heardAt?: string;
    messageId: string;
    body: Bodies[K];
    /** The body as it was received, where the bridge passes on its bytes. */
    text?: string;
    /** A retained message: its facts are of its own time and show nothing about the present. */
    isLeftover?: boolean;
    /** Why sections of a status report were omitted. */
    faults?: readonly Fault[];
    /** Undefined for an unsigned message of a guardian, and for each other kind of message. */
    envelope?: Envelope;
  };
}[Kind];
