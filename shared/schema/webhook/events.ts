import Type, { type Static } from 'typebox';
import { Alert } from '../alert/alert.ts';
import { AuditEntry } from '../audit/audit.ts';
import { closed, DeviceId, OneOf, Timestamp, Uuid } from '../common.ts';
import { Detection } from '../detection/detection.ts';
import { GuardianAlert } from '../guardian/guardian-alert.ts';
import { Incident } from '../incident/incident.ts';
import { alertEventChanges, incidentEventChanges, type webhookEvents } from '../vocabulary.ts';

const Version = Type.String({
  pattern: '^[0-9]+\\.[0-9]+$',
  description: 'Version of the payload.',
  examples: ['1.0'],
});

/** An alert changed. */
export const AlertEvent = Type.Object(
  {
    eventType: Type.Literal('alert'),
    version: Version,
    timestamp: Timestamp,
    change: OneOf(alertEventChanges),
    alert: Alert,
  },
  closed,
);
export type AlertEvent = Static<typeof AlertEvent>;

/** An incident changed. */
export const IncidentEvent = Type.Object(
  {
    eventType: Type.Literal('incident'),
    version: Version,
    timestamp: Timestamp,
    change: OneOf(incidentEventChanges),
    incident: Incident,
    members: Type.Array(Type.Object({ deviceId: DeviceId, alertId: Uuid }, closed), {
      maxItems: 50,
      description: 'With `updated`: open alerts that belong to it; at most 50.',
    }),
  },
  closed,
);
export type IncidentEvent = Static<typeof IncidentEvent>;

/** A guardian published an alert. The event contains it as it was received. */
export const GuardianEvent = Type.Object(
  {
    eventType: Type.Literal('guardian'),
    version: Version,
    timestamp: Timestamp,
    deviceId: DeviceId,
    guardianAlert: GuardianAlert,
  },
  closed,
);

/** An entry was added to the audit stream. */
export const AuditEvent = Type.Object(
  { eventType: Type.Literal('audit'), version: Version, timestamp: Timestamp, entry: AuditEntry },
  closed,
);

/** Somebody tests an endpoint, or the hourly drill does. */
export const TestEvent = Type.Object(
  {
    eventType: Type.Literal('test'),
    version: Version,
    timestamp: Timestamp,
    webhookId: Uuid,
    message: Type.String({ examples: ['This is a test of your webhook endpoint.'] }),
  },
  closed,
);

/** An endpoint is asked whether it wants events. Its answer must contain the challenge. */
export const ChallengeEvent = Type.Object(
  {
    eventType: Type.Literal('challenge'),
    version: Version,
    timestamp: Timestamp,
    webhookId: Uuid,
    challenge: Type.String({ examples: ['Zk3mP0rC7vQ1xW8yB2nL5sD9tF4gH6jK'] }),
  },
  closed,
);

/** The last sequence number of each device, for an endpoint that receives numbered detections. */
export const CheckpointEvent = Type.Object(
  {
    eventType: Type.Literal('checkpoint'),
    version: Version,
    timestamp: Timestamp,
    webhookId: Uuid,
    part: Type.Integer({ minimum: 1, description: 'A checkpoint of many devices comes in parts.' }),
    isLast: Type.Boolean({ description: 'This is the last part.' }),
    sequences: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'The last `X-Service-Sequence` of each device that has one, by `device.id`.',
      examples: [{ 'cam-0012': 57 }],
    }),
  },
  closed,
);

/** What each event sends, and when. */
export const webhookPayloads = {
  detection: { payload: Detection, summary: 'A camera detected something.' },
  alert: { payload: AlertEvent, summary: 'An alert was opened or has changed.' },
  guardian: { payload: GuardianEvent, summary: 'A configuration guardian published an alert.' },
  audit: { payload: AuditEvent, summary: 'Somebody changed something or was refused.' },
  incident: { payload: IncidentEvent, summary: 'An incident was opened or has changed.' },
  test: { payload: TestEvent, summary: 'Somebody pressed "test".' },
  challenge: { payload: ChallengeEvent, summary: 'An endpoint must prove that it wants events.' },
  checkpoint: { payload: CheckpointEvent, summary: 'An hour has passed, for an endpoint with sequence numbers.' },
} satisfies Record<
  (typeof webhookEvents)[number] | 'test' | 'checkpoint' | 'challenge',
  { payload: Type.TSchema; summary: string }
>;
