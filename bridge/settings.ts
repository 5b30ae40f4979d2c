import { readFileSync } from 'node:fs';
import { isPartition, type Partition, wholeBroker } from '../shared/domain/sight/partitions.ts';
import type { PublisherConfig } from './forward/publisher.ts';
import type { BrokerOptions } from './mqtt/session.ts';

export type Settings = {
  broker: BrokerOptions;
  /** The part of the devices that this bridge forwards. */
  partition: Partition;
  droppedTopic: string | null;
  publisher: PublisherConfig;
  mostBytes: number;
  /** Messages a second above which they are packed. */
  packAbove: number;
  /** Where health and metrics are served. */
  port: number;
};

type Env = Record<string, string | undefined>;
type Variable = { about: string; default?: string };

/** The client id of a bridge that is alone. */
export const defaultClientId = 'watchpost-bridge';

/** The settings of the bridge. `docs/bridge.md` shows this table. */
export const variables = {
  MQTT_URL: { about: 'Address of the broker: `mqtts://`, `wss://`, or on the same host `mqtt://` or `ws://`.' },
  MQTT_USERNAME: {
    about: 'Account at the broker. It can also be in the address, or a certificate can take its place.',
    default: '',
  },
  MQTT_PASSWORD: { about: 'Its password.', default: '' },
  MQTT_CLIENT_ID: {
    about:
      'Client id. Two bridges must not have the same. Bridges that share the devices get `-2-4` and the like after it.',
    default: defaultClientId,
  },
  MQTT_VERSION: { about: '`5`, or `3.1.1`.', default: '5' },
  MQTT_CA_FILE: { about: 'Certificate authorities of the broker, PEM. Empty: those of the system.', default: '' },
  MQTT_CERTIFICATE_FILE: { about: 'Client certificate, PEM.', default: '' },
  MQTT_KEY_FILE: { about: 'Its private key, PEM.', default: '' },
  MQTT_ALPN: { about: 'ALPN protocol, for brokers that share a port with other protocols.', default: '' },
  MQTT_WINDOW: {
    about: 'Messages that the broker may send before the first is acknowledged. Only MQTT 5 tells it to the broker.',
    default: '2000',
  },
  MQTT_KEEPALIVE_SECONDS: {
    about: 'A broker that says nothing for so long is given up, and connected to again.',
    default: '30',
  },
  MQTT_ALLOW_PLAIN: {
    about: '`true`: no TLS to a broker on another host. Whoever is between them can read and change every message.',
    default: 'false',
  },
  MQTT_DROPPED_TOPIC: {
    about:
      'Topic on which the broker says how many messages it has dropped. Mosquitto: `$SYS/broker/publish/messages/dropped`.',
    default: '',
  },
  PARTITION: {
    about: 'Which part of the devices it forwards, `2/4` for the second of four bridges: a power of two, up to 64.',
    default: '1/1',
  },
  GOOGLE_CLOUD_PROJECT: { about: 'Google Cloud project.' },
  MESSAGES_TOPIC: { about: 'Pub/Sub topic.', default: 'device-messages' },
  PUBSUB_EMULATOR_HOST: { about: 'host:port of a Pub/Sub emulator, in place of Pub/Sub.', default: '' },
  MAX_IN_FLIGHT_MB: {
    about: 'The most that is published at once, megabytes. Beyond it nothing is read, and the broker keeps what comes.',
    default: '64',
  },
  PACK_ABOVE: {
    about: 'Messages a second above which several go to Pub/Sub as one, after at most 2 s. 0: never.',
    default: '50',
  },
  PORT: { about: 'Port of `/healthz`, `/readyz` and `/metrics`.', default: '8080' },
} as const satisfies Record<string, Variable>;

type Name = keyof typeof variables;

/**
 * Reads the settings from `env`, and the files that they name.
 * @throws Error that names each variable at fault and what is wrong with it, never a value that is secret
 */
export function readSettings(env: Env): Settings {
  const faults: string[] = [];
  const read = <T>(name: Name, parse: (text: string) => T): T | null => {
    const variable: Variable = variables[name];
    const text = env[name] || variable.default;
    try {
      if (text === undefined) throw new Error('is required');
      return parse(text);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
      return null;
    }
  };
  const text = (name: Name) => read(name, (value) => value);
  const optional = (name: Name) => read(name, (value) => value) || null;
  const file = (name: Name) => read(name, (path) => (path === '' ? null : contentOf(path)));

  const isPlainAllowed = read('MQTT_ALLOW_PLAIN', flag) === true;
  const url = read('MQTT_URL', (value) => brokerAddress(value, isPlainAllowed));
  const certificate = file('MQTT_CERTIFICATE_FILE');
  const key = file('MQTT_KEY_FILE');
  if ((certificate === null) !== (key === null) && faults.length === 0)
    faults.push('MQTT_CERTIFICATE_FILE and MQTT_KEY_FILE belong together');
  const share = read('PARTITION', partition) ?? wholeBroker;
  const settings = {
    broker: {
      url,
      username: optional('MQTT_USERNAME') ?? decoded(url?.username),
      password: optional('MQTT_PASSWORD') ?? decoded(url?.password),
      clientId: clientIdOf(text('MQTT_CLIENT_ID') ?? '', share),
      version: read('MQTT_VERSION', version),
      ca: file('MQTT_CA_FILE'),
      certificate: certificate === null || key === null ? null : { certificate, key },
      alpn: optional('MQTT_ALPN'),
      window: read('MQTT_WINDOW', integer(1, 65_535)),
      keepaliveSeconds: read('MQTT_KEEPALIVE_SECONDS', integer(1, 3600)),
    },
    partition: share,
    droppedTopic: optional('MQTT_DROPPED_TOPIC'),
    publisher: {
      projectId: text('GOOGLE_CLOUD_PROJECT'),
      topic: text('MESSAGES_TOPIC'),
      emulator: optional('PUBSUB_EMULATOR_HOST'),
    },
    mostBytes: (read('MAX_IN_FLIGHT_MB', integer(1, 4096)) ?? 0) * 1024 * 1024,
    packAbove: read('PACK_ABOVE', integer(0, 1_000_000)),
    port: read('PORT', integer(0, 65_535)),
  };
  if (faults.length > 0) throw new Error(`Settings refused: ${faults.join('; ')}.`);
  return settings as Settings;
}

const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function brokerAddress(text: string, isPlainAllowed: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['mqtt:', 'mqtts:', 'ws:', 'wss:'].includes(url.protocol) || url.hostname === '')
    throw new Error('must be an address that begins with mqtts://, wss://, mqtt:// or ws://');
  const isSecure = url.protocol === 'mqtts:' || url.protocol === 'wss:';
  if (!isSecure && !isPlainAllowed && !local.test(url.hostname))
    throw new Error('must begin with mqtts:// or wss://, because the broker is on another host');
  return url;
}

function decoded(text: string | undefined): string | null {
  return text ? decodeURIComponent(text) : null;
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`names a file that cannot be read: ${(error as Error).message}`);
  }
}

function clientIdOf(name: string, { partition: number, of }: Partition): string {
  return of === 1 ? name : `${name}-${number}-${of}`;
}

function partition(text: string): Partition {
  const [, number, of] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const share = { partition: Number(number), of: Number(of) };
  if (!isPartition(share))
    throw new Error('must be like 2/4: a bridge, and the number of bridges, a power of two up to 64');
  return share;
}

function version(text: string): 4 | 5 {
  if (text === '5') return 5;
  if (text === '3.1.1') return 4;
  throw new Error('must be 5 or 3.1.1');
}

function flag(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
  return text === 'true';
}

function integer(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < lowest || value > highest)
      throw new Error(`must be a whole number from ${lowest} to ${highest}`);
    return value;
  };
}
