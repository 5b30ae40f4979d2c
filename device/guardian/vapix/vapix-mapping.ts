import type { Configuration, FieldName, FieldValue } from '../decide/fields.ts';

/**
 * Members of `configureClient` and of `config` in `getClientStatus` of the VAPIX MQTT client API
 * (developer.axis.com/vapix/network-video/mqtt-client-api), by protected field. Server, TLS, last will and state are
 * treated separately below.
 */
const members = {
  clientId: 'clientId',
  'auth.username': 'username',
  topicPrefix: 'deviceTopicPrefix',
  'client.activateOnReboot': 'activateOnReboot',
  keepAlive: 'keepAliveInterval',
  connectTimeout: 'connectTimeout',
  cleanSession: 'cleanSession',
} as const satisfies Partial<Record<FieldName, string>>;

const serverMembers = { 'broker.host': 'host', 'broker.port': 'port', 'broker.protocol': 'protocol' } as const;
const tlsMembers = {
  'tls.validateServerCert': 'validateServerCert',
  'tls.caCertificate': 'CACertID',
  'tls.clientCertificate': 'clientCertID',
} as const;

type Members = Record<string, unknown>;

/**
 * Translates an answer of `getClientStatus`. Null: it has another shape. Spelling and case of states differ between
 * firmwares.
 */
export function readStatus(
  data: unknown,
  serial: string,
): { configuration: Configuration; isConnected: boolean } | null {
  const { status, config } = asMembers(data);
  if (typeof status !== 'object' || typeof config !== 'object') return null;
  const { state, connectionStatus } = asMembers(status);
  const settings = asMembers(config);
  const configuration: Configuration = {
    ...pick(serverMembers, asMembers(settings['server'])),
    ...pick(tlsMembers, asMembers(settings['ssl'])),
    ...pick(members, settings),
    ...readLastWill(settings, serial),
    'client.active': isText(state, 'active'),
  };
  return { configuration, isConnected: isText(connectionStatus, 'connected') };
}

/**
 * The complete parameters of `configureClient`: the camera's present values overwritten by the golden fields, because
 * the call replaces everything. The password cannot be read, so the camera keeps the stored one unless a new one is
 * given.
 */
export function writeParameters(
  data: unknown,
  golden: Configuration,
  password: string | null,
  serial: string,
): Members {
  const current = asMembers(asMembers(data)['config']);
  const { password: _masked, ssl, lastWillTestament: _will, ...kept } = current;
  const server = { ...asMembers(current['server']), ...put(serverMembers, golden) };
  const tls = put(tlsMembers, golden);
  // Without TLS, the call contains TLS settings only if golden names them.
  const hasTls = /^(ssl|wss)$/i.test(String(server['protocol'])) || Object.keys(tls).length > 0;
  const lastWill = writeLastWill(current, golden, serial);
  return {
    ...kept,
    ...put(members, golden),
    server,
    ...(password === null ? { keepExistingPassword: true } : { keepExistingPassword: false, password }),
    ...(hasTls ? { ssl: { ...asMembers(ssl), ...tls } } : {}),
    ...(lastWill === undefined ? {} : { lastWillTestament: lastWill }),
  };
}

/** A last will that is the camera's default has a fixed topic and payload ("Default LWT messages" of the API). */
function readLastWill(settings: Members, serial: string): Configuration {
  const will = settings['lastWillTestament'];
  if (typeof will !== 'object' || will === null) return {};
  const { useDefault, topic, message, qos } = asMembers(will);
  if (useDefault !== true) {
    return pick({ 'lastWill.topic': 'topic', 'lastWill.payload': 'message', qos: 'qos' }, { topic, message, qos });
  }
  const prefix = settings['deviceTopicPrefix'] ?? `axis/${serial}`;
  const payload = `{ "serialNumber": "${serial}", "connected": false, "description": "Connection Lost", "timestamp": null }`;
  return { 'lastWill.topic': `${prefix}/event/connection`, 'lastWill.payload': payload, qos: 1 };
}

/** If one member of the last will is golden, the call must contain all of them. The camera's own values fill the others. */
function writeLastWill(current: Members, golden: Configuration, serial: string): unknown {
  const will = current['lastWillTestament'];
  const named = { topic: golden['lastWill.topic'], message: golden['lastWill.payload'], qos: golden['qos'] };
  if (Object.values(named).every((value) => value === undefined)) return will;
  const present = readLastWill(current, serial);
  return {
    useDefault: false,
    topic: named.topic ?? present['lastWill.topic'] ?? '',
    message: named.message ?? present['lastWill.payload'] ?? '',
    retain: asMembers(will)['retain'] ?? true,
    qos: named.qos ?? present['qos'] ?? 1,
  };
}

function pick(names: Partial<Record<FieldName, string>>, source: Members): Configuration {
  const found = Object.entries(names).map(([field, member]) => [field, source[member]] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null)) as Configuration;
}

function put(names: Partial<Record<FieldName, string>>, golden: Configuration): Record<string, FieldValue> {
  const named = Object.entries(names).map(([field, member]) => [member, golden[field as FieldName]] as const);
  return Object.fromEntries(named.filter((entry): entry is [string, FieldValue] => entry[1] !== undefined));
}

function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function isText(value: unknown, expected: string): boolean {
  return String(value).toLowerCase() === expected;
}
