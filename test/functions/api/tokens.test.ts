import { exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi } from '../../support/world/api.ts';

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

const seconds = () => Math.floor(Date.now() / 1000);

test('a good token is let in', async () => {
  expect((await api.call('GET', '/v1/alerts')).status).toBe(200);
});

test('a token may name 100 groups, and one group more than once', async () => {
  const groups = Array.from({ length: 200 }, (_, index) => `g${index % 100}`);
  expect((await api.call('GET', '/v1/alerts', { token: await api.issuer.token({ groups }) })).status).toBe(200);
});

test('no token is answered 401 with how to send one', async () => {
  const { status, headers, body } = await api.call('GET', '/v1/alerts', { token: null });
  expect(status).toBe(401);
  expect(headers.get('www-authenticate')).toBe('Bearer');
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(body).toMatchObject({ code: 'unauthenticated', status: 401 });
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

test('an issuer whose keys cannot be read is our trouble, not the caller’s', async () => {
  const other = await startTestApi();
  const token = await other.issuer.token();
  await other.stop();
  expect((await other.call('GET', '/v1/alerts', { token })).status).toBe(503);
});
