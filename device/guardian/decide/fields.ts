import type { DriftSeverity } from '../../../shared/schema/vocabulary.ts';

export type FieldValue = string | number | boolean | readonly string[];

/**
 * One protected field. `absent` is the value that a camera means if it omits the field. It is missing where that value
 * depends on other settings.
 */
type Field = { severity: DriftSeverity; type: 'text' | 'whole' | 'flag' | 'topics'; absent?: FieldValue };

/**
 * The protected fields, most severe first. The `absent` values are the defaults of the VAPIX MQTT client API.
 * `withDefaults` adds two more: the port, which depends on the protocol, and the topic prefix, which contains the
 * serial number.
 */
export const fields = {
  'broker.host': { severity: 'CRITICAL', type: 'text', absent: '' },
  'broker.port': { severity: 'CRITICAL', type: 'whole' },
  'broker.protocol': { severity: 'CRITICAL', type: 'text', absent: 'tcp' },
  'tls.validateServerCert': { severity: 'CRITICAL', type: 'flag', absent: false },
  'tls.caCertificate': { severity: 'CRITICAL', type: 'text', absent: '' },
  'tls.clientCertificate': { severity: 'CRITICAL', type: 'text', absent: '' },
  clientId: { severity: 'CRITICAL', type: 'text', absent: '' },
  'auth.username': { severity: 'HIGH', type: 'text', absent: '' },
  topicPrefix: { severity: 'HIGH', type: 'text' },
  'subscriptions.command': { severity: 'HIGH', type: 'text', absent: '' },
  'subscriptions.config': { severity: 'HIGH', type: 'text', absent: '' },
  'lastWill.topic': { severity: 'HIGH', type: 'text', absent: '' },
  'lastWill.payload': { severity: 'HIGH', type: 'text', absent: '' },
  'client.active': { severity: 'HIGH', type: 'flag', absent: false },
  'client.activateOnReboot': { severity: 'HIGH', type: 'flag', absent: true },
  'subscriptions.other': { severity: 'MEDIUM', type: 'topics', absent: [] },
  qos: { severity: 'MEDIUM', type: 'whole', absent: 0 },
  keepAlive: { severity: 'LOW', type: 'whole', absent: 60 },
  connectTimeout: { severity: 'LOW', type: 'whole', absent: 60 },
  cleanSession: { severity: 'LOW', type: 'flag', absent: true },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof fields;
export const fieldNames = Object.keys(fields) as FieldName[];

export const fieldOf = (name: FieldName): Field => fields[name];

/**
 * A configuration as a flat set of protected fields. A member is missing if its source (a golden file or a camera) does
 * not name the field.
 */
export type Configuration = Partial<Record<FieldName, FieldValue>>;

/** Ports that the VAPIX MQTT client API takes where none is given. */
const defaultPorts: Record<string, number> = { tcp: 1883, ssl: 8883, ws: 80, wss: 443 };

/**
 * Converts a value so that equal settings compare as equal: host and protocol in lower case, a host without brackets
 * and final dot, numbers and flags as values even if they were sent as text, topic lists sorted.
 */
export function normalise(name: FieldName, value: unknown): FieldValue {
  switch (fieldOf(name).type) {
    case 'whole':
      return typeof value === 'string' && /^[0-9]{1,9}$/.test(value.trim()) ? Number(value) : scalar(value);
    case 'flag':
      return typeof value === 'string' && /^(true|false)$/i.test(value)
        ? value.toLowerCase() === 'true'
        : scalar(value);
    case 'topics':
      return Array.isArray(value) ? value.map(String).sort() : scalar(value);
    case 'text':
      return typeof value === 'string' ? normaliseText(name, value) : scalar(value);
  }
}

function normaliseText(name: FieldName, value: string): string {
  if (name === 'broker.protocol') return value.toLowerCase();
  if (name !== 'broker.host') return value;
  return value
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

/** A value of an unexpected type is kept as text, so that it can be reported. */
function scalar(value: unknown): FieldValue {
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
    ? value
    : `${JSON.stringify(value)}`;
}

/** Adds the values that a camera means by fields that it omits. */
export function withDefaults(configuration: Configuration, serial: string): Required<Configuration> {
  const filled: Record<string, FieldValue> = {};
  for (const name of fieldNames) {
    const value = configuration[name] ?? fieldOf(name).absent;
    if (value !== undefined) filled[name] = normalise(name, value);
  }
  filled['broker.port'] ??= defaultPorts[String(filled['broker.protocol'])] ?? 0;
  filled['topicPrefix'] ??= `axis/${serial}`;
  return filled as Required<Configuration>;
}
