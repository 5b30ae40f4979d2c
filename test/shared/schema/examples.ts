import type { SchemaName } from '../../../shared/schema/validate.ts';

type Examples = { right: Record<string, unknown>; wrong: Record<string, [document: unknown, pointer: string]> };

const alert = {
  alertId: '7b8f2f3e-2a0e-5a53-8c55-1d0f6c1f2b77',
  deviceId: 'cam-0012',
  groupId: 'north',
  code: 'CONN_001',
  severity: 'CRITICAL',
  category: 'connectivity',
  message: 'MQTT connection lost for more than 5 minutes',
  timestamp: '2026-11-20T10:00:00.000Z',
  context: { lastConnected: '2026-11-20T09:54:00.000Z', brokerHost: 'mqtt.example.com', reconnectAttempts: 3 },
  resolved: false,
  resolvedAt: null,
};
const common = {
  device: { serial: 'ACCC8E000001', model: 'P3245-V', ip: '192.0.2.10' },
  timestamp: '2026-11-20T10:00:00.000Z',
};
const drift = {
  alertCode: 'CONFIG_DRIFT',
  severity: 'warning',
  ...common,
  drift: {
    fields: [{ name: 'broker.host', expected: 'mqtt.example.com', actual: '203.0.113.9', severity: 'CRITICAL' }],
    maxSeverity: 'CRITICAL',
    count: 1,
  },
  action: 'HEALING',
};
const detection = {
  eventType: 'detection',
  version: '1.0',
  timestamp: '2026-11-20T10:00:00.000Z',
  device: { id: 'cam-0012', name: 'Gate', groupId: 'north' },
  profile: { id: 'p1', name: 'Yard' },
  skill: { id: 's1', name: 'People' },
  session: { id: 'sess-1', url: 'https://console.example.com/sessions/sess-1' },
  analysis: {
    objects: [{ name: 'person', detected: true, confidence: 0.93, boundingBox: { x: 1, y: 2, width: 3, height: 4 } }],
    questions: [
      { id: 1, name: 'helmet', text: 'Does the person wear a helmet?', answer: true, type: 'bool' },
      { id: 2, name: 'colour', text: 'Which colour is the coat?', answer: 'red', type: 'string' },
    ],
    summary: 'One person at the gate.',
  },
  imageUrl: 'https://storage.example.com/frame.jpg',
};
const check = { status: 'healthy', latency_ms: 12 };
const checks = { database: check, mqtt: check, storage: check, auth: check };

/** Documents that each schema must accept and refuse, the refused ones with the member that is at fault. */
export const examples: Partial<Record<SchemaName, Examples>> = {
  DeviceAlert: {
    right: { open: alert, resolved: { ...alert, resolved: true, resolvedAt: '2026-11-20T10:10:00Z' } },
    wrong: {
      'a code outside the catalogue': [{ ...alert, code: 'CONN_005' }, '/code'],
      'a lower-case severity': [{ ...alert, severity: 'critical' }, '/severity'],
      'an id that is no UUID': [{ ...alert, alertId: '12' }, '/alertId'],
      'a half reconnect': [{ ...alert, context: { reconnectAttempts: 1.5 } }, '/context/reconnectAttempts'],
      'no resolvedAt': [{ ...alert, resolvedAt: undefined }, '/resolvedAt'],
    },
  },
  GuardianAlert: {
    right: {
      drift,
      healed: {
        alertCode: 'CONFIG_HEALED',
        severity: 'info',
        ...common,
        heal: { fieldsRestored: ['broker.host'], count: 1, durationMs: 840 },
      },
      conflict: {
        alertCode: 'CONFIG_CONFLICT',
        severity: 'critical',
        ...common,
        conflict: {
          driftCount: 4,
          window: '5m',
          healAttempts: 4,
          lastDrift: { field: 'broker.host', expected: 'a', actual: null },
        },
        recommendation: 'Find out who else configures this camera.',
      },
    },
    wrong: {
      'an unknown code': [{ ...drift, alertCode: 'CONFIG_LOST' }, '/alertCode'],
      'a severity that is no text': [{ ...drift, severity: 4 }, '/severity'],
      'a drift without its fields': [{ ...drift, drift: { maxSeverity: 'HIGH', count: 1 } }, '/drift/fields'],
      'a device without its serial': [{ ...drift, device: { model: 'x', ip: 'y' } }, '/device/serial'],
      'half a millisecond': [
        {
          alertCode: 'CONFIG_HEALED',
          severity: 'info',
          ...common,
          heal: { fieldsRestored: [], count: 0, durationMs: 0.5 },
        },
        '/heal/durationMs',
      ],
    },
  },
  HealthResponse: {
    right: {
      healthy: { status: 'healthy', timestamp: alert.timestamp, version: '1.0.0', uptime: 12 },
      unhealthy: { status: 'unhealthy', timestamp: alert.timestamp, version: '1.0.0', error: 'initialization failed' },
    },
    wrong: {
      'a fraction of a second': [
        { status: 'healthy', timestamp: alert.timestamp, version: '1', uptime: 1.5 },
        '/uptime',
      ],
      'a status of the other probe': [{ status: 'ready', timestamp: alert.timestamp, version: '1' }, '/status'],
    },
  },
  ReadinessResponse: {
    right: {
      ready: { status: 'ready', timestamp: alert.timestamp, version: '1.0.0', checks },
      'not ready': {
        status: 'not_ready',
        timestamp: alert.timestamp,
        version: '1.0.0',
        checks: { ...checks, mqtt: { status: 'unhealthy', latency_ms: null, error: 'no answer' } },
      },
    },
    wrong: {
      'a check that is missing': [
        { status: 'ready', timestamp: alert.timestamp, version: '1', checks: { ...checks, auth: undefined } },
        '/checks/auth',
      ],
      'a latency in words': [
        {
          status: 'ready',
          timestamp: alert.timestamp,
          version: '1',
          checks: { ...checks, auth: { ...check, latency_ms: 'fast' } },
        },
        '/checks/auth/latency_ms',
      ],
    },
  },
  Detection: {
    right: {
      full: detection,
      'nothing found': { ...detection, analysis: { objects: [], questions: [], summary: '' } },
    },
    wrong: {
      'a confidence above one': [
        {
          ...detection,
          analysis: { ...detection.analysis, objects: [{ ...detection.analysis.objects[0], confidence: 1.1 }] },
        },
        '/analysis/objects/0/confidence',
      ],
      'an answer of the other type': [
        {
          ...detection,
          analysis: {
            ...detection.analysis,
            questions: [{ id: 1, name: 'a', text: 'b', answer: 'yes', type: 'bool' }],
          },
        },
        '/analysis/questions/0/answer',
      ],
      'a session that is not HTTPS': [
        { ...detection, session: { id: 's', url: 'http://example.com' } },
        '/session/url',
      ],
      'a version in words': [{ ...detection, version: 'one' }, '/version'],
    },
  },
  DetectionReport: {
    right: {
      'without what the device record knows': {
        ...detection,
        eventType: undefined,
        version: undefined,
        device: undefined,
        imageUrl: undefined,
        frame: 'cam-0012/1.jpg',
      },
    },
    wrong: { 'another event': [{ ...detection, eventType: 'alert' }, '/eventType'] },
  },
  WebhookConfiguration: {
    right: {
      'the address alone': { url: 'https://customer.example.com/hook' },
      'every option': {
        url: 'https://customer.example.com/hook',
        method: 'PUT',
        headers: { 'X-Tenant': 'a' },
        secret: 'sixteen-characters-or-more',
        events: ['detection', 'alert'],
        filter: {
          objects: ['person'],
          minConfidence: 0.8,
          groups: ['north'],
          devices: ['cam-1'],
          schedule: 'outside_business_hours',
        },
        maxAttempts: 5,
        timeoutSeconds: 30,
        enabled: false,
        description: 'Gate guard',
      },
    },
    wrong: {
      'an address that is not HTTPS': [{ url: 'http://customer.example.com' }, '/url'],
      'twelve attempts': [{ url: 'https://a.example', maxAttempts: 12 }, '/maxAttempts'],
      'no timeout at all': [{ url: 'https://a.example', timeoutSeconds: 0 }, '/timeoutSeconds'],
      'a line break in a header': [{ url: 'https://a.example', headers: { 'X-A': 'a\r\nX-B: c' } }, '/headers/X-A'],
      'a header name with a space': [{ url: 'https://a.example', headers: { 'X A': 'a' } }, '/headers/X A'],
      'an option that does not exist': [{ url: 'https://a.example', retries: 3 }, '/retries'],
    },
  },
  WebhookFilter: {
    right: { none: {}, 'one member': { minConfidence: 0.5 } },
    wrong: {
      'a confidence in percent': [{ minConfidence: 80 }, '/minConfidence'],
      'a name that is no list': [{ objects: 'person' }, '/objects'],
    },
  },
  AlertRule: {
    right: {
      'of the contract': {
        name: 'Night team',
        condition: { code: 'CONN_001', group: ['north'] },
        action: { escalate_to: 'night', notify: ['sms', 'email'], priority: 'P1' },
      },
      'a whole category for all groups': {
        name: 'Quiet',
        condition: { code: 'RES_*', group: [] },
        action: { suppress: true },
      },
    },
    wrong: {
      'a code outside the catalogue': [
        { name: 'a', condition: { code: 'CONN_9', group: [] }, action: {} },
        '/condition/code',
      ],
      'a priority of more than 40 characters': [
        { name: 'a', condition: { code: 'CONN_001', group: [] }, action: { priority: 'x'.repeat(41) } },
        '/action/priority',
      ],
      'a channel that does not exist': [
        { name: 'a', condition: { code: 'CONN_001', group: [] }, action: { notify: ['fax'] } },
        '/action/notify/0',
      ],
    },
  },
  StatusReport: {
    right: {
      empty: {},
      full: {
        timestamp: alert.timestamp,
        bootId: 'b1',
        seq: 0,
        groupId: 'north',
        mqtt: { brokerHost: 'mqtt.example.com', latencyMs: 20, reconnectAttempts: 0, lastConnected: alert.timestamp },
        certificate: { valid: true, notAfter: alert.timestamp },
        auth: { failedAttempts: 2, windowSeconds: 60 },
        memory: { usedPercent: 41.5 },
        storage: { freeMegabytes: 400 },
        aMemberOfTomorrow: true,
      },
    },
    wrong: {
      'more memory than there is': [{ memory: { usedPercent: 101 } }, '/memory/usedPercent'],
      'a leap second': [{ timestamp: '2026-12-31T23:59:60Z' }, '/timestamp'],
      'a time without a zone': [{ timestamp: '2026-12-31T23:59:59' }, '/timestamp'],
      'a negative sequence': [{ seq: -1 }, '/seq'],
    },
  },
  ConnectionReport: {
    right: { birth: { status: 'online', connectedAt: alert.timestamp }, will: { status: 'offline' } },
    wrong: { 'another state': [{ status: 'away' }, '/status'], 'no state': [{}, '/status'] },
  },
  GuardianEnvelope: {
    right: { alert: { v: 1, epoch: 'Wm9', seq: 1, alert: '{}', signature: 'c2ln' } },
    wrong: {
      'another version': [{ v: 2, epoch: 'Wm9', seq: 1, alert: '{}', signature: 'c2ln' }, '/v'],
      'a line break in the epoch': [{ v: 1, epoch: 'W\n9', seq: 1, alert: '{}', signature: 'c2ln' }, '/epoch'],
      'no signature': [{ v: 1, epoch: 'Wm9', seq: 1, alert: '{}' }, '/signature'],
    },
  },
  GuardianHealth: {
    right: {
      well: { status: 'ok', goldenGeneration: 1, lastAlertSeq: 0, intervalSeconds: 30, healthIntervalSeconds: 300 },
    },
    wrong: {
      'an unknown status': [
        { status: 'fine', goldenGeneration: 1, lastAlertSeq: 0, intervalSeconds: 30, healthIntervalSeconds: 300 },
        '/status',
      ],
    },
  },
  ImportedDevice: {
    right: {
      'an id alone': { deviceId: 'cam-1' },
      whole: {
        ...{ deviceId: 'cam-1', groupId: 'north', name: 'Gate', site: 'gbg', coverage: ['yard'], model: 'P3245' },
        parents: [{ kind: 'switch', id: 'sw-1' }],
        ...{ tags: { floor: '2', owner: null }, firmware: null, reporting: { periodSeconds: 0 } },
      },
    },
    wrong: {
      'no id': [{ name: 'Gate' }, '/deviceId'],
      'no group': [{ deviceId: 'cam-1', groupId: null }, '/groupId'],
      'seven parents': [
        { deviceId: 'cam-1', parents: Array.from({ length: 7 }, (_, index) => ({ kind: 'switch', id: `s${index}` })) },
        '/parents',
      ],
      'a tag with a colon in its key': [{ deviceId: 'cam-1', tags: { 'a:b': 'c' } }, '/tags/a:b'],
      'a site that is no id': [{ deviceId: 'cam-1', site: 'Gbg Central' }, '/site'],
      'a member of reports': [{ deviceId: 'cam-1', ip: '192.0.2.1' }, '/ip'],
    },
  },
  EventReport: {
    right: {
      known: { type: 'config_updated', timestamp: alert.timestamp },
      unknown: { type: 'door', timestamp: alert.timestamp },
    },
    wrong: { 'no type': [{ timestamp: alert.timestamp }, '/type'], 'no time': [{ type: 'restarted' }, '/timestamp'] },
  },
  Problem: {
    right: { plain: { type: 'https://a.example/x', title: 'x', status: 404, code: 'not-found' } },
    wrong: { 'a success': [{ type: 'https://a.example/x', title: 'x', status: 200, code: 'ok' }, '/status'] },
  },
};
