import { exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../../shared/schema/routes.ts';
import { scopes } from '../../../shared/schema/scopes.ts';
import { openTestAlert } from '../../support/records/alerts.ts';
import { createTestRouter, startTestApi } from '../../support/world/api.ts';
import { issuersOf, startTestIssuer } from '../../support/world/issuer.ts';
import { createTestWorld } from '../../support/world/world.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const seconds = () => Math.floor(Date.now() / 1000);

test('a valid token is accepted', async () => {
  expect((await api.call('GET', '/v1/alerts')).status).toBe(200);
});

test('a token may name 100 groups, and one group more than once', async () => {
  const groups = Array.from({ length: 200 }, (_, index) => `g${index % 100}`);
  expect((await api.call('GET', '/v1/alerts', { token: await api.issuer.token({ groups }) })).status).toBe(200);
});

test('a request without a token is answered 401 with `WWW-Authenticate`', async () => {
  const { status, headers, body } = await api.call('GET', '/v1/alerts', { token: null });
  expect(status).toBe(401);
  expect(headers.get('www-authenticate')).toBe('Bearer');
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(body).toMatchObject({ code: 'unauthenticated', status: 401 });
});

test.each([
  ['`scope` as text', { scope: 'openid alerts:read' }, 200],
  ['`scope` as a list', { scope: ['alerts:read'] }, 200],
  ['`scp` as text (Entra ID)', { scope: undefined, scp: 'devices:read alerts:read' }, 200],
  ['`scp` as a list (Okta)', { scope: undefined, scp: ['alerts:read'] }, 200],
  ['`scp` beside a `scope` that says less', { scope: 'openid', scp: 'alerts:read' }, 403],
  ['neither', { scope: undefined }, 403],
  ['`scp` that is neither text nor list', { scope: undefined, scp: { 'alerts:read': true } }, 401],
  ['`scope` that lists something else', { scope: ['alerts:read', 7] }, 401],
])('the scopes of a token are those of %s', async (_, claims, status) => {
  const token = await api.issuer.token(claims as never);
  expect((await api.call('GET', '/v1/alerts', { token })).status).toBe(status);
});

/** How many of two alerts, one in `north` and one in `south`, a token can read. */
async function seenBy(of: Awaited<ReturnType<typeof startTestApi>>, claims: Record<string, unknown>): Promise<number> {
  const token = await of.issuer.token(claims);
  return (await of.call('GET', '/v1/alerts', { token })).body.alerts.length;
}

test('each form of the claim of groups gives the right access', async () => {
  const of = await startTestApi(createTestWorld());
  try {
    for (const groupId of ['north', 'south']) await openTestAlert(of.world, { groupId });
    const cases: [Record<string, unknown>, number][] = [
      [{ groups: ['north'] }, 1],
      [{ groups: ['elsewhere'] }, 0],
      [{ groups: '*' }, 2],
      [{ groups: ['*'] }, 2],
      [{ groups: ['north', '*'] }, 2],
    ];
    for (const [claims, seen] of cases) expect([claims, await seenBy(of, claims)]).toEqual([claims, seen]);
  } finally {
    await of.stop();
  }
});

test.each([[undefined], [[]], [['no group at all']]])(
  'a token whose groups are %j opens nothing but its own description, which says what to do',
  async (groups) => {
    const token = await api.issuer.token({ groups, scope: 'alerts:read' });
    for (const [operation, { method, path, scope }] of Object.entries(routes)) {
      if (scope === null || scope === ('any-token' as string)) continue;
      const { status, body } = await api.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), {
        token,
        ...(method === 'get' ? {} : { body: {} }),
      });
      expect([operation, status, body.code]).toEqual([operation, 403, 'no-groups']);
      expect(body.detail).toContain('have the issuer list the groups');
    }
    const me = await api.call('GET', '/v1/me', { token });
    expect([me.status, me.body]).toEqual([
      200,
      {
        subject: 'user:ana',
        issuer: api.issuer.url,
        expiresAt: expect.any(String),
        scopes: ['alerts:read'],
        groups: [],
        missing: {
          scopes: scopes.filter((scope) => scope !== 'alerts:read'),
          groups: expect.stringContaining('`groups`'),
        },
      },
    ]);
    const mcp = await api.call('POST', '/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect([mcp.status, mcp.body.code]).toEqual([403, 'no-groups']);
  },
);

test('refusals for want of groups are counted in the audit stream, not recorded one by one', async () => {
  const own = await startTestApi();
  try {
    const token = await own.issuer.token({ groups: [] });
    for (let count = 0; count < 3; count += 1) await own.call('GET', '/v1/alerts', { token });
    await own.refusals.flush();
    const { body } = await own.call('GET', '/v1/audit');
    expect(body.entries).toMatchObject([{ subject: 'user:ana', reason: 'no-groups', count: 3, outcome: 'refused' }]);
  } finally {
    await own.stop();
  }
});

test('what any valid token reads of itself: subject, scopes, groups, and what is missing', async () => {
  const all = await api.call('GET', '/v1/me');
  expect(all.body).toMatchObject({ scopes, groups: null, missing: { scopes: [], groups: null } });
  const bare = await api.call('GET', '/v1/me', { token: await api.issuer.token({ scope: '', groups: ['a', 'b'] }) });
  expect(bare.body).toMatchObject({ scopes: [], groups: ['a', 'b'], missing: { scopes, groups: null } });
  expect((await api.call('GET', '/v1/me', { token: null })).status).toBe(401);
});

describe('with two issuers', () => {
  let people: Awaited<ReturnType<typeof startTestIssuer>>;
  let machines: typeof people;
  let fetched: Response;
  let ask: (token: string) => Promise<{ status: number; body: { subject?: string; code?: string } }>;
  beforeAll(async () => {
    [people, machines] = [await startTestIssuer('ES256', true), await startTestIssuer('ES256', true)];
    const issuers = issuersOf(
      { issuer: people.url },
      { name: 'robots', issuer: machines.url, audience: 'watchpost-machines', groupsClaim: 'fleet' },
    );
    const { router } = createTestRouter(createTestWorld(), { issuers, allowHosts: [] });
    ask = async (token) => {
      fetched = await router.fetch(
        new Request('http://watchpost.test/v1/me', { headers: { Authorization: `Bearer ${token}` } }),
      );
      return { status: fetched.status, body: (await fetched.json()) as { subject?: string } };
    };
  });
  afterAll(async () => {
    await people.stop();
    await machines.stop();
  });

  test('each token is read by the entry of its own issuer', async () => {
    const robot = { aud: 'watchpost-machines', fleet: ['north'], groups: '*' };
    expect((await ask(await people.token())).body).toMatchObject({ subject: 'user:ana', groups: null });
    expect((await ask(await machines.token(robot))).body).toMatchObject({ subject: 'robots:ana', groups: ['north'] });
  });

  test('a token that names one issuer and fits the entry of the other is refused', async () => {
    const asOther = { iss: people.url, aud: 'watchpost' };
    const attempts = {
      'signed by the other issuer': await machines.token(asOther),
      'with the audience of the other entry': await machines.token({ aud: 'watchpost' }),
      'with the other audience, at the issuer of people': await people.token({ aud: 'watchpost-machines' }),
      'of an issuer that differs by a slash': await people.token({ iss: `${people.url}/` }),
      'of an issuer that is a list': await people.token({ iss: [people.url, machines.url] as never }),
      'without an issuer': await people.token({ iss: undefined as never }),
    };
    for (const [what, token] of Object.entries(attempts)) {
      expect([what, (await ask(token)).status]).toEqual([what, 401]);
    }
  });
});

test('groups are read from the claim that the setting names, and from no other', async () => {
  const named = await startTestApi(createTestWorld(), [], { groupsClaim: 'https://watchpost.dev/groups' });
  try {
    await openTestAlert(named.world, { groupId: 'south' });
    expect(await seenBy(named, { groups: ['south'], 'https://watchpost.dev/groups': ['north'] })).toBe(0);
    expect(await seenBy(named, { groups: ['north'], 'https://watchpost.dev/groups': ['south'] })).toBe(1);
    const odd = await named.issuer.token({ 'https://watchpost.dev/groups': 'north' });
    const answer = await named.call('GET', '/v1/webhooks', { token: odd });
    expect(answer).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('https://watchpost.dev/groups') },
    });
  } finally {
    await named.stop();
  }
});

test.each([{ _claim_names: { groups: 'src1' } }, { hasgroups: true }])(
  'a token whose groups were too many to name is refused by name: %j',
  async (claims) => {
    const token = await api.issuer.token({ groups: undefined, ...claims });
    const { status, body } = await api.call('GET', '/v1/alerts', { token });
    expect([status, body.detail]).toEqual([401, expect.stringContaining('_claim_names')]);
  },
);

test('no token can act as `system`, whatever its subject', async () => {
  const alertId = await openTestAlert(api.world);
  const token = await api.issuer.token({ sub: 'system' });
  const { body } = await api.call('POST', `/v1/alerts/${alertId}/acknowledge`, { token });
  expect(body.acknowledgedBy).toBe('user:system');
});

const refused: [string, () => Promise<string>][] = [
  ['expired', () => api.issuer.token({ exp: seconds() - 60 })],
  ['not valid yet', () => api.issuer.token({ nbf: seconds() + 300 })],
  ['without expiry', () => api.issuer.token({ exp: undefined as never })],
  ['of another issuer', () => api.issuer.token({ iss: 'https://elsewhere.example.com' })],
  ['of another audience', () => api.issuer.token({ aud: 'another' })],
  ['of another key', async () => api.issuer.token({}, {}, (await generateKeyPair('RS256')).privateKey)],
  ['with an unknown key id', () => api.issuer.token({}, { kid: 'k2' })],
  [
    'without a signature',
    async () =>
      new UnsecuredJWT({ scope: 'alerts:read' })
        .setIssuer(api.issuer.url)
        .setAudience('watchpost')
        .setSubject('x')
        .setExpirationTime('5m')
        .encode(),
  ],
  ['signed by HS256 with the public key as secret', publicKeyAsSecret],
  ['with groups that are no list', () => api.issuer.token({ groups: 'north' })],
  [
    'that names more than 100 groups',
    () => api.issuer.token({ groups: Array.from({ length: 101 }, (_, index) => `g${index}`) }),
  ],
  ['that is no token', async () => 'abc.def.ghi'],
  ['that is enormous', async () => 'a'.repeat(20_000)],
];

async function publicKeyAsSecret(): Promise<string> {
  const pem = await exportSPKI((await importJWK(api.issuer.jwk, 'RS256')) as Parameters<typeof exportSPKI>[0]);
  return new SignJWT({ scope: 'alerts:read' })
    .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
    .setIssuer(api.issuer.url)
    .setAudience('watchpost')
    .setSubject('x')
    .setExpirationTime('5m')
    .sign(Buffer.from(pem));
}

test.each(refused)('a token %s is refused', async (_, make) => {
  const { status, body } = await api.call('GET', '/v1/alerts', { token: await make() });
  expect(status).toBe(401);
  expect(body.code).toBe('unauthenticated');
});

test('a token without the scope is answered 403, which names the scope', async () => {
  const token = await api.issuer.token({ scope: 'devices:read' });
  const { status, body } = await api.call('GET', '/v1/alerts', { token });
  expect(status).toBe(403);
  expect(body.detail).toContain('alerts:read');
});

test('if the keys of the issuer cannot be read, the answer is 503 and not 401', async () => {
  const other = await startTestApi();
  const token = await other.issuer.token();
  await other.stop();
  expect((await other.call('GET', '/v1/alerts', { token })).status).toBe(503);
});
