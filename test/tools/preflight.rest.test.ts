import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodeOf, findAll } from '../../tools/preflight/find-all.ts';
import { createGoogle } from '../../tools/preflight/google.ts';
import { type Answers, startGoogle } from '../support/preflight/google.ts';

const P = 'watchpost-test';

let google: Awaited<ReturnType<typeof startGoogle>>;
let base: string;
/** The issuer, which stands beside Google's APIs. */
let issuer: Answers;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256' };
  google = await startGoogle();
  base = google.base;
  issuer = {
    'GET .well-known/openid-configuration': { issuer: base, jwks_uri: `${base}jwks` },
    'GET jwks': { keys: [jwk] },
  };
});
afterAll(() => google.stop());

const sign = (claims: object, key = keys.privateKey) =>
  new SignJWT({ iss: base, aud: 'watchpost', sub: 'ana', scope: 'alerts:read', groups: ['north'], ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuedAt()
    .setExpirationTime('exp' in claims ? (claims.exp as number) : '5m')
    .sign(key);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'preflight-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Variables as Terraform gets them: their texts are expressions. */
const usual = {
  environment: '"production"',
  project_id: `"${P}"`,
  domain: '"localhost"',
  notify: '{ emails = ["operations@example.com"] }',
  mail: '{ from = "alerts@example.com" }',
};
const variablesOf = (variables: Record<string, string>) => {
  const auth = `{ issuers = [{ name = "people", issuer = "${base}", audience = "watchpost", sign_in = true }] }`;
  return Object.entries({ auth, ...variables })
    .map(([name, text]) => `${name} = ${text}\n`)
    .join('');
};

async function run(
  changed: Answers,
  given: string | null,
  variables: Record<string, string> = {},
): Promise<{ code: number; lines: string[]; all: string }> {
  google.change({ ...issuer, ...changed });
  const file = join(folder, 'test.tfvars');
  writeFileSync(file, variablesOf({ ...usual, ...variables }));
  const googleOf = (project: string) => createGoogle(project, google.token, base);
  const findings = await findAll([file], given, googleOf);
  const lines = findings.map(({ status, what, toDo }) => `${status} ${what}. ${toDo}`);
  return { code: exitCodeOf(findings), lines, all: lines.join('\n') };
}

/** Runs the command itself. */
function command(args: string[], token: string): Promise<{ code: number; all: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], GOOGLE_OAUTH_ACCESS_TOKEN: google.token };
    const child = execFile(process.execPath, ['tools/preflight.ts', ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, all: stdout + stderr });
    });
    child.stdin?.end(token);
  });
}

test('the command prints each finding and their numbers, and takes the token from the standard input', async () => {
  google.change(issuer);
  const file = join(folder, 'command.tfvars');
  writeFileSync(file, variablesOf(usual));
  const { code, all } = await command(['--google-base', base, '--var-file', file, '--token-file', '-'], await sign({}));
  expect(all.trim().split('\n').at(-1)).toMatch(/^\d+ ok, 0 problems, 0 unknown$/);
  expect(all).not.toContain(google.token);
  expect(code).toBe(0);
  expect(await command([], '')).toEqual({ code: 2, all: expect.stringContaining('--var-file') });
});

test('a ready project has no problem, and the checks only read', async () => {
  const { code, lines, all } = await run({}, await sign({ groups: ['north'] }));
  expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([]);
  expect(code).toBe(0);
  expect(google.seen.filter((call) => !call.startsWith('GET ') && !call.endsWith(':testIamPermissions'))).toEqual([]);
  expect(all).not.toContain(google.token);
});

const of = (host: string, path: string) => `GET ${host}.googleapis.com/${path}`;
const policy = (constraint: string, rules: object[]): Answers => ({
  [of('orgpolicy', `v2/projects/${P}/policies/${constraint}:getEffectivePolicy`)]: { spec: { rules } },
});
const versions = (id: string) => of('secretmanager', `v1/projects/${P}/secrets/${id}/versions`);
const quota = of(
  'cloudquotas',
  `v1/projects/${P}/locations/global/services/run.googleapis.com/quotaInfos/CpuAllocPerProjectRegion`,
);

test.each<[problem: RegExp, changed: Answers, variables?: Record<string, string>]>([
  [/project .* not active/, { [of('cloudresourcemanager', `v3/projects/${P}`)]: { state: 'DELETE_REQUESTED' } }],
  [/billing is not enabled/, { [of('cloudbilling', `v1/projects/${P}/billingInfo`)]: { billingEnabled: false } }],
  [/APIs are not enabled: .*run\.googleapis/, { [`${of('serviceusage', `v1/projects/${P}/services`)} second`]: {} }],
  [
    /may use 20 vCPU in europe-west1, 113 are wanted/,
    { [quota]: { dimensionsInfos: [{ details: { value: '20000' }, applicableLocations: ['europe-west1'] }] } },
  ],
  [
    /may use 20 vCPU in europe-west1, 33 are wanted/,
    { [quota]: { dimensionsInfos: [{ details: { value: '20000' }, applicableLocations: ['europe-west1'] }] } },
    { environment: '"dev"', sizes: '{ ingest = { max_instances = 10, cpu = "2" }, deliver = { max_instances = 5 } }' },
  ],
  [
    /may use 20 vCPU in europe-north1, 113 are wanted/,
    { [quota]: { dimensionsInfos: [{ details: { value: '20000' }, applicableLocations: ['europe-north1'] }] } },
    { region: '"europe-north1"' },
  ],
  [/`allUsers` is refused/, policy('iam.allowedPolicyMemberDomains', [{ values: { allowedValues: ['C0abc'] } }])],
  [/buckets that everybody can read are refused/, policy('storage.publicAccessPrevention', [{ enforce: true }])],
  [
    /switching Cloud Run's own check off is refused/,
    policy('run.managed.requireInvokerIam', [{ enforce: true }]),
    { public_access: '{ functions = "unchecked" }' },
  ],
  [
    /caller lacks .*storage\.buckets\.create/,
    { [`POST cloudresourcemanager.googleapis.com/v3/projects/${P}:testIamPermissions`]: {} },
  ],
  [/secret data-keys is not there/, { [versions('data-keys')]: 404 }],
  [/secret mqtt-url has no enabled version/, { [versions('mqtt-url')]: {} }],
  [/secret probes-mqtt-url is not there/, { [versions('probes-mqtt-url')]: 404 }],
  [/secret smtp-url is not there/, { [versions('smtp-url')]: 404 }],
  [
    /secret sms-token is not there/,
    { [versions('sms-token')]: 404 },
    { sms: '{ account = "AC1", from = "+15005550006" }' },
  ],
  [/secret drill-targets is not there/, {}, { drill: 'true' }],
  [
    /secret bridge-2-of-2-mqtt-ca-file is not there.* docs\/bridge\.md /,
    {},
    { cloud_bridge: '{ image = "bridge@sha256:0", parts = 2, files = ["MQTT_CA_FILE"] }' },
  ],
  [
    /not offered in the region europe-west11\. Set `region` to one of europe-west1, us-central1/,
    {},
    { region: '"europe-west11"' },
  ],
  [/does not describe itself/, { 'GET .well-known/openid-configuration': 404 }],
  [/calls itself https:\/\/other/, { 'GET .well-known/openid-configuration': { issuer: 'https://other.example.com' } }],
  [/publishes no keys/, { 'GET jwks': { keys: [] } }],
  [/no-such-name\.invalid is not known to DNS/, {}, { domain: '"no-such-name.invalid"' }],
])('finds the problem: %s', async (expected, changed, variables) => {
  const { code, lines } = await run(changed, await sign({}), variables);
  const problems = lines.filter((line) => line.startsWith('problem '));
  expect(problems.some((line) => expected.test(line))).toBe(true);
  for (const line of problems) expect(line).toMatch(/\. [A-Z`].{10,}\.$/);
  expect(code).toBe(1);
});

test.each<[problem: RegExp, token: () => Promise<string>]>([
  [/is no JWT/, async () => 'opaque-planted'],
  [/names the issuer https:\/\/sts/, () => sign({ iss: 'https://sts.windows.net/x/' })],
  [/names the audience 00000003.*, not watchpost/, () => sign({ aud: '00000003-0000-0000-c000-000000000000' })],
  [/has ended/, () => sign({ exp: 1 })],
  [/grants no scope/, () => sign({ scope: 'User.Read' })],
  [/too many groups/, () => sign({ groups: undefined, _claim_names: { groups: 'src1' } })],
  [/too many groups/, () => sign({ groups: undefined, hasgroups: true })],
  [/opens nothing\. .*`groups`: have the issuer list/, () => sign({ groups: undefined })],
  [/opens nothing\. .*`groups`: have the issuer list/, () => sign({ groups: [] })],
  [/`groups` .* not a list/, () => sign({ groups: 'north' })],
  [/is not signed by a key/, async () => sign({}, (await generateKeyPair('RS256')).privateKey)],
])('finds the problem of a token: %s', async (expected, make) => {
  const token = await make();
  const { code, lines, all } = await run({}, token);
  const problems = lines.filter((line) => line.startsWith('problem '));
  expect(problems).toEqual([expect.stringMatching(expected)]);
  expect(code).toBe(1);
  expect(all).not.toContain(token);
});

test('scopes are read from `scp` too, as a text or a list', async () => {
  for (const scp of ['alerts:read', ['alerts:read']]) {
    expect((await run({}, await sign({ scope: undefined, scp }))).code).toBe(0);
  }
});

test('a failed check is unknown with advice, and does not count as a problem', async () => {
  const { code, lines } = await run({ [quota]: 403 }, await sign({}));
  expect(lines.filter((line) => line.startsWith('unknown '))).toEqual([
    expect.stringMatching(/quota of Cloud Run: cloudquotas\.googleapis\.com answered 403\. .*gcloud services enable/),
  ]);
  expect(code).toBe(3);
});

test('without a token the check says that it could not learn everything', async () => {
  const { code, lines } = await run({}, null);
  expect(lines.filter((line) => !line.startsWith('ok '))).toEqual([
    expect.stringMatching(/^unknown no token was given/),
  ]);
  expect(code).toBe(3);
});

test('a policy that is in force and not in the way of this plan is no problem', async () => {
  const inForce = {
    ...policy('iam.allowedPolicyMemberDomains', [{ values: { allowedValues: ['C0abc'] } }]),
    ...policy('iam.disableServiceAccountKeyCreation', [{ enforce: true }]),
    ...policy('storage.publicAccessPrevention', [{ enforce: true }]),
  };
  const variables = { public_access: '{ functions = "unchecked", console_reader = "serviceAccount:lb@example.com" }' };
  const { code, lines } = await run(inForce, await sign({}), variables);
  expect(lines.filter((line) => line.includes('not in the way'))).toHaveLength(3);
  expect(code).toBe(0);
});

test('every policy of the page is asked for', () => {
  const [, section = ''] = readFileSync('docs/before-you-begin.md', 'utf8').split('## What organisations refuse');
  const named = Array.from(section.matchAll(/describe ([\w.]+) /g), ([, name]) => name);
  const asked = google.seen.filter((call) => call.includes('getEffectivePolicy'));
  expect(named.length).toBeGreaterThan(3);
  for (const name of named)
    expect([name, asked.some((call) => call.includes(`/policies/${name}:`))]).toEqual([name, true]);
});

test.each([
  [{ environment: '"nowhere"' }, 'there is no environment nowhere'],
  [{ project_id: 'null' }, 'no file of variables sets project_id'],
  [{ auth: '{ issuers = [] }' }, 'auth.issuers must be a JSON list'],
])('variables that no plan accepts are refused: %j', async (variables, refusal) => {
  await expect(run({}, null, variables as Record<string, string>)).rejects.toThrow(refusal);
});
