import type { Schema } from './components.ts';
import { duty } from './duty-examples.ts';
import { maintenanceExamples } from './maintenance-examples.ts';
import { reportExamples } from './report-examples.ts';

const alertId = '7b8f2f3e-2a0e-5a53-8c55-1d0f6c1f2b77';
const delivery = '3c3dd9c4-8f6f-5b63-9a1c-0d1c8e6d1f10';
const at = '2026-11-20T10:00:00.000Z';

/** Examples that are not composed from the examples of their members. */
const whole: Record<string, unknown> = {
  Timestamp: at,
  Uuid: alertId,
  AlertContext: { lastConnected: '2026-11-20T09:54:00.000Z', brokerHost: 'mqtt.example.com', reconnectAttempts: 3 },
  ActionRequest: { comment: 'On my way to the gate.' },
  SnoozeRequest: { minutes: 60, comment: 'The switch is being replaced.' },
  BatchRequest: { action: 'acknowledge', alertIds: [alertId], comment: 'One cause, one person.' },
  MatchingRequest: {
    action: 'acknowledge',
    filter: { site: ['gbg-central'], severity: ['CRITICAL'] },
    comment: 'Power is out there.',
  },
  DeviceImport: { devices: [{ deviceId: 'cam-0012', groupId: 'north', site: 'gbg-central', tags: { floor: '2' } }] },
  ImportResult: {
    line: 1,
    deviceId: 'cam-0012',
    outcome: 'changed',
    changes: [{ member: 'site', from: null, to: 'gbg-central' }],
  },
  MaintenanceScope: { sites: ['gbg-central'], codes: ['CONN_*'] },
  ...maintenanceExamples,
  ...reportExamples,
  DevicePatch: { name: 'North gate', groupId: 'north' },
  CodePattern: 'CONN_*',
  CreateWebhookRequest: {
    url: 'https://hooks.example.com/watchpost',
    events: ['detection', 'alert'],
    filter: { objects: ['person'], minConfidence: 0.8, groups: ['north'], schedule: 'outside_business_hours' },
    generateSecret: true,
  },
  UpdateWebhookRequest: { enabled: true, timeoutSeconds: 5 },
  RotateSecretRequest: { overlapHours: 24 },
  ReplayRequest: { since: at, status: ['failed'], dryRun: true },
  OnCall: duty.onCall,
  TeamTestRequest: { channel: 'email', text: 'A test of the escalation list.' },
  OpenApiDescription: { openapi: '3.1.0', info: { title: 'Watchpost', version: '0.1.0' }, paths: {} },
};

/** Examples of members, by name, or by `Component.name` if the name has several meanings. */
const members: Record<string, unknown> = {
  'FeedEvent.body': '{"eventType":"alert","version":"1.0","timestamp":"2026-11-20T10:00:00.000Z","change":"opened"}',
  ...{ 'FeedEvent.recordId': alertId, 'FeedEvent.type': 'alert' },
  'FeedPage.cursor': 'MjAyNi0xMS0yMFQxMDowMDowMC4xMjM0NTZafg',
  'AlertEvent.eventType': 'alert',
  'DeviceWhy.evidence': [{ at, text: 'It connected' }],
  'ActivityItem.detail': {},
  'Attempt.detail': null,
  'Delivery.availableActions': ['redeliver'],
  'DeliverySummary.availableActions': ['redeliver'],
  'AuditEntry.action': 'acknowledgeAlert',
  'AuditEntry.after': { status: 'acknowledged' },
  'AuditEntry.before': { status: 'active' },
  'AuditEntry.reason': 'forbidden',
  'AuditEntry.resource': { kind: 'alert', id: alertId },
  'BatchItem.alertId': alertId,
  'BatchItem.status': 200,
  'Device.openAlerts': [{ code: 'CONN_001', alertId }],
  'Device.state': 'offline',
  'FilterRefusal.member': 'minConfidence',
  'Fleet.devices': { total: 120, online: 118, offline: 2, unknown: 0, neverSeen: 0, onlinePercent: 98.3 },
  'ShiftItem.kind': null,
  'HealthResponse.version': '0.1.0',
  'HistoryEntry.action': 'acknowledge',
  'Incident.message': 'No report has come on either way since 09:55: the service cannot see the fleet.',
  'Incident.scope': { kind: 'platform', id: 'platform', name: null },
  'Incident.title': 'The platform is blind',
  'IncidentHistory.entries.action': 'acknowledge',
  'ImportResult.changes.member': 'name',
  'Me.missing.groups': null,
  'MaintenanceScope.parents.id': 'switch-4',
  'MaintenanceScope.sites': ['north-gate'],
  'Site.id': 'north-gate',
  'Named.id': 's-1',
  'Named.name': 'People',
  'DetectedObject.name': 'person',
  'DetectedObject.confidence': 0.91,
  'BoundingBox.x': 0.1,
  'BoundingBox.y': 0.2,
  'BoundingBox.width': 0.3,
  'BoundingBox.height': 0.4,
  'Note.text': 'The switch in cabinet 4 has no power.',
  'NoteRequest.text': 'The switch in cabinet 4 has no power.',
  'Question.answer': true,
  'BoolQuestion.answer': true,
  'QuarantinedReport.reason': 'wrong-shape',
  'ReadinessResponse.version': '0.1.0',
  'RulePreview.messages': { today: { email: 4 }, withRule: { email: 4, sms: 2 } },
  'Rule.name': 'Night shift',
  'AlertRule.name': 'Night shift',
  'TeamContacts.people': duty.people,
  'Team.people': duty.people,
  'RuleCondition.tags': { floor: ['2'] },
  'RuleAction.notify': ['email', 'sms'],
  'RuleAction.suppress': false,
  'Webhook.headers': {},
  'TextQuestion.answer': 'red',
  'TrendsAnswer.since': '2026-11-13T10:00:00.000Z',
  actual: '203.0.113.9',
  address: '198.51.100.7',
  attributes: { deviceId: 'cam-0012', kind: 'status' },
  author: 'user:7f3a',
  availableActions: ['acknowledge', 'resolve', 'snooze'],
  because: 'It was opened.',
  cidrs: ['192.0.2.8/30'],
  chatId: 'c-1',
  code: 'CONN_001',
  comment: 'On my way to the gate.',
  createdBy: 'user:7f3a',
  data: 'eyJzdGF0dXMiOiJvbmxpbmUi',
  detail: 'The link says more than the rest.',
  deviceId: 'cam-0012',
  deviceName: 'North gate',
  dialect: 'native',
  disabledReason: null,
  deliveryId: delivery,
  escalation: duty.escalation,
  entryId: 'e-20261120-0007',
  eventId: alertId,
  eventType: 'alert',
  evidence: ['No report since 09:55 on the way `broker`.'],
  expected: 'mqtt.example.com',
  firmware: '11.8.61',
  groupReporting: {},
  guardianAlertId: '9a6a5f0e-0b1e-5c55-8f6e-7b2b3f0c1d2a',
  groups: ['north'],
  how: 'sent',
  imageUrl: 'https://storage.googleapis.com/frames/2026/11/20/1.jpg',
  ip: '192.0.2.10',
  issuer: 'https://login.example.com',
  kind: 'status',
  lastConnected: '2026-11-20T09:54:00.000Z',
  maxAttempts: 3,
  memoryUsedPercent: 41.5,
  message: 'MQTT connection lost for more than 5 minutes',
  messageId: '8123456789',
  model: 'P3245-V',
  name: 'North gate',
  nextPageToken: 'eyJhZnRlciI6ImNhbS0wMDEyIn0.q3hZ',
  noteId: 'n-20261120-1',
  occurrences: 4,
  openedAt: at,
  payload: null,
  periods: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '18:00' }],
  businessHours: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '18:00' }],
  pointer: '/name',
  q: 'gate',
  reason: 'The switch in cabinet 4 is replaced.',
  recommendation: 'Look for whoever else writes to the configuration.',
  refusedBy: [{ member: 'minConfidence', detail: 'The surest object has 0.42, the filter asks for 0.8.' }],
  region: 'europe-west1',
  reportId: 'r-8123456789',
  requestId: '0d9c6c1e-8c52-4b7a-9f07-0a4f3c1d2e5b',
  rotations: duty.rotations,
  ruleId: '1f0f6a52-7d1e-4c55-8c55-2d0f6c1f2b78',
  schedules: {},
  secret: 'whsec_c2VjcmV0LXRoYXQtaXMtc2hvd24tb25jZQ==',
  serial: 'ACCC8E000001',
  session: { id: '5f0e6a52', url: 'https://sessions.example.com/5f0e6a52' },
  sessionId: '5f0e6a52',
  storageFreeMegabytes: 812,
  subject: 'user:7f3a',
  summary: 'A person at the gate',
  target: 'operations: operations@example.com',
  team: 'operations',
  text: 'Does the person wear a helmet?',
  timeZone: 'Europe/Stockholm',
  url: 'https://hooks.example.com/watchpost',
  what: 'It is escalated unless somebody answers.',
  who: 'user:7f3a',
};

/** Members that examples omit, because few answers contain them. */
const leftOut: ReadonlySet<string> = new Set(['undoUntil', 'worsenedAt', 'groupReporting', 'error']);

/** Composes examples from `examples` of the schemas and the values above. */
export function createExamples(nameOf: (schema: unknown) => string | undefined) {
  /** @param path names the value: `Component`, or `Component.member` */
  function exampleOf(given: unknown, path = 'example'): unknown {
    const schema = given as Schema;
    const name = nameOf(schema);
    if (name !== undefined && name in whole) return whole[name];
    const own = ownExample(schema);
    return own === undefined ? composedExample(schema, name ?? path) : own.value;
  }

  /** An example of what a schema is made of. */
  function composedExample(schema: Schema, here: string): unknown {
    const { type, properties, items, required } = schema as {
      type?: string;
      properties?: Record<string, Schema>;
      items?: Schema;
      required?: string[];
    };
    const branches = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
    if (branches?.some((each) => each['type'] === 'null')) return null;
    if (branches?.[0]) return exampleOf(branches[0], here);
    if (type === 'array') return items ? [exampleOf(items, here)] : [];
    if (type === 'object') return objectOf(properties ?? {}, required ?? [], here);
    return simpleExample(schema, here);
  }

  function objectOf(properties: Record<string, Schema>, required: string[], here: string): Record<string, unknown> {
    const shown = Object.entries(properties).filter(([name]) => required.includes(name) || !leftOut.has(name));
    return Object.fromEntries(shown.map(([name, schema]) => [name, memberOf(schema, here, name)]));
  }

  function memberOf(schema: Schema, here: string, name: string): unknown {
    const path = `${here}.${name}`;
    if (path in members) return members[path];
    const own = nameOf(schema);
    const isClosed = own !== undefined || schema['enum'] !== undefined || schema['const'] !== undefined;
    return !isClosed && name in members ? members[name] : exampleOf(schema, path);
  }

  return exampleOf;
}

/** An example of a value without members. */
function simpleExample(schema: Schema, here: string): unknown {
  const { type, format } = schema as { type?: string; format?: string };
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return numberOf(schema);
  if (format === 'date-time') return at;
  if (type === undefined) return 'mqtt.example.com';
  throw new Error(`${here} has no example: give its schema \`examples\``);
}

function ownExample(schema: Schema): { value: unknown } | undefined {
  const { examples, enum: values } = schema as { examples?: unknown[]; enum?: unknown[] };
  if (examples?.[0] !== undefined) return { value: examples[0] };
  if ('const' in schema) return { value: schema['const'] };
  if ('default' in schema) return { value: schema['default'] };
  return values?.[0] === undefined ? undefined : { value: values[0] };
}

function numberOf({ minimum, maximum }: { minimum?: unknown; maximum?: unknown }): number {
  const least = typeof minimum === 'number' ? Math.max(1, minimum) : 1;
  return typeof maximum === 'number' ? Math.min(least, maximum) : least;
}
