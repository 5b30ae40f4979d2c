import { join } from 'node:path';
import { waitsAt } from '../../shared/domain/limits.ts';
import { scopes } from '../../shared/schema/scopes.ts';
import { bridgeAccount } from '../brokers/accounts.ts';
import type { MqttConfig } from '../brokers/server.ts';
import { startEmulator } from '../cloud/emulators.ts';
import {
  accountsOf,
  addressOf,
  audience,
  deadlineQueues,
  deliveryQueues,
  type EnvironmentOptions,
  framesBucket,
  functionEnvironment,
  functionNames,
  ledgerBucket,
  location,
  topics,
} from '../cloud/environment.ts';
import type { Snapshots } from '../cloud/firestore-snapshots.ts';
import type { PushSubscription } from '../cloud/push/server.ts';
import { pushRetries } from '../cloud/push/settings.ts';
import type { TopicConfig } from '../cloud/push/topic.ts';
import { type CertificateFiles, passwordOf, publicKeyOf } from '../cloud/secrets.ts';
import type { StorageConfig } from '../cloud/storage/server.ts';
import type { QueueSettings } from '../cloud/tasks/settings.ts';
import type { Ports } from '../machine/ports.ts';
import type { Instruction } from './child.ts';
import { spawnChild } from './child-process.ts';
import type { Part } from './supervisor.ts';

export type PartsOptions = EnvironmentOptions & {
  dataDir: string;
  /** Ports of proxies that stand between functions and their dependencies. */
  between: Partial<Ports>;
  snapshots: Snapshots;
  cameras: number;
  /** Environment of children, in addition to a function's settings. */
  childEnvironment: Record<string, string | undefined>;
  /** Further environment of one part, by its name. */
  environmentOf(part: string): Record<string, string>;
  builtFolder: string | null;
  /** Heap of the Firestore emulator. */
  firestoreGib?: number;
  /** Environment in which Java and the emulators are found: PATH, JAVA_HOME and the variables that name a jar. */
  env: Record<string, string | undefined>;
};

/** The same values as in Terraform: after internal errors tasks are retried without limit, at first after a short delay. */
const queueSettings: QueueSettings = {
  maxDispatchesPerSecond: 500,
  maxConcurrentDispatches: 100,
  retry: { maxAttempts: -1, maxRetryDurationMs: 0, minBackoffMs: 500, maxBackoffMs: 30_000, maxDoublings: 6 },
};

/** All parts of a stack except the gateway, which runs in the main process, and the fleet. */
export function partsOf(options: PartsOptions & CertificateFiles): Record<string, Part> {
  const { ports, isEmbedded, secrets } = options;
  const dependency = (name: string, instruction: Instruction): Part => ({
    name,
    kind: 'dependency',
    start: () => spawnPart(options, name, instruction),
  });
  const issuer = { port: ports.issuer, signingKey: secrets.signingKey, audience, scope: scopes.join(' ') };
  const list = [
    ...(isEmbedded
      ? [dependency('pubsub', { service: 'topic', config: topicConfig(options) })]
      : [...emulatorParts(options), dependency('push', { service: 'push', config: pushConfig(options) })]),
    dependency('tasks', { service: 'tasks', config: tasksConfig(options) }),
    dependency('storage', { service: 'storage', config: storageConfig(options) }),
    dependency('mqtt', { service: 'mqtt', config: mqttConfig(options) }),
    dependency('bridge', { service: 'bridge', config: bridgeEnvironment(options) }),
    dependency('inbox', { service: 'inbox', config: inboxConfig(options) }),
    dependency('issuer', { service: 'issuer', config: issuer }),
    dependency('receiver', {
      service: 'receiver',
      config: { port: ports.receiver, controlPort: ports.receiverControl, credential: secrets.server },
    }),
    ...functionParts(options),
  ];
  return Object.fromEntries(list.map((part) => [part.name, part]));
}

/** The simulated cameras. */
export function fleetPart(options: PartsOptions & CertificateFiles): Part {
  const { ports, cameras, timeScale, dataDir, caFile, secrets } = options;
  const config = {
    broker: { url: `mqtts://127.0.0.1:${ports.mqttTls}`, caFile, accountsKey: secrets.accountsKey },
    guardianFolder: guardianFolderOf(dataDir),
    service: { url: addressOf(ports, 'gateway'), issuer: addressOf(ports, 'issuer') },
    cameras,
    timeScale,
    periodSeconds: waitsAt(1).reportPeriod / 1000,
  };
  return {
    name: 'fleet',
    kind: 'dependency',
    start: () => spawnPart(options, 'fleet', { service: 'fleet', config }),
  };
}

function spawnPart({ childEnvironment, environmentOf, dataDir }: PartsOptions, name: string, instruction: Instruction) {
  return spawnChild(instruction, { ...childEnvironment, ...environmentOf(name) }, logFile(dataDir, name));
}

/** Where the guardians of simulated cameras keep their files. */
export function guardianFolderOf(dataDir: string): string {
  return join(dataDir, 'guardians');
}

export function logFolderOf(dataDir: string): string {
  return join(dataDir, 'logs');
}

function logFile(dataDir: string, name: string): string {
  return join(logFolderOf(dataDir), `${name}.log`);
}

function emulatorParts({ ports, dataDir, snapshots, env, environmentOf, firestoreGib }: PartsOptions): Part[] {
  const heap = firestoreGib === undefined ? {} : { heapGib: firestoreGib };
  return [
    {
      name: 'firestore',
      kind: 'dependency',
      start() {
        const seedFile = snapshots.seedFile();
        const seed = seedFile === undefined ? {} : { seedFile };
        return startEmulator(
          'firestore',
          { port: ports.firestore, logFile: logFile(dataDir, 'firestore'), ...seed, ...heap },
          { ...env, ...environmentOf('firestore') },
        );
      },
    },
    {
      name: 'pubsub',
      kind: 'dependency',
      start: () =>
        startEmulator(
          'pubsub',
          { port: ports.pubsub, logFile: logFile(dataDir, 'pubsub') },
          { ...env, ...environmentOf('pubsub') },
        ),
    },
  ];
}

/** Each function has its own process, as in the cloud. With the in-process store they share one. */
function functionParts(options: PartsOptions): Part[] {
  const { ports, between, dataDir, isEmbedded, builtFolder } = options;
  const functions = functionNames.map((name) => ({
    name,
    port: ports[name],
    environment: functionEnvironment(name, { ...options, ports: { ...ports, ...between } }),
  }));
  const hosts = isEmbedded
    ? [{ name: 'functions', functions }]
    : functions.map((one) => ({ name: one.name, functions: [one] }));
  const snapshotFile = isEmbedded ? join(dataDir, 'memory.json') : null;
  return hosts.map(({ name, functions: hosted }) => ({
    name,
    kind: 'function',
    start: () =>
      spawnPart(options, name, { service: 'functions', config: { functions: hosted, snapshotFile, builtFolder } }),
  }));
}

function tasksConfig({ ports, projectId, dataDir }: PartsOptions) {
  const named = (kind: string, count: number) => Array.from({ length: count }, (_unused, index) => `${kind}-${index}`);
  const names = [...named('deadlines', deadlineQueues), ...named('deliveries', deliveryQueues)];
  const queues = names.map((name) => [`projects/${projectId}/locations/${location}/queues/${name}`, queueSettings]);
  return {
    port: ports.tasks,
    issuer: addressOf(ports, 'issuer'),
    queues: Object.fromEntries(queues) as Record<string, QueueSettings>,
    journalFile: join(dataDir, 'tasks.journal'),
  };
}

function storageConfig({ ports, dataDir, projectId, secrets }: PartsOptions): StorageConfig {
  const signer = { email: accountsOf(projectId).functions, publicKey: publicKeyOf(secrets) };
  return { port: ports.storage, folder: join(dataDir, 'storage'), buckets: [framesBucket, ledgerBucket], signer };
}

function inboxConfig({ ports, certificateFile, certificateKeyFile }: PartsOptions & CertificateFiles) {
  const { inbox: pagePort, smtp: smtpPort, inboxTls: tlsPort } = ports;
  const receiverControlUrl = addressOf(ports, 'receiverControl');
  return { pagePort, smtpPort, tlsPort, certificateFile, certificateKeyFile, receiverControlUrl };
}

function pushConfig({ ports, projectId }: PartsOptions) {
  const ingest = addressOf(ports, 'ingest');
  const subscriptions: PushSubscription[] = [
    {
      topic: topics.messages,
      name: `${topics.messages}-ingest`,
      url: `${ingest}/`,
      deadLetterTopic: topics.deadLetters,
      ...pushRetries.messages,
    },
    {
      topic: topics.deadLetters,
      name: `${topics.deadLetters}-ingest`,
      url: `${ingest}/dead-letter`,
      deadLetterTopic: null,
      ...pushRetries.deadLetters,
    },
  ];
  return {
    projectId,
    pubsubHost: `127.0.0.1:${ports.pubsub}`,
    issuer: addressOf(ports, 'issuer'),
    email: accountsOf(projectId).push,
    audience: ingest,
    subscriptions,
  };
}

function mqttConfig({ ports, secrets }: PartsOptions): MqttConfig {
  const secure = { port: ports.mqttTls, credential: secrets.server };
  return { port: ports.mqtt, secure, accountsKey: secrets.accountsKey };
}

function topicConfig(options: PartsOptions): TopicConfig {
  const { subscriptions, issuer, email, audience: caller } = pushConfig(options);
  const [messages, deadLetters] = subscriptions.map(({ url }) => url) as [string, string];
  const subscription = `projects/${options.projectId}/subscriptions/${topics.messages}-ingest`;
  const where = { url: messages, deadLetterUrl: deadLetters, subscription };
  return { port: options.ports.pubsub, issuer, email, audience: caller, ...where };
}

/** The settings of the bridge (`bridge/settings.ts`). */
function bridgeEnvironment({ ports, projectId, secrets }: PartsOptions): Record<string, string> {
  return {
    MQTT_URL: `mqtt://127.0.0.1:${ports.mqtt}`,
    MQTT_USERNAME: bridgeAccount,
    MQTT_PASSWORD: passwordOf(secrets.accountsKey, bridgeAccount),
    MQTT_VERSION: '3.1.1',
    GOOGLE_CLOUD_PROJECT: projectId,
    MESSAGES_TOPIC: topics.messages,
    PUBSUB_EMULATOR_HOST: `127.0.0.1:${ports.pubsub}`,
    PORT: String(ports.bridge),
  };
}
