import Type, { type Static } from 'typebox';
import type { Fault } from '../../errors.ts';
import { GroupId, Line, OneOf, Timestamp } from '../common.ts';
import { DetectionReport } from '../detection/detection.ts';
import { type GuardianEnvelope, GuardianHealth } from '../guardian/envelope.ts';
import { GuardianAlert } from '../guardian/guardian-alert.ts';
import type { EnvelopeMember } from '../guardian/signed-text.ts';
import type { ReportKind } from '../vocabulary.ts';

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Regular report of a device. Every section is optional: a report speaks only about what it carries. */
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
      latencyMs: Type.Optional(Type.Number({ minimum: 0 })),
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
  memory: Type.Optional(Type.Object({ usedPercent: Type.Number({ minimum: 0, maximum: 100 }) })),
  storage: Type.Optional(Type.Object({ freeMegabytes: Type.Number({ minimum: 0 }) })),
});
export type StatusReport = Static<typeof StatusReport>;

/** Birth message and last will. `connectedAt` names the connection: the same in the birth message and the will of one connection. */
export const ConnectionReport = Type.Object({
  status: OneOf(['online', 'offline']),
  timestamp: Type.Optional(Timestamp),
  connectedAt: Type.Optional(Timestamp),
  reason: Type.Optional(Line(256)),
});
export type ConnectionReport = Static<typeof ConnectionReport>;

/** Types that mean something to the catalogue: `certificate_validation_failed`, `unauthorized_broker_attempt`, `config_updated`, `restarted`; others are kept in the activity log. */
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

/** The schema of each kind's body. */
export const reportSchemas = {
  status: StatusReport,
  connection: ConnectionReport,
  event: EventReport,
  guardian: GuardianAlert,
  'guardian-health': GuardianHealth,
  detection: DetectionReport,
};

/** The envelope that a guardian's message came in, and which of its members it is. */
export type Envelope = Pick<GuardianEnvelope, 'epoch' | 'seq' | 'signature'> & { member: EnvelopeMember };

/** One message of a device in the one form that all bridges are read into. `receivedAt` is the cloud's time of publication. */
export type Report<Kind extends ReportKind = ReportKind> = {
  [K in Kind]: {
    deviceId: string;
    kind: K;
    receivedAt: string;
    messageId: string;
    body: Bodies[K];
    /** The body as it was received, where the bridge hands on its bytes. */
    text?: string;
    /** A retained message: it carries facts of its own time, and says nothing about now. */
    isLeftover?: boolean;
    /** Why sections of a status report were left out. */
    faults?: readonly Fault[];
    /** Undefined for an unsigned message of a guardian, and for every other kind of message. */
    envelope?: Envelope;
  };
}[Kind];
