import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The answers of Google's APIs for a project that is ready, by method and address; further pages also by page token. */
const ready = JSON.parse(readFileSync('test/fixtures/preflight/google.json', 'utf8')) as Record<string, object>;
type Answers = Record<string, object | number>;
const P = 'watchpost-test';
const accessToken = 'ya29.planted-access-token';

let server: Server;
let base: string;
let answers: Answers = {};
const seen: string[] = [];
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256' };
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://stand-in');
    const page = searchParams.get('pageToken');
    const key = `${request.method} ${pathname.slice(1)}${page ? ` ${page}` : ''}`;
    const isGoogle = pathname.includes('.googleapis.com');
    if (isGoogle) seen.push(`${request.method} ${pathname}`);
    const mayRead = !isGoogle || request.headers.authorization === `Bearer ${accessToken}`;
    const answer = mayRead ? (answers[key] ?? 404) : 401;
    const body = typeof answer === 'number' ? { error: { code: answer, status: 'REFUSED' } } : answer;
    response.writeHead(typeof answer === 'number' ? answer : 200, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const issuer = {
    [`GET .well-known/openid-configuration`]: { issuer: base, jwks_uri: `${base}jwks` },
    'GET jwks': { keys: [jwk] },
  };
  Object.assign(ready, issuer);
});
afterAll(() => {
  server.close();
});

const sign = (claims: object, key = keys.privateKey) =>
  new SignJWT({ iss: base, aud: 'watchpost', scope: 'alerts:read', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuedAt()
    .setExpirationTime('exp' in claims ? (claims.exp as number) : '5m')
    .sign(key);

async function run(
  changed: Answers,
  token: string,
  args: string[] = [],
): Promise<{ code: number; lines: string[]; all: string }> {
  answers = { ...ready, ...changed };
  const given = [
    'tools/preflight.ts',
    '--project',
    P,
    '--google-base',
    base,
    '--issuer',
    base,
    '--token-file',
    '-',
    '--domain',
    'localhost',
    ...args,
  ];
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], GOOGLE_OAUTH_ACCESS_TOKEN: accessToken };
    const child = execFile(process.execPath, given, { env }, (error, stdout, stderr) => {
      const all = stdout + stderr;
      resolve({ code: error ? Number(error.code) : 0, lines: stdout.trim().split('\n'), all });
    });
    child.stdin?.end(token);
  });
}

test('a ready project has no problem, and the checks only read', async () => {
  const { code, lines, all } = await run({}, await sign({ groups: ['north'] }));
  expect(lines.filter((line) => !/^ok |^\d+ ok, 0 problems, 0 unknown$/.test(line))).toEqual([]);
  expect(code).toBe(0);
  expect(seen.filter((call) => !call.startsWith('GET ') && !call.endsWith(':testIamPermissions'))).toEqual([]);
  expect(all).not.toContain(accessToken);
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

test.each<[problem: RegExp, changed: Answers, args?: string[]]>([
  [/project .* not active/, { [of('cloudresourcemanager', `v3/projects/${P}`)]: { state: 'DELETE_REQUESTED' } }],
  [/billing is not enabled/, { [of('cloudbilling', `v1/projects/${P}/billingInfo`)]: { billingEnabled: false } }],
  [/APIs are not enabled: .*run\.googleapis/, { [`${of('serviceusage', `v1/projects/${P}/services`)} second`]: {} }],
  [
    /may use 20 vCPU in europe-west1, 32 are wanted/,
    { [quota]: { dimensionsInfos: [{ details: { value: '20000' }, applicableLocations: ['europe-west1'] }] } },
    ['--vcpu', '32'],
  ],
  [/`allUsers` is refused/, policy('iam.allowedPolicyMemberDomains', [{ values: { allowedValues: ['C0abc'] } }])],
  [/keys of service accounts are refused/, policy('iam.disableServiceAccountKeyCreation', [{ enforce: true }])],
  [/keys of service accounts are refused/, policy('iam.managed.disableServiceAccountKeyCreation', [{ enforce: true }])],
  [
    /caller lacks .*storage\.buckets\.create/,
    { [`POST cloudresourcemanager.googleapis.com/v3/projects/${P}:testIamPermissions`]: {} },
  ],
  [/secret data-keys is not there/, { [versions('data-keys')]: 404 }],
  [/secret mqtt-url has no enabled version/, { [versions('mqtt-url')]: {} }],
  [/does not describe itself/, { 'GET .well-known/openid-configuration': 404 }],
  [/calls itself https:\/\/other/, { 'GET .well-known/openid-configuration': { issuer: 'https://other.example.com' } }],
  [/publishes no keys/, { 'GET jwks': { keys: [] } }],
  [/no-such-name\.invalid is not known to DNS/, {}, ['--domain', 'no-such-name.invalid']],
])('finds the problem: %s', async (expected, changed, args) => {
  const { code, lines } = await run(changed, await sign({}), args);
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
  [/Entra overage/, () => sign({ _claim_names: { groups: 'src1' } })],
  [/Entra overage/, () => sign({ hasgroups: true })],
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
  expect(code).toBe(0);
});
