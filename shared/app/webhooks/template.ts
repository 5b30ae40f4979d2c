import { seedAlert, toWireAlert } from '../../domain/alert/alert.ts';
import type { Publication } from '../../domain/delivery/delivery.ts';
import { faultOfForm, namesIn, valueAt } from '../../domain/delivery/template.ts';
import type { WebhookEventType } from '../../domain/delivery/webhook.ts';
import {
  incidentPublicationOf,
  payloadVersion,
  publicationOf,
  type WebhookEvent,
} from '../../domain/delivery/webhook-events.ts';
import { seedIncident, toWireIncident } from '../../domain/incident/incident.ts';
import { defaultSettings } from '../../domain/settings/settings.ts';
import type { Instant } from '../../domain/time.ts';
import type { Fault } from '../../errors.ts';
import { guardianAlertCodes } from '../../schema/vocabulary.ts';

const id = '5d9f0f0e-6f0d-4c5a-8d55-9a4f1c4d2b11';
const [deviceId, groupId] = ['cam-0012', 'north'];
const camera = { site: 'gbg-central', tags: {} };
/** What guardian alerts have beside what all of them have. */
const ofGuardian: Record<(typeof guardianAlertCodes)[number], object> = {
  CONFIG_DRIFT: {
    drift: {
      fields: [
        { name: 'broker.host', expected: 'mqtt.example.com', actual: 'other.example.com', severity: 'CRITICAL' },
      ],
      maxSeverity: 'CRITICAL',
      count: 1,
    },
    action: 'HEALING',
  },
  CONFIG_HEALED: { heal: { fieldsRestored: ['broker.host'], count: 1, durationMs: 812 } },
  CONFIG_CONFLICT: {
    conflict: { driftCount: 4, window: '5m', healAttempts: 4, lastDrift: { field: 'broker.host' } },
    recommendation: 'Find who else writes it.',
  },
};

/**
 * Events as an endpoint gets them, with the members that each event of its type has. The first one of a type is what a test of the endpoint is filled with.
 */
const examples: Record<WebhookEventType, (at: Instant) => string[]> = {
  detection: (at) => {
    const box = { x: 0.1, y: 0.2, width: 0.3, height: 0.4 };
    const objects = [{ name: 'person', detected: true, confidence: 0.91, boundingBox: box }];
    const detection = {
      ...{ eventType: 'detection' as const, version: payloadVersion, timestamp: at },
      device: { id: deviceId, name: 'North gate', groupId },
      profile: { id: 'p-1', name: 'Entrance' },
      skill: { id: 's-1', name: 'People' },
      session: { id: '5f0e6a52', url: 'https://sessions.example.com/5f0e6a52' },
      analysis: { objects, questions: [], summary: 'This is a test.' },
      imageUrl: 'https://storage.googleapis.com/frames/1.jpg',
    };
    return [bodyOf({ kind: 'detection', detection, camera }, at)];
  },
  alert(at) {
    const seed = { alertId: id, deviceId, groupId, code: 'CONN_001', message: 'This is a test.', context: {} } as const;
    const alert = toWireAlert(seedAlert(seed, at));
    return [bodyOf({ kind: 'alert', change: 'opened', alert, tags: {}, version: 1, member: 'none', at }, at)];
  },
  guardian(at) {
    const device = { serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' };
    return guardianAlertCodes.map((alertCode) => {
      const said = { alertCode, severity: 'info', device, timestamp: at, ...ofGuardian[alertCode] };
      const about = { guardianAlertId: id, alertCode, severity: 'info', deviceId, groupId, camera, at };
      return bodyOf({ kind: 'guardian', ...about, text: JSON.stringify(said) }, at);
    });
  },
  audit(at) {
    const made = { subject: 'user:7f3a', issuer: null, address: null, requestId: null };
    const entry = { entryId: 'e-1', at, ...made, action: 'putSettings', resource: null, outcome: 'done' as const };
    return [bodyOf({ kind: 'audit', at, entry }, at)];
  },
  incident(at) {
    const about = { incidentId: id, kind: 'outage' as const, groups: [groupId] };
    const scope = { kind: 'site', id: camera.site, name: null };
    const members = { now: 0, peak: 0, back: 0 };
    const seed = { ...about, scope, title: 'This is a test.', message: 'This is a test.', members, evidence: [] };
    const record = { ...seedIncident(seed, 'CRITICAL', at), version: 1 };
    const parts = { ended: [], opened: [], reopened: [], over: [] };
    const event = {
      ...about,
      parts,
      change: 'opened' as const,
      severity: record.severity,
      site: camera.site,
      version: 1,
      at,
    };
    return [
      firstBody(incidentPublicationOf({ ...event, members: [], shownTo: () => toWireIncident(record, null) }, nobody)),
    ];
  },
};

const nobody = { webhooks: [], settings: defaultSettings };

function bodyOf(event: WebhookEvent, at: Instant): string {
  return firstBody(publicationOf(event, nobody, at));
}

function firstBody({ events }: Publication): string {
  return events[0]?.body ?? '{}';
}

/** An event of the first type that an endpoint gets. */
export function exampleFor([type = 'detection']: readonly WebhookEventType[], at: Instant): string {
  return examples[type](at)[0] ?? '{}';
}

/** What is wrong with a template: its form, or a member that an event of the endpoint does not always have. */
export function faultsOfTemplate(
  template: string | undefined,
  events: readonly WebhookEventType[],
  at: Instant,
): Fault[] {
  if (template === undefined) return [];
  const pointer = '/template';
  const form = faultOfForm(template);
  if (form !== null) return [{ pointer, detail: form }];
  const names = [...new Set(namesIn(template))];
  return events.flatMap((type) => {
    const bodies = examples[type](at).map((body): unknown => JSON.parse(body));
    const missing = names.find((name) => bodies.some((body) => valueAt(body, name) === undefined));
    if (missing === undefined) return [];
    return [{ pointer, detail: `contains {{${missing}}}, which not every event \`${type}\` has` }];
  });
}
