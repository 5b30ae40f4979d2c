import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTokenVerifier, type TokenVerifier } from '../../../../shared/adapters/auth/token-verifier.ts';
import { startTestIssuer } from '../../../support/world/issuer.ts';

let issuer: Awaited<ReturnType<typeof startTestIssuer>>;
let verify: TokenVerifier;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T10:00:00.000Z') });
  issuer = await startTestIssuer('ES256');
  verify = createTokenVerifier({ issuer: issuer.url, audience: 'watchpost', keysUrl: null });
});
afterEach(async () => {
  vi.useRealTimers();
  await issuer.stop();
});

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const isRefused = (token: string) =>
  verify(token).then(
    () => false,
    ({ code }) => code === 'unauthenticated',
  );
/** Removes the signing key from the published keys: another key takes its place. */
async function removeKey(): Promise<void> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  issuer.setKeys([{ ...(await exportJWK(publicKey)), kid: 'k2', alg: 'ES256', use: 'sig' }]);
}

test('a cached token is refused after its expiry, with the same clock tolerance as a new one', async () => {
  const now = Math.floor(Date.now() / 1000);
  const token = await issuer.token({ exp: now + 20 });
  expect(await isRefused(token)).toBe(false);
  pass(49);
  expect(await isRefused(token)).toBe(false);
  expect(await isRefused(await issuer.token({ exp: now + 20, jti: 'never seen' }))).toBe(false);
  pass(1);
  expect(await isRefused(token)).toBe(true);
  expect(await isRefused(await issuer.token({ exp: now + 20, jti: 'nor this' }))).toBe(true);
});

test.each([
  ['right before the key was removed', 0],
  ['58 seconds after, with the key set as it was fetched', 58],
])('after a key is removed, a token first seen %s is refused 60 seconds later', async (_, firstSeenAfter) => {
  await verify(await issuer.token({ jti: 'fetches the keys' }));
  await removeKey();
  pass(firstSeenAfter);
  const token = await issuer.token({ jti: 'of the removed key' });
  expect(await isRefused(token)).toBe(false);
  pass(60 - firstSeenAfter);
  expect(await isRefused(token)).toBe(true);
  expect(await isRefused(await issuer.token({ jti: 'never seen' }))).toBe(true);
});

test('a new key is accepted at once, but keys are fetched at most every ten seconds', async () => {
  await verify(await issuer.token());
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  issuer.setKeys([issuer.jwk, { ...(await exportJWK(publicKey)), kid: 'k2', alg: 'ES256', use: 'sig' }]);
  pass(10);
  expect(await isRefused(await issuer.token({}, { kid: 'k2' }, privateKey))).toBe(false);
});

test('a refusal says whether the token has expired, and a token without a name is refused too', async () => {
  const now = Math.floor(Date.now() / 1000);
  await expect(verify(await issuer.token({ exp: now - 31 }))).rejects.toThrow('has expired');
  await expect(verify(await issuer.token({ aud: 'another' }))).rejects.toThrow('is not valid');
  await expect(verify(await issuer.token({ sub: '' }))).rejects.toMatchObject({
    code: 'unauthenticated',
    message: 'The bearer token names no subject.',
  });
});

test('keys that cannot be read are our failure, and the token is not refused as invalid', async () => {
  const token = await issuer.token();
  issuer.setKeys(null as never);
  await expect(verify(token)).rejects.toMatchObject({ code: 'unavailable' });
});

test('an unreachable key set is our failure too', async () => {
  const token = await issuer.token();
  const other = createTokenVerifier({ issuer: issuer.url, audience: 'watchpost', keysUrl: `${issuer.url}/jwks` });
  await issuer.stop();
  await expect(other(token)).rejects.toMatchObject({ code: 'unavailable' });
});

test.each([
  ['refuses to say where its keys are', 503, true],
  ['does not say where its keys are', 200, false],
])('an issuer that %s is our failure too', async (_, status, isNamed) => {
  const names = createServer((_request, response) => {
    response.statusCode = status;
    response.end(JSON.stringify(isNamed ? { jwks_uri: `${issuer.url}/jwks` } : {}));
  });
  await new Promise<void>((resolve) => names.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(names.address() as AddressInfo).port}`;
  const other = createTokenVerifier({ issuer: url, audience: 'watchpost', keysUrl: null });
  const token = await issuer.token({ iss: url });
  await expect(other(token)).rejects.toMatchObject({ code: 'unavailable' });
  names.close();
});

test('a token of 8 KiB is read, and one byte more is not', async () => {
  let note = 'n'.repeat(5500);
  const tokenOf = () => issuer.token({ note }, { pad: '0' });
  while ((await tokenOf()).length < 8192) note += 'n';
  const token = await tokenOf();
  expect([token.length, await isRefused(token)]).toEqual([8192, false]);
  await expect(verify(`${token}A`)).rejects.toThrow('is malformed');
});

test('a token in another encoding, or longer than 8 KiB, is refused before the keys are fetched', async () => {
  const [token, long] = [await issuer.token(), await issuer.token({ note: 'n'.repeat(8192) })];
  await issuer.stop();
  // The last letter of a 256-byte signature has four bits that no decoder reads.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const next = alphabet[alphabet.indexOf(token.slice(-1)) + 1];
  for (const other of [
    `${token.slice(0, -1)}${next}`,
    `${token}+`,
    `${token}=`,
    `${token}.`,
    ` ${token}`,
    token.replace('.', '..'),
    'a.b',
    '',
    long,
  ]) {
    await expect(verify(other)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'The bearer token is malformed.',
    });
  }
  await expect(verify(token)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a verified token is cached for the minute of its keys, and at most until it expires', async () => {
  const now = Math.floor(Date.now() / 1000);
  const [first, short] = [await issuer.token({ jti: 'first' }), await issuer.token({ jti: 'short', exp: now + 20 })];
  const known = [await verify(first), await verify(short)];
  pass(49);
  expect(await verify(short)).toBe(known[1]);
  pass(10);
  expect(await verify(first)).toBe(known[0]);
  pass(1);
  const again = await verify(first);
  expect(again).not.toBe(known[0]);
  expect(await verify(first)).toBe(again);
  // The cached keys are too old by then and are fetched again.
  pass(100);
  const later = await issuer.token({ jti: 'later' });
  expect(await verify(later)).toBe(await verify(later));
});

test('a full cache of results is emptied before the next result', async () => {
  verify = createTokenVerifier({ issuer: issuer.url, audience: 'watchpost', keysUrl: null, cacheSize: 2 });
  const [one, two, three] = await Promise.all(['1', '2', '3'].map((jti) => issuer.token({ jti })));
  const known = [await verify(one ?? ''), await verify(two ?? '')];
  expect([await verify(one ?? ''), await verify(two ?? '')].map((each, index) => each === known[index])).toEqual([
    true,
    true,
  ]);
  await verify(three ?? '');
  expect(await verify(one ?? '')).not.toBe(known[0]);
});

test.each([
  [{ typ: 'at+jwt' }, {}, null],
  [{ typ: 'application/at+JWT' }, {}, null],
  [{ typ: 'JWT' }, {}, null],
  [{}, {}, null],
  [{ typ: 'logout+jwt' }, {}, 'is of a type that is not for an API'],
  [{ typ: 'secevent+jwt' }, {}, 'is of a type that is not for an API'],
  [{ typ: 'dpop+jwt' }, {}, 'is of a type that is not for an API'],
  [{ typ: '' }, {}, 'is of a type that is not for an API'],
  [{ typ: null }, {}, 'is of a type that is not for an API'],
  [{ typ: 5 }, {}, 'is of a type that is not for an API'],
  [{ typ: 'at+jwt' }, { cnf: { jkt: 'x' } }, 'is bound to a key'],
  [{}, { cnf: null }, 'is bound to a key'],
  [{ typ: 'JWT' }, { at_hash: 'x' }, 'is an ID token'],
  [{}, { c_hash: '' }, 'is an ID token'],
])('a well signed token with the header %j and the claims %j: %s', async (header, claims, fault) => {
  const token = await issuer.token(claims, header);
  const found = await verify(token).then(
    () => null,
    ({ code, message }) => (code === 'unauthenticated' ? message : code),
  );
  if (fault === null) expect(found).toBeNull();
  else expect(found).toContain(fault);
});
