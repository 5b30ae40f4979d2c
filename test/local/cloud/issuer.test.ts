import { createHash, randomBytes } from 'node:crypto';
import { createRemoteJWKSet, exportJWK, generateKeyPair, type JWTPayload, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIdentityTokens, fetchToken } from '../../../local/cloud/identity-tokens.ts';
import { startIssuer, withoutGroups } from '../../../local/cloud/issuer.ts';
import type { Service } from '../../../local/machine/http-server.ts';

let service: Service;
let signingKey: Record<string, unknown>;
let url: string;
const start = (port = 0) => startIssuer({ port, signingKey, audience: 'watchpost', scope: 'alerts:read alerts:write' });
const claimsOf = async (token: string): Promise<JWTPayload> => {
  const keys = createRemoteJWKSet(new URL(`${url}/jwks`));
  return (await jwtVerify(token, keys, { issuer: url })).payload;
};

beforeAll(async () => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  signingKey = { ...(await exportJWK(privateKey)), kid: 'k', alg: 'RS256' };
  service = await start();
  url = `http://127.0.0.1:${service.port}`;
});
afterAll(() => service.stop());

test('publishes its discovery document and public key, and not its private key', async () => {
  const discovery = await (await fetch(`${url}/.well-known/openid-configuration`)).json();
  expect(discovery).toMatchObject({
    issuer: url,
    jwks_uri: `${url}/jwks`,
    code_challenge_methods_supported: expect.arrayContaining(['S256']),
  });
  const [key] = ((await (await fetch(`${url}/jwks`)).json()) as { keys: object[] }).keys;
  expect(key).toMatchObject({ kid: 'k', kty: 'RSA' });
  expect(key).not.toHaveProperty('d');
});

test('signs the subject, scope, groups and lifetime that it is asked for', async () => {
  const wanted = { audience: 'watchpost', subject: 'ana', scope: 'alerts:read', groups: ['north'], expiresSeconds: 90 };
  const claims = await claimsOf(await fetchToken(url, wanted));
  expect(claims).toMatchObject({ aud: 'watchpost', sub: 'ana', scope: 'alerts:read', groups: ['north'] });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(90);
  expect(claims).not.toHaveProperty('email');
});

test('puts all groups into a token that asks for none, and leaves the claim out on demand', async () => {
  const groupsOf = async (groups?: string[]) => {
    const wanted = { audience: 'watchpost', subject: 'ana', expiresSeconds: 90, ...(groups ? { groups } : {}) };
    return (await claimsOf(await fetchToken(url, wanted)))['groups'];
  };
  expect([await groupsOf(), await groupsOf(['north', 'south']), await groupsOf([withoutGroups])]).toEqual([
    ['*'],
    ['north', 'south'],
    undefined,
  ]);
});

test('gives a service account its token once, for each audience', async () => {
  let now = Date.now();
  const tokens = createIdentityTokens(url, () => now);
  const token = await tokens('push@p', 'https://ingest');
  expect(await claimsOf(token)).toMatchObject({ email: 'push@p', email_verified: true, aud: 'https://ingest' });
  expect(await tokens('push@p', 'https://ingest')).toBe(token);
  expect(await claimsOf(await tokens('push@p', 'https://other'))).toMatchObject({ aud: 'https://other' });
  now += 51 * 60_000;
  // If both are signed in the same second, the new token equals the old one, so only its new lifetime of an hour is checked.
  expect((await claimsOf(await tokens('push@p', 'https://ingest'))).exp).toBeGreaterThan(Date.now() / 1000 + 3500);
});

/** Signs in as a web page does: authorization code with PKCE. */
async function signIn(scope: string, verifier: string, challenge: string): Promise<Response> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'console',
    redirect_uri: 'http://127.0.0.1:8080/',
    scope,
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const redirect = await fetch(`${url}/authorize?${query}`, { redirect: 'manual' });
  const location = new URL(redirect.headers.get('location') ?? '');
  expect(location.searchParams.get('state')).toBe('s');
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'console',
    code: location.searchParams.get('code') ?? '',
    redirect_uri: 'http://127.0.0.1:8080/',
    code_verifier: verifier,
  });
  return fetch(`${url}/token`, { method: 'POST', body, headers: { Origin: 'http://127.0.0.1:8080' } });
}

test('signs a person in with PKCE, with the scope that was consented to', async () => {
  const verifier = randomBytes(32).toString('base64url');
  const response = await signIn(
    'openid alerts:read',
    verifier,
    createHash('sha256').update(verifier).digest('base64url'),
  );
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const tokens = (await response.json()) as Record<string, string>;
  expect(await claimsOf(tokens['access_token'] ?? '')).toMatchObject({
    sub: 'operator',
    aud: 'watchpost',
    scope: 'openid alerts:read',
    groups: ['*'],
  });
  expect(await claimsOf(tokens['id_token'] ?? '')).toMatchObject({ sub: 'operator', aud: 'console' });
});

test('returns the scope with a token, and a renewed token keeps it', async () => {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const first = (await (await signIn('openid alerts:read', verifier, challenge)).json()) as Record<string, string>;
  expect(first['scope']).toBe('openid alerts:read');
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: 'console',
    refresh_token: first['refresh_token'] ?? '',
    scope: first['scope'] ?? '',
    expires_seconds: '90',
  });
  const second = (await (await fetch(`${url}/token`, { method: 'POST', body })).json()) as Record<string, string>;
  expect(second).toMatchObject({ scope: 'openid alerts:read', expires_in: 90 });
  expect(await claimsOf(second['access_token'] ?? '')).toMatchObject({ scope: 'openid alerts:read' });
});

test('refuses a sign-in with a wrong code verifier', async () => {
  const response = await signIn('openid', randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url'));
  expect(response.status).toBe(400);
});

test('signs with the same key after a restart, so that tokens stay valid', async () => {
  const token = await fetchToken(url, { audience: 'watchpost', subject: 'ana', expiresSeconds: 600 });
  await service.stop();
  service = await start(service.port);
  // A connection that the restart broke may be detected only on its next use.
  await expect.poll(() => claimsOf(token), { timeout: 30_000 }).toMatchObject({ sub: 'ana' });
});
