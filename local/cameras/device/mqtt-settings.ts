/** The settings of a simulated camera's MQTT client, in the form of `config` in the answer of `getClientStatus`. */
export type MqttSettings = Record<string, unknown> & { server?: Record<string, unknown> };

export type VapixError = { code: number; message: string };

const defaultPorts: Record<string, number> = { tcp: 1883, ssl: 8883, ws: 80, wss: 443 };

/** The members in which a camera stores what the guardian protects. */
const places: Record<string, readonly string[]> = {
  'broker.host': ['server', 'host'],
  'broker.port': ['server', 'port'],
  'broker.protocol': ['server', 'protocol'],
  'tls.validateServerCert': ['ssl', 'validateServerCert'],
  'tls.caCertificate': ['ssl', 'CACertID'],
  'tls.clientCertificate': ['ssl', 'clientCertID'],
  clientId: ['clientId'],
  'auth.username': ['username'],
  topicPrefix: ['deviceTopicPrefix'],
  'lastWill.topic': ['lastWillTestament', 'topic'],
  'lastWill.payload': ['lastWillTestament', 'message'],
  qos: ['lastWillTestament', 'qos'],
  'client.activateOnReboot': ['activateOnReboot'],
  keepAlive: ['keepAliveInterval'],
  connectTimeout: ['connectTimeout'],
  cleanSession: ['cleanSession'],
};

export const placedFields: readonly string[] = Object.keys(places);

/** @throws Error for a field that a camera does not have */
export function placeOf(field: string): readonly string[] {
  const place = places[field];
  if (place === undefined) throw new Error(`A camera has no ${field}.`);
  return place;
}

/** The settings of a camera out of the box. */
export function factorySettings(serial: string): MqttSettings {
  return withDefaults({ server: { protocol: 'tcp', host: '' }, clientId: serial, cleanSession: true }, serial);
}

/** `configureClient` replaces everything: an omitted parameter gets its default (VAPIX MQTT client API). */
export function withDefaults(params: MqttSettings, serial: string): MqttSettings {
  const { password: _password, keepExistingPassword: _keep, ...given } = params;
  const protocol = String(given.server?.['protocol'] ?? 'tcp');
  return {
    keepAliveInterval: 60,
    connectTimeout: 60,
    autoReconnect: true,
    deviceTopicPrefix: `axis/${serial}`,
    activateOnReboot: true,
    ...given,
    server: { port: defaultPorts[protocol] ?? 1883, basepath: '', ...given.server },
  };
}

/** The same settings with one field changed. */
export function withField(settings: MqttSettings, field: string, value: unknown): MqttSettings {
  const changed = structuredClone(settings) as Record<string, unknown>;
  const place = placeOf(field);
  let section = changed;
  for (const name of place.slice(0, -1)) {
    section[name] = { ...(section[name] as object | undefined) };
    section = section[name] as Record<string, unknown>;
  }
  if (place[0] === 'lastWillTestament') section['useDefault'] = false;
  section[place.at(-1) ?? ''] = value;
  return changed as MqttSettings;
}

export function readField(settings: MqttSettings, field: string): unknown {
  return placeOf(field).reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    settings,
  );
}

/**
 * The error for parameters of `configureClient`: 2103 for a missing one, 2104 for an invalid one. Null: they are valid.
 */
export function faultOf(params: MqttSettings): VapixError | null {
  const { server, clientId, cleanSession, lastWillTestament, keepAliveInterval } = params;
  if (typeof server?.['host'] !== 'string' || typeof clientId !== 'string' || typeof cleanSession !== 'boolean') {
    return { code: 2103, message: 'Required parameter missing or invalid' };
  }
  const port = server['port'] ?? 1883;
  const isWrong =
    !(String(server['protocol']) in defaultPorts) ||
    !(Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536) ||
    (keepAliveInterval !== undefined && !Number.isInteger(keepAliveInterval)) ||
    !isLastWill(lastWillTestament);
  return isWrong ? { code: 2104, message: 'Invalid parameter value specified' } : null;
}

function isLastWill(value: unknown): boolean {
  if (value === undefined) return true;
  const { useDefault, topic, message, retain, qos } = value as Record<string, unknown>;
  if (useDefault === true) return true;
  return (
    typeof topic === 'string' &&
    typeof message === 'string' &&
    typeof retain === 'boolean' &&
    [0, 1, 2].includes(Number(qos))
  );
}
