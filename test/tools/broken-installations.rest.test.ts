import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { settings as ingestSettings } from '../../functions/ingest/settings.ts';
import { documentedAccess } from '../../local/brokers/accounts.ts';
import { startBroker } from '../../local/brokers/broker.ts';
import { passwordOf } from '../../local/cloud/secrets.ts';
import { startStorage } from '../../local/cloud/storage/server.ts';
import { serve } from '../../shared/adapters/http/serve.ts';
import { createChecks } from '../../shared/adapters/probe/checks.ts';
import { takeMessage } from '../../shared/app/intake/take-message.ts';
import { createReadiness } from '../../shared/app/probe/readiness.ts';
import { readConfig } from '../../shared/config.ts';
import { adviceOn, lacksOf, makeLacks, type Wanted } from '../../tools/indexes/database.ts';
import { findAll } from '../../tools/preflight/find-all.ts';
import { createGoogle } from '../../tools/preflight/google.ts';
import { type Hop, smoke } from '../../tools/smoke/hops.ts';
import { type Answers, startGoogle } from '../support/preflight/google.ts';
import { message } from '../support/records/reports.ts';
import { startFirestoreAdmin } from '../support/stores/firestore-admin.ts';
import { readJson, readTerraform, valuesOf } from '../support/terraform/terraform.ts';
import { startTestApi } from '../support/world/api.ts';
import { issuersOf } from '../support/world/issuer.ts';
import { createWays, intake } from '../support/world/ways.ts';
import { createWebhookEdge, startTrustedReceiver, trustedCredential } from '../support/world/webhooks.ts';
import { createTestWorld } from '../support/world/world.ts';

/** Who names a fault. */
type CheckName = 'preflight' | 'smoke' | '/ready' | 'indexes' | 'start' | `alert ${string}`;
/** What each check that finds something says. */
type Said = Partial<Record<CheckName, string>>;
type Installation = Awaited<ReturnType<typeof install>>;

const database = 'projects/watchpost-test/databases/(default)';
const wanted = JSON.parse(readFileSync('firestore.indexes.json', 'utf8')) as Wanted;
const yearsAgo = () => new Date(Date.now() - 1000 * 86_400_000);
const stops: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A whole installation: what is in Google's project, at the issuer, at the broker, and in the service. */
async function install() {
  const world = createTestWorld();
  const lines: { event: string; fields: Record<string, unknown>; at: number }[] = [];
  const write = (event: string, fields: Record<string, unknown> = {}) => {
    lines.push({ event, fields, at: Date.parse(world.now()) });
  };
  const log = { info: write, warn: write, error: write };
  Object.assign(world, { log });
  const ways = createWays(world);
  const receiver = await startTrustedReceiver();
  const api = await startTestApi(world, ['localhost']);
  const google = await startGoogle();
  const admin = await startFirestoreAdmin(database);
  await makeLacks(
    admin.admin,
    database,
    wanted,
    async () => {},
    () => {},
  );
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-installation-'));
  const storage = await startStorage({ port: 0, folder, buckets: ['frames'] });
  const access = documentedAccess('key');
  let broker = await startBroker({ port: 0, access, secure: { port: 0, credential: trustedCredential() } });
  const port = broker.securePort ?? 0;
  stops.push(
    () => rmSync(folder, { recursive: true }),
    () => receiver.stop(),
    () => api.stop(),
    () => google.stop(),
    () => admin.stop(),
    () => storage.stop(),
    () => broker.stop(),
  );
  const { dispatcher } = createWebhookEdge(world, ['localhost']);
  await ways.live(3, ['cam-0']);
  return {
    ...{ world, log, lines, ways, receiver, api, google, admin, dispatcher, port, storagePort: storage.port, folder },
    variables: { region: '"europe-west1"' } as Record<string, string>,
    claims: {} as Record<string, unknown>,
    env: {} as NodeJS.ProcessEnv,
    async renewCertificate(issuedAt = new Date()) {
      await broker.stop();
      broker = await startBroker({ port: 0, access, secure: { port, credential: trustedCredential(issuedAt) } });
    },
  };
}

async function askPreflight({ folder, variables, google, api, claims }: Installation): Promise<string> {
  const file = join(folder, 'installation.tfvars');
  const given = {
    ...{ environment: '"production"', project_id: `"${google.project}"`, domain: '"localhost"' },
    ...{ notify: '{ emails = ["operations@example.com"] }', mail: '{ from = "alerts@example.com" }' },
    auth: `{ issuers = [{ name = "people", issuer = "${api.issuer.url}", audience = "watchpost", sign_in = true }] }`,
    ...variables,
  };
  const text = Object.entries(given).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(file, text.join(''));
  const token = await api.issuer.token(claims);
  const findings = await findAll([file], token, (project) => createGoogle(project, google.token, google.base));
  return findings.flatMap(({ status, what, toDo }) => (status === 'ok' ? [] : [`${what}. ${toDo}`])).join('\n');
}

function readinessOf({ world, log, api, port, storagePort }: Installation) {
  const checks = createChecks({
    ...{ projectId: 'watchpost-test', store: 'memory', firestoreDatabase: '(default)', firestoreEmulator: null },
    mqttUrl: `mqtts://watchpost-probe:${passwordOf('key', 'watchpost-probe')}@localhost:${port}`,
    ...{ framesBucket: 'frames', storageEndpoint: `http://127.0.0.1:${storagePort}` },
    authIssuers: issuersOf({ issuer: api.issuer.url }),
  });
  return createReadiness({ checks, log, now: world.now, elapsedMs: () => performance.now(), version: '1' })();
}

async function askReady(installation: Installation): Promise<string> {
  const { checks } = await readinessOf(installation);
  return Object.entries(checks)
    .flatMap(([name, check]) => (check.status === 'healthy' ? [] : [`${name}: ${check.error}`]))
    .join('\n');
}

/** Smoke's hops but those of the probes, which are asked by themselves. */
async function askSmoke({ world, api, receiver, dispatcher }: Installation): Promise<string> {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    if (['/health', '/ready'].includes(path)) return {};
    const answer = await api.call(method, path, body ? { body } : {});
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.body?.detail}`);
    return answer.body;
  };
  const send = (deviceId: string, kind: string, body: object) =>
    takeMessage(world, message(kind, body, { deviceId, publishTime: world.now() }), intake);
  const received = async () => {
    for (const { id } of await world.store.find({ in: 'deliveries', limit: 100 })) await dispatcher.attempt(id);
    return receiver.received.map(({ headers, body }) => ({ headers, body, address: '198.51.100.7' }));
  };
  const hops: Hop[] = await smoke(
    {
      ...{ api: { call }, messages: { send, close: async () => {} } },
      receiver: { url: receiver.urlOf('smoke'), received, close: async () => {} },
      ...{ deviceId: `smoke-${Date.parse(world.now())}`, groupId: 'smoke', patienceMs: 0 },
    },
    () => {},
  );
  return hops.flatMap(({ name, fault }) => (fault === null ? [] : [`${name}: ${fault}`])).join('\n');
}

async function askIndexes({ admin }: Installation): Promise<string> {
  const lacks = await lacksOf(admin.admin, database, wanted);
  return lacks.length === 0
    ? ''
    : [...lacks.map(({ what }) => what), adviceOn(lacks, 'watchpost-test', '(default)')].join('\n');
}

/** Starts the function once more with the settings of the installation. */
function askStart({ env, log }: Installation): string {
  const given = {
    ...{ GOOGLE_CLOUD_PROJECT: 'watchpost-test', FRAMES_BUCKET: 'frames', TASKS_ACCOUNT: 'tasks@example.com' },
    ...{ DEADLINE_URL: 'https://deadline.example.com', DELIVER_URL: 'https://deliver.example.com' },
    ...{ CONSOLE_URL: 'https://console.example.com', CALLER_AUDIENCE: 'https://ingest.example.com' },
    PAGE_TOKEN_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    ...env,
  };
  let said = '';
  const error = (event: string, fields: Record<string, unknown> = {}) => {
    said = String(fields['error']);
    log.error(event, fields);
  };
  serve(
    'ingest',
    { ...log, error },
    () => {
      readConfig(given, ingestSettings);
      return () => {};
    },
    () => {},
  );
  return said;
}

type Policy = { filter: string; threshold: number; period: number };
let eventPolicies: Record<string, Policy>;
let counters: Record<string, { event: string }>;
let absence: { filter: string; duration: string };
const runbook = readJson<Record<string, string>>('terraform/runbook.json');
beforeAll(async () => {
  const root = await readTerraform();
  eventPolicies = root.local('event_policies') as Record<string, Policy>;
  counters = root.local('counters') as typeof counters;
  const sweep = root.resource('google_monitoring_alert_policy', 'sweep_absent');
  absence = (valuesOf(sweep, 'condition_absent')[0] as (typeof absence)[])[0] as typeof absence;
});

/** The policies on events that would call somebody now, each with its page. */
function alertsOf({ lines, world }: Installation): Said {
  const now = Date.parse(world.now());
  const count = (filter: string, seconds: number) => {
    const [, metric = ''] = /local\.event_metric\.(\w+)/.exec(filter) ?? [];
    const [, status] = /status=\\?"(\w+)/.exec(filter) ?? [];
    return lines.filter(
      ({ event, fields, at }) =>
        event === counters[metric]?.event && at > now - seconds * 1000 && (!status || fields['status'] === status),
    ).length;
  };
  const firing = Object.entries(eventPolicies).flatMap(([name, { filter, threshold, period }]) =>
    count(filter, period) > threshold ? [name] : [],
  );
  if (count(absence.filter, Number.parseInt(absence.duration, 10)) === 0) firing.push('sweep-absent');
  return Object.fromEntries(firing.map((name) => [`alert ${name}`, runbook[name] ?? '']));
}

/** What all checks say a minute later, by the clock of the world. */
async function askAll(installation: Installation): Promise<Said> {
  await installation.ways.live(1, ['cam-0']);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(installation.world.now()) });
  const said: Said = {
    preflight: await askPreflight(installation),
    smoke: await askSmoke(installation),
    '/ready': await askReady(installation),
    indexes: await askIndexes(installation),
    start: askStart(installation),
    ...alertsOf(installation),
  };
  vi.useRealTimers();
  return Object.fromEntries(Object.entries(said).filter(([, text]) => text !== ''));
}

const of = (host: string, path: string) => `GET ${host}.googleapis.com/${path}`;
const inProject = 'projects/watchpost-test';
const quota = of(
  'cloudquotas',
  `v1/${inProject}/locations/global/services/run.googleapis.com/quotaInfos/CpuAllocPerProjectRegion`,
);
const policy = of('orgpolicy', `v2/${inProject}/policies/iam.allowedPolicyMemberDomains:getEffectivePolicy`);
const at =
  (answers: Answers): Break =>
  ({ google }) =>
    google.change(answers);
const signing =
  (claims: object): Break =>
  (installation) =>
    void Object.assign(installation, { claims });
type Break = (installation: Installation) => unknown;

const repairs: Record<string, Break> = {
  google: ({ google }) => google.change({}),
  token: signing({}),
  region: ({ variables }) => Object.assign(variables, { region: '"europe-west1"' }),
  async sweep({ ways }) {
    ways.state.sweeps = true;
    ways.state.canaryAccount = true;
    await ways.live(4, ['cam-0']);
  },
  indexes: ({ admin }) =>
    makeLacks(
      admin.admin,
      database,
      wanted,
      async () => {},
      () => {},
    ),
  setting: (installation) => {
    installation.env = {};
  },
  certificate: ({ renewCertificate }) => renewCertificate(),
};

test.each<[fault: string, breakIt: Break, repair: keyof typeof repairs, named: [CheckName, RegExp][]]>([
  [
    'a missing secret',
    at({ [of('secretmanager', `v1/${inProject}/secrets/data-keys/versions`)]: {} }),
    'google',
    [['preflight', /^secret data-keys has no enabled version\. `gcloud secrets versions add data-keys .*$/]],
  ],
  [
    'a wrong scope',
    signing({ scope: 'User.Read' }),
    'token',
    [['preflight', /^the token grants no scope of Watchpost\. Define the scopes at the issuer.*$/]],
  ],
  [
    'no groups',
    signing({ groups: undefined }),
    'token',
    [['preflight', /^the token opens nothing\. .*`groups`: have the issuer list.*$/]],
  ],
  [
    'a quota',
    at({ [quota]: { dimensionsInfos: [{ details: { value: '20000' }, applicableLocations: ['europe-west1'] }] } }),
    'google',
    [['preflight', /^Cloud Run may use 20 vCPU in europe-west1, 113 are wanted\. Ask for more under IAM.*$/]],
  ],
  [
    'a policy',
    at({ [policy]: { spec: { rules: [{ values: { allowedValues: ['C0abc'] } }] } } }),
    'google',
    [['preflight', /^`allUsers` is refused \(iam\.allowedPolicyMemberDomains\)\. Have the project excepted.*$/]],
  ],
  [
    'a region',
    ({ variables }) => Object.assign(variables, { region: '"europe-west11"' }),
    'region',
    [['preflight', /^Cloud Run is not offered in the region europe-west11\. Set `region` to one of europe-west1, .*$/]],
  ],
  [
    'no canary',
    async ({ ways }) => {
      ways.state.canaryAccount = false;
      await ways.live(5, ['cam-0']);
    },
    'sweep',
    [['smoke', /^canaries: canaries no longer come through broker: docs\/runbook\.md, Canary broken$/]],
  ],
  [
    'a stopped sweep',
    async ({ ways }) => {
      ways.state.sweeps = false;
      await ways.live(4, ['cam-0']);
    },
    'sweep',
    [['alert sweep-absent', /^## Sweep absent\n[\s\S]*\n1\. /]],
  ],
  [
    'a missing index',
    ({ admin }) => admin.indexes.splice(0, 1),
    'indexes',
    [['indexes', /^index \w+ COLLECTION: .*\nMake it: `npm run indexes -- --project watchpost-test .* --apply`\.$/]],
  ],
  [
    'a wrong audience',
    signing({ aud: 'another-api' }),
    'token',
    [['preflight', /^the token names the audience another-api, not watchpost\. Set `audience`, or .*$/]],
  ],
  [
    'a refused setting',
    ({ env }) => Object.assign(env, { BRIDGE_DIALECT: 'klingon' }),
    'setting',
    [
      ['start', /^Settings refused: BRIDGE_DIALECT must be one of native, [^;]*\.$/],
      // The same line, as those read it who are called.
      ['alert settings-refused', /^## Settings refused\n[\s\S]*\n1\. /],
    ],
  ],
  [
    'an expired certificate',
    ({ renewCertificate }) => renewCertificate(yearsAgo()),
    'certificate',
    [['/ready', /^mqtt: the broker's certificate has expired: renew it and reload the broker$/]],
  ],
])(
  '%s is named by its check alone, with what to do, until it is repaired',
  { timeout: 60_000 },
  async (_fault, breakIt, repair, named) => {
    const installation = await install();
    expect(await askAll(installation)).toEqual({});
    await breakIt(installation);
    expect(await askAll(installation)).toEqual(
      Object.fromEntries(named.map(([check, words]) => [check, expect.stringMatching(words)])),
    );
    await repairs[repair]?.(installation);
    expect(await askAll(installation)).toEqual({});
  },
);
