import type { Ports, portNames } from '../machine/ports.ts';
import { ledgerOrigin, passwordOf, type Secrets } from './secrets.ts';

export const functionNames = ['api', 'probes', 'ingest', 'deliver', 'deadline'] as const;
export type FunctionName = (typeof functionNames)[number];

/** Names of the resources that the stack creates, as Terraform does in the cloud. */
export const location = 'europe-west1';
export const deadlineQueues = 2;
export const deliveryQueues = 4;
export const topics = { messages: 'device-messages', deadLetters: 'device-messages-dead-letter' };
export const framesBucket = 'watchpost-frames';
export const ledgerBucket = 'watchpost-ledger';
export const audience = 'watchpost';

/** The service accounts of the functions, and those that call private functions. */
export function accountsOf(projectId: string) {
  const email = (name: string) => `${name}@${projectId}.iam.gserviceaccount.com`;
  return {
    functions: email('functions'),
    push: email('push'),
    tasks: email('tasks'),
    scheduler: email('scheduler'),
  };
}

export function addressOf(ports: Ports, name: (typeof portNames)[number]): string {
  return `http://127.0.0.1:${ports[name]}`;
}

export type EnvironmentOptions = {
  /** The ports of the functions and their dependencies. */
  ports: Ports;
  projectId: string;
  timeScale: number;
  isEmbedded: boolean;
  secrets: Secrets;
  /** The credentials file of the functions' account. */
  accountFile: string;
  /** Hosts that the caller wants webhooks to reach, comma-separated. */
  allowedHosts: string;
};

const queues = { DEADLINE_QUEUES: String(deadlineQueues), DELIVERY_QUEUES: String(deliveryQueues) };

/** The settings of one function (`shared/config.ts` says what each means). */
export function functionEnvironment(name: FunctionName, options: EnvironmentOptions): Record<string, string> {
  const { ports, projectId, secrets, isEmbedded } = options;
  const accounts = accountsOf(projectId);
  const callers: Record<FunctionName, string[]> = {
    api: [],
    probes: [],
    ingest: [accounts.push],
    deliver: [accounts.tasks],
    deadline: [accounts.tasks, accounts.scheduler],
  };
  const issuer = addressOf(ports, 'issuer');
  return {
    ENVIRONMENT: 'local',
    GOOGLE_CLOUD_PROJECT: projectId,
    GOOGLE_APPLICATION_CREDENTIALS: options.accountFile,
    TIME_SCALE: String(options.timeScale),
    STORE: isEmbedded ? 'memory' : 'firestore',
    ...(isEmbedded ? {} : { FIRESTORE_EMULATOR_HOST: `127.0.0.1:${ports.firestore}` }),
    TASKS_LOCATION: location,
    TASKS_ENDPOINT: `127.0.0.1:${ports.tasks}`,
    ...queues,
    DEADLINE_URL: addressOf(ports, 'deadline'),
    DELIVER_URL: addressOf(ports, 'deliver'),
    TASKS_ACCOUNT: accounts.tasks,
    CALLER_ISSUER: issuer,
    CALLER_KEYS_URL: `${issuer}/jwks`,
    CALLER_AUDIENCE: addressOf(ports, name),
    CALLERS: callers[name].join(','),
    AUTH_ISSUERS: JSON.stringify([{ name: 'local', issuer, audience, signIn: true }]),
    // Reports may name a camera's group.
    REPORTED_GROUPS: 'trust',
    FEED_DELAY_MS: '1000', // The emulator and the twin make commits visible at once, but on a busy machine a commit takes a while.
    REQUESTS_PER_MINUTE: '1000000', // Tests and benchmarks may send any number of requests.
    TRUSTED_PROXIES: '0',
    CORS_ORIGINS: `${addressOf(ports, 'gateway')},http://localhost:${ports.gateway}`,
    PAGE_TOKEN_KEYS: secrets.pageTokenKeys,
    DATA_KEYS: secrets.dataKeys,
    CONSOLE_URL: addressOf(ports, 'gateway'),
    EGRESS_RANGES: JSON.stringify([{ region: 'local', cidrs: ['127.0.0.0/8'] }]),
    EGRESS_CHECK_URL: `https://localhost:${ports.inboxTls}/`, // The inbox answers 405, which counts as an answer.
    // Without Pub/Sub there is no topic: the broker posts to `ingest` directly.
    ...(isEmbedded ? {} : { MESSAGES_TOPIC: topics.messages, PUBSUB_EMULATOR_HOST: `127.0.0.1:${ports.pubsub}` }),
    ...brokerOf(name, options),
    SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
    SMS_URL: `https://localhost:${ports.inboxTls}`,
    SMS_ACCOUNT: 'ACwatchpost',
    SMS_TOKEN: 'local',
    SMS_FROM: '+15005550006',
    FRAMES_BUCKET: framesBucket,
    LEDGER_BUCKET: ledgerBucket,
    LEDGER_ORIGIN: ledgerOrigin,
    LEDGER_KEYS: secrets.ledgerKeys,
    STORAGE_ENDPOINT: addressOf(ports, 'storage'),
    WEBHOOK_ALLOW_HOSTS: [`localhost:${ports.receiver}`, `localhost:${ports.inboxTls}`, options.allowedHosts]
      .filter((hosts) => hosts !== '')
      .join(','),
  };
}

/** The service's accounts at the broker, by function. */
const brokerAccounts: Partial<Record<FunctionName, string>> = {
  probes: 'watchpost-probe',
  deadline: 'watchpost-canary',
};

function brokerOf(name: FunctionName, { ports, secrets }: EnvironmentOptions): { MQTT_URL?: string } {
  const user = brokerAccounts[name];
  if (user === undefined) return {};
  return { MQTT_URL: `mqtt://${user}:${passwordOf(secrets.accountsKey, user)}@127.0.0.1:${ports.mqtt}` };
}
