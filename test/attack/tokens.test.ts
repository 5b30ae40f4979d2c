import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopes } from '../../shared/schema/scopes.ts';
import { score } from '../support/score/score.ts';
import { startTestApi } from '../support/world/api.ts';
import { createTestWorld } from '../support/world/world.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
let bait: Server;
let fetchesCaused = 0;
let baitUrl = '';

beforeAll(async () => {
  api = await startTestApi();
  bait = createServer((_, response) => {
    fetchesCaused += 1;
    response.end('{"keys":[]}');
  });
  await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
  baitUrl = `http://127.0.0.1:${(bait.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await api.stop();
  bait.close();
});

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const seconds = () => Math.floor(Date.now() / 1000);
const claims = (given: object = {}) => ({
  iss: api.issuer.url,
  aud: 'watchpost',
  sub: 'eve',
  exp: seconds() + 600,
  scope: 'alerts:read',
  ...given,
});
const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 });
const attackerJwk = attacker.publicKey.export({ format: 'jwk' });
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A token with any header, signed with the attacker's key. */
function forged(header: object, payload: object | string = claims(), key = attacker.privateKey): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`;
}

async function corpus(): Promise<[string, string][]> {
  const good = await api.issuer.token();
  const [head = '', body = '', signature = ''] = good.split('.');
  const spki = await exportSPKI((await importJWK(api.issuer.jwk, 'RS256')) as Parameters<typeof exportSPKI>[0]);
  const list: [string, string][] = [];
  const add = (title: string, token: string) => list.push([title, token]);

  for (const alg of [
    'none',
    'None',
    'NONE',
    'nOnE',
    'nonE',
    'none ',
    ' none',
    'none\u0000',
    '',
    'null',
    'undefined',
    'HS0',
    'RS0',
  ]) {
    add(`alg ${JSON.stringify(alg)} without signature`, `${part({ alg })}.${part(claims())}.`);
    add(`alg ${JSON.stringify(alg)} with the old signature`, `${part({ alg })}.${part(claims())}.${signature}`);
    add(`alg ${JSON.stringify(alg)} with a key id`, `${part({ alg, kid: 'k1' })}.${part(claims())}.${part('x')}`);
  }
  for (const alg of [null, 1, true, [], {}, ['RS256'], { name: 'RS256' }]) {
    add(`alg ${JSON.stringify(alg)}`, forged({ alg, kid: 'k1' }));
  }
  for (const alg of ['HS256', 'HS384', 'HS512', 'hs256']) {
    for (const [name, secret] of [
      ['PEM', spki],
      ['PEM trimmed', spki.trim()],
      ['JWK', JSON.stringify(api.issuer.jwk)],
      ['modulus', Buffer.from(String(api.issuer.jwk.n), 'base64url')],
      ['modulus text', String(api.issuer.jwk.n)],
      ['nothing', ''],
      ['key id', 'k1'],
      ['issuer', api.issuer.url],
    ] as const) {
      const input = `${part({ alg, kid: 'k1' })}.${part(claims())}`;
      const hash = `sha${alg.slice(2)}`;
      add(
        `${alg} keyed with the public ${name}`,
        `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`,
      );
    }
  }
  const tricks: object[] = [
    { jwk: attackerJwk },
    { jku: `${baitUrl}/jwks` },
    { x5u: `${baitUrl}/cert` },
    { x5c: ['MIIB'] },
    { x5t: 'abc' },
    { 'x5t#S256': 'abc' },
    { kid: '../../dev/null' },
    { kid: "k1' OR '1'='1" },
    { kid: '| id' },
    { kid: '' },
    { kid: null },
    { kid: 1 },
    { kid: ['k1'] },
    { kid: { toString: 'k1' } },
    { kid: '__proto__' },
    { kid: 'constructor' },
    { kid: 'k'.repeat(5000) },
    { kid: `${baitUrl}/jwks` },
    { kid: 'k1\u0000' },
    { crit: ['exp'], exp: 1 },
    { crit: [] },
    { crit: ['b64'], b64: false },
    { b64: false },
    { zip: 'DEF' },
    { cty: 'JWT' },
    { enc: 'A256GCM' },
    { typ: 'secevent+jwt' },
    { alg: 'ES256' },
    { alg: 'EdDSA' },
    { alg: 'PS256' },
    { alg: 'RS512' },
    { alg: 'RSA-OAEP' },
    { alg: 'dir' },
  ];
  for (const trick of tricks) {
    add(
      `header ${JSON.stringify(trick).slice(0, 60)} under the attacker’s key`,
      forged({ alg: 'RS256', kid: 'k1', ...trick }),
    );
    add(`header ${JSON.stringify(trick).slice(0, 60)} alone`, forged({ alg: 'RS256', ...trick }));
    add(
      `header ${JSON.stringify(trick).slice(0, 60)} on a good body`,
      `${part({ alg: 'RS256', kid: 'k1', ...trick })}.${body}.${signature}`,
    );
  }
  const edges: object[] = [
    { exp: seconds() - 31 },
    { exp: 0 },
    { exp: -1 },
    { exp: '9999999999' },
    { exp: null },
    { exp: Number.MAX_VALUE.toString() },
    { exp: [seconds() + 600] },
    { exp: undefined },
    { nbf: seconds() + 3600 },
    { nbf: 'now' },
    { nbf: {} },
    { iat: 'x' },
    { iss: '' },
    { iss: null },
    { iss: undefined },
    { iss: [api.issuer.url] },
    { iss: `${api.issuer.url}/` },
    { iss: api.issuer.url.toUpperCase() },
    { iss: `${api.issuer.url}.evil.example` },
    { aud: '' },
    { aud: 'watchpost ' },
    { aud: 'WATCHPOST' },
    { aud: [] },
    { aud: ['other'] },
    { aud: { 0: 'watchpost' } },
    { aud: undefined },
    { sub: undefined },
    { sub: null },
    { sub: 1 },
    { groups: 'north' },
    { groups: { 0: 'north' } },
    { groups: [1] },
    { groups: [['north']] },
    { groups: null },
    { groups: true },
  ];
  for (const typ of [
    'logout+jwt',
    'secevent+jwt',
    'dpop+jwt',
    'application/logout+jwt',
    'at+jwt ',
    '',
    1,
    null,
    ['at+jwt'],
  ])
    add(`type ${JSON.stringify(typ)} well signed`, await api.issuer.token({}, { typ }));
  for (const edge of [{ cnf: { jkt: 'x' } }, { cnf: null }, { at_hash: 'x' }, { c_hash: 'x' }])
    add(`claims ${JSON.stringify(edge)} well signed`, await api.issuer.token(edge));
  for (const edge of edges) add(`claims ${JSON.stringify(edge)} well signed`, await api.issuer.token(edge as never));
  for (const [title, token] of malformed(head, body, signature)) add(title, token);
  for (const length of [0, 1, 63, 64, 65, 70, 128]) {
    add(
      `ES256 with ${length} zero bytes`,
      `${part({ alg: 'ES256', kid: 'k1' })}.${part(claims())}.${Buffer.alloc(length).toString('base64url')}`,
    );
  }
  add('ES256 of the attacker', forged({ alg: 'ES256', kid: 'k1' }, claims(), curve.privateKey));
  add('a token in a token', forged({ alg: 'RS256', kid: 'k1', cty: 'JWT' }, good));
  return list;
}

function malformed(head: string, body: string, signature: string): [string, string][] {
  const flips = Array.from({ length: 24 }, (_, index): [string, string] => {
    const at = Math.floor((signature.length * index) / 24);
    const other = signature[at] === 'A' ? 'B' : 'A';
    return [
      `signature changed at ${at}`,
      `${head}.${body}.${signature.slice(0, at)}${other}${signature.slice(at + 1)}`,
    ];
  });
  const parts: [string, string][] = [
    ['one part', head],
    ['two parts', `${head}.${body}`],
    ['four parts', `${head}.${body}.${signature}.x`],
    ['five parts', `${head}.${body}.${signature}.x.y`],
    ['dots', '..'],
    ['an empty body', `${head}..${signature}`],
    ['an empty header', `.${body}.${signature}`],
    ['an empty signature', `${head}.${body}.`],
    ['swapped parts', `${body}.${head}.${signature}`],
    ['plain base64', `${head}.${body}.${signature}==`],
    ['a header that is a list', `${part([])}.${body}.${signature}`],
    ['a header that is null', `${part('null')}.${body}.${signature}`],
    ['a header that is no JSON', `${part('{')}.${body}.${signature}`],
    ['a body that is a list', `${head}.${part([])}.${signature}`],
    ['a body that is no JSON', `${head}.${part('{')}.${signature}`],
    ['a signature cut short', `${head}.${body}.${signature.slice(0, -8)}`],
    ['a signature too long', `${head}.${body}.${signature}AAAA`],
    ['the signature twice', `${head}.${body}.${signature}${signature}`],
    ['ten thousand bytes', 'a'.repeat(10_000)],
    ['a body of another token', `${head}.${part({ sub: 'root' })}.${signature}`],
  ];
  return [...flips, ...parts];
}

test('hostile tokens are all refused with the same answer, and none causes a request to an address that it names', async () => {
  const tokens = await corpus();
  expect(tokens.length).toBeGreaterThanOrEqual(250);
  const accepted: string[] = [];
  const bodies = new Map<string, string>();
  for (const [title, token] of tokens) {
    const { status, body } = await api.call('GET', '/v1/alerts', { token });
    if (status !== 401) accepted.push(`${title}: ${status}`);
    bodies.set(JSON.stringify({ ...body, requestId: '', detail: '' }), title);
  }
  score('S2', 'bearer tokens', tokens.length, accepted.length);
  expect(accepted).toEqual([]);
  expect([...bodies.keys()]).toHaveLength(1);
  expect(fetchesCaused).toBe(0);
});

test('fifty good tokens are accepted', async () => {
  for (let index = 0; index < 50; index += 1) {
    const given = [
      {},
      { aud: ['other', 'watchpost'] },
      { groups: ['north'] },
      { exp: seconds() - 5 },
      { nbf: seconds() - 5 },
    ][index % 5];
    const token = await api.issuer.token({ ...given, sub: `user-${index}` });
    expect([index, (await api.call('GET', '/v1/alerts', { token })).status]).toEqual([index, 200]);
  }
});

test('roles give nothing but to a token that says that it is of an application', async () => {
  const own = await startTestApi(createTestWorld(), [], { roles: true, allGroups: 'all-groups' });
  try {
    const roles = [...scopes, 'group:north', 'all-groups'];
    const bare = { scope: undefined, groups: undefined, roles } as const;
    const attempts: [string, Record<string, unknown>][] = [
      [
        'an ID token of a person with roles',
        { ...bare, nonce: 'n', name: 'Eve', preferred_username: 'eve@example.com' },
      ],
      ['an ID token that names groups too', { ...bare, nonce: 'n', groups: ['north'] }],
      ['a token of a person with roles and few scopes', { ...bare, scp: 'devices:read', groups: ['north'] }],
      ['a token of an application without `idtyp`', { ...bare, azp: 'robot', azpacr: '1' }],
      ...['user', 'APP', 'app ', ['app'], true].map((idtyp): [string, Record<string, unknown>] => [
        `a token whose \`idtyp\` is ${JSON.stringify(idtyp)}`,
        { ...bare, idtyp, groups: ['north'] },
      ]),
    ];
    const through: string[] = [];
    let tried = 0;
    for (const [what, claims] of attempts) {
      const token = await own.issuer.token(claims as never);
      for (const [method, path] of [
        ['GET', '/v1/alerts'],
        ['POST', '/v1/rules'],
        ['GET', '/v1/audit'],
      ] as const) {
        tried += 1;
        const { status } = await own.call(method, path, { token, ...(method === 'POST' ? { body: {} } : {}) });
        if (status !== 403) through.push(`${what}: ${method} ${path} ${status}`);
      }
    }
    score('S2', 'roles in tokens that are not of an application', tried, through.length);
    expect(through).toEqual([]);
    const token = await own.issuer.token({ ...bare, idtyp: 'app' } as never);
    expect((await own.call('GET', '/v1/audit', { token })).status).toBe(200);
  } finally {
    await own.stop();
  }
});
