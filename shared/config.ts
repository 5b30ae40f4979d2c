import { dialectNames, environments, reportedGroups, unsignedHeals } from './schema/vocabulary.ts';
import { faultOfIssuers, issuerList } from './settings-issuers.ts';
import {
  bearerToken,
  drillTargets,
  flag,
  httpsUrls,
  httpUrl,
  json,
  keyList,
  list,
  mqttUrl,
  number,
  oneOf,
  optional,
  optionalHttpsUrl,
  optionalKeyList,
  packageVersion,
  signingKeys,
  text,
  url,
  witnessList,
} from './settings-values.ts';

/** One setting: its variable, its meaning, and how its text becomes a value. */
type Setting<T> = { variable: string; about: string; secret?: true; read: (text: string | undefined) => T };

const setting = <T>(variable: string, about: string, read: (text: string | undefined) => T): Setting<T> => ({
  variable,
  about,
  read,
});
const secret = <T>(variable: string, about: string, read: (text: string | undefined) => T): Setting<T> => ({
  variable,
  about,
  secret: true,
  read,
});

/** All settings of the service, by their names in the code. `docs/settings.md` is generated from this table. */
export const settingsTable = {
  environment: setting(
    'ENVIRONMENT',
    'Where this runs. Only `local` accepts the settings marked (local).',
    oneOf(environments, 'production'),
  ),
  projectId: setting('GOOGLE_CLOUD_PROJECT', 'Google Cloud project.', text()),
  version: setting('SERVICE_VERSION', 'Version shown by the probes.', (raw) => raw || packageVersion()),
  timeScale: setting('TIME_SCALE', '(local) Divides every waiting time of the domain.', number(1, 1, 100_000, false)),
  logLevel: setting(
    'LOG_LEVEL',
    '`debug` adds a line for each message that was handled: its id, bytes and milliseconds.',
    oneOf(['info', 'debug'], 'info'),
  ),
  store: setting(
    'STORE',
    '(local) `memory` keeps all state in the process.',
    oneOf(['firestore', 'memory'], 'firestore'),
  ),
  firestoreDatabase: setting('FIRESTORE_DATABASE', 'Firestore database.', text('(default)')),
  feedDelayMs: setting('FEED_DELAY_MS', '(local) Delay of events in the feed, milliseconds.', number(5000, 1, 60_000)),
  firestoreEmulator: setting('FIRESTORE_EMULATOR_HOST', '(local) host:port of the Firestore emulator.', optional),

  tasksLocation: setting('TASKS_LOCATION', 'Region of the Cloud Tasks queues.', text('europe-west1')),
  tasksEndpoint: setting('TASKS_ENDPOINT', '(local) host:port of a Cloud Tasks service without TLS.', optional),
  deadlineQueues: setting(
    'DEADLINE_QUEUES',
    'Number of queues, `deadlines-0` and up, whose tasks call `deadline`.',
    number(4, 1, 64),
  ),
  deliveryQueues: setting(
    'DELIVERY_QUEUES',
    'Number of queues, `deliveries-0` and up, whose tasks call `deliver`.',
    number(4, 1, 64),
  ),
  deadlineUrl: setting('DEADLINE_URL', 'Address of the function `deadline`.', httpUrl),
  deliverUrl: setting('DELIVER_URL', 'Address of the function `deliver`.', httpUrl),
  tasksAccount: setting('TASKS_ACCOUNT', 'Service account whose OIDC token each task carries.', text()),

  callerIssuer: setting(
    'CALLER_ISSUER',
    'Issuer of the OIDC tokens that private callers carry.',
    text('https://accounts.google.com'),
  ),
  callerKeysUrl: setting(
    'CALLER_KEYS_URL',
    'Key set of that issuer.',
    url(['https:', 'http:'], 'https://www.googleapis.com/oauth2/v3/certs'),
  ),
  callerAudience: setting('CALLER_AUDIENCE', 'Audience those tokens must name: the address of this function.', text()),
  callers: setting('CALLERS', 'Service accounts that may call this function.', list),

  bridgeDialect: setting('BRIDGE_DIALECT', 'The message format of the bridge.', oneOf(dialectNames, 'native')),
  autoRegister: setting('AUTO_REGISTER', 'Whether an unknown device is registered by its first report.', flag(true)),

  authIssuers: setting(
    'AUTH_ISSUERS',
    'Issuers of the bearer tokens of the API: JSON `[{name, issuer, audience, keysUrl?, scopeClaim?, groupsClaim?, allGroups?, roles?, signIn?}]`, at most 4. `docs/issuers.md` says what each member means.',
    issuerList,
  ),
  requestsPerMinute: setting(
    'REQUESTS_PER_MINUTE',
    'Requests per minute of a subject to one instance of the API; a sixth of them may come at once.',
    number(600, 1, 1_000_000),
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    'Number of entries that the platform appends to `X-Forwarded-For`: 1 at the address of the function, 2 behind the load balancer, 0 without a proxy.',
    number(1, 0, 5),
  ),
  maxInstances: setting(
    'MAX_INSTANCES',
    'Maximum number of API instances: they share the limit of records for refusals.',
    number(10, 1, 1000),
  ),
  readOnly: setting(
    'READ_ONLY',
    '`true`: the API refuses every write with 503 and serves no stream, while the database is restored (`docs/recovery.md`).',
    flag(false),
  ),
  corsOrigins: setting('CORS_ORIGINS', 'Origins of web pages that may call the API, comma-separated.', list),
  pageTokenKeys: secret(
    'PAGE_TOKEN_KEYS',
    'Sign page tokens and canaries: `id:key` pairs, newest first, comma-separated. The first signs, all verify.',
    signingKeys,
  ),
  dataKeys: secret(
    'DATA_KEYS',
    'Encrypt secrets of endpoints and addresses of chats: `id:key` pairs, newest first, comma-separated.',
    keyList,
  ),
  metricsToken: secret(
    'METRICS_TOKEN',
    'Bearer token with which a monitoring system can read `GET /metrics` of all groups, 32 or more letters, digits and `._~+/=-`. Unset: only tokens of the issuer can.',
    bearerToken,
  ),
  reportedGroups: setting(
    'REPORTED_GROUPS',
    '`trust`: a report may name the group of its device while that is `unassigned`. Whoever controls a camera could then choose who is notified of it.',
    oneOf(reportedGroups, 'ignore'),
  ),
  unsignedHeals: setting(
    'UNSIGNED_HEALS',
    '`doubt`: if a guardian without signatures reports a drift of `broker.*` or `tls.*` as healed, it is still mailed to `operations`.',
    oneOf(unsignedHeals, 'accept'),
  ),
  consoleUrl: setting('CONSOLE_URL', 'Address of the console, for links in messages.', httpUrl),
  egressRanges: setting(
    'EGRESS_RANGES',
    'JSON `[{region, cidrs[], standby?}]`: addresses that webhooks come from; `standby`: only after the loss of a region.',
    json,
  ),

  egressCheckUrl: setting(
    'EGRESS_CHECK_URL',
    'Public https address that always answers, with any status. If it does not answer either, the failure is in our own outbound network. Unset: only other targets show that.',
    optionalHttpsUrl,
  ),

  drillTargets: secret(
    'DRILL_TARGETS',
    'Targets of the hourly drill: JSON `{"emails": [], "phones": [], "chats": [{"kind", "url"}]}`, addresses that nobody reads for alerts. Unset: no drill.',
    drillTargets,
  ),
  heartbeatUrls: secret('HEARTBEAT_URLS', 'Addresses that get a GET each minute while the platform sees.', httpsUrls),

  webhookChallenge: setting(
    'WEBHOOK_CHALLENGE',
    '`required`: an endpoint that a token limited to groups creates, or moves to another address, gets nothing until it has proven that it wants events.',
    oneOf(['off', 'required'], 'off'),
  ),

  mqttUrl: secret('MQTT_URL', 'MQTT broker that `/ready` checks and the sweep sends canaries through.', mqttUrl),
  messagesTopic: setting(
    'MESSAGES_TOPIC',
    'Pub/Sub topic of the reports, through which the sweep sends canaries. Unset: only the reports of the fleet show whether reports arrive.',
    optional,
  ),
  pubsubEmulator: setting('PUBSUB_EMULATOR_HOST', '(local) host:port of the Pub/Sub emulator.', optional),
  framesBucket: setting('FRAMES_BUCKET', 'Bucket of the captured frames.', text()),
  ledgerBucket: setting('LEDGER_BUCKET', 'Bucket for the ledger only. Unset: no ledger.', optional),
  ledgerOrigin: setting('LEDGER_ORIGIN', 'Name of the ledger. It never changes.', text('watchpost.local/ledger')),
  ledgerKeys: secret(
    'LEDGER_KEYS',
    'Keys that sign the ledger: `id:key` pairs, newest first. All sign.',
    optionalKeyList,
  ),
  ledgerWitnesses: setting('LEDGER_WITNESSES', 'Witnesses of the ledger: `name+hash+key@https://…`.', witnessList),
  storageEndpoint: setting('STORAGE_ENDPOINT', '(local) Address of an object store for Cloud Storage.', optional),

  webhookAllowHosts: setting(
    'WEBHOOK_ALLOW_HOSTS',
    '(local) Hosts that webhooks may reach although they are not public.',
    list,
  ),
  smtpUrl: secret('SMTP_URL', 'Mail server, `smtp://user:password@host:port`. Unset: no email is sent.', optional),
  mailFrom: setting('MAIL_FROM', 'Sender of the mails.', text('Watchpost <watchpost@localhost>')),
  smsUrl: setting('SMS_URL', 'Base address of the Twilio Messages API.', url(['https:'], 'https://api.twilio.com')),
  smsAccount: setting('SMS_ACCOUNT', 'Twilio account SID. Unset: no SMS is sent.', optional),
  smsToken: secret('SMS_TOKEN', 'Twilio auth token.', optional),
  smsFrom: setting('SMS_FROM', 'Sender number of the SMS, E.164.', optional),
} satisfies Record<string, Setting<unknown>>;

type SettingsTable = typeof settingsTable;
export type SettingName = keyof SettingsTable;
export type Config<Names extends SettingName = SettingName> = {
  [Name in Names]: ReturnType<SettingsTable[Name]['read']>;
};

/** Settings that a run in the cloud refuses. */
export const localOnly: readonly SettingName[] = [
  'firestoreEmulator',
  'pubsubEmulator',
  'tasksEndpoint',
  'storageEndpoint',
  'timeScale',
  'feedDelayMs',
  'store',
  'webhookAllowHosts',
];

const https = (text: string) => (/^https:/i.test(text) ? null : 'must begin with https://');

/**
 * Values that a run in the cloud refuses, because the connection would not use TLS or any web page could call the API. The text is the end
 * of a sentence.
 */
const unsafe: Partial<Record<SettingName, (text: string) => string | null>> = {
  ...{ deadlineUrl: https, deliverUrl: https, consoleUrl: https },
  ...{ callerIssuer: https, callerKeysUrl: https },
  authIssuers: faultOfIssuers,
  mqttUrl: (text) => (/^mqtts:/i.test(text) ? null : 'must begin with mqtts://'),
  // Options in the address could disable what the sender requires.
  smtpUrl: (text) => (/[?&][^=&]*tls/i.test(text) ? 'must not change TLS settings' : null),
  corsOrigins: (text) =>
    list(text).every((origin) => /^https:\/\/[^*/]+$/i.test(origin)) ? null : 'must be https:// origins, no wildcard',
};

/** What is wrong with a setting everywhere but on one machine. */
function cloudFaults(name: SettingName, text: string): string[] {
  const fault = unsafe[name]?.(text) ?? null;
  return [
    ...(localOnly.includes(name) ? ['is only allowed with ENVIRONMENT=local'] : []),
    ...(fault === null ? [] : [fault]),
  ];
}

/**
 * Reads the named settings from `env`. This is the only code that reads environment variables.
 * @throws Error that names each variable at fault and what is wrong with it, never a value
 */
export function readConfig<Name extends SettingName>(env: NodeJS.ProcessEnv, names: readonly Name[]): Config<Name> {
  const faults: string[] = [];
  const config: Record<string, unknown> = {};
  const environment = env['ENVIRONMENT'] || 'production';
  for (const name of names) {
    const { variable, read } = settingsTable[name];
    const text = env[variable];
    if (text && environment !== 'local') faults.push(...cloudFaults(name, text).map((fault) => `${variable} ${fault}`));
    try {
      config[name] = read(text);
    } catch (error) {
      faults.push(`${variable} ${error instanceof Error ? error.message : error}`);
    }
  }
  if (faults.length > 0) throw new Error(`Settings refused: ${faults.join('; ')}.`);
  return config as Config<Name>;
}
