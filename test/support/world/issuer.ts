import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { scopes } from '../../../shared/schema/scopes.ts';
import { type Issuer, issuerList } from '../../../shared/settings-issuers.ts';

type Claims = JWTPayload & { scope?: string; groups?: unknown };

/** Entries of `AUTH_ISSUERS` as a setting, with what the tests' issuers need; people sign in at the first. */
export function issuerSetting(...entries: Partial<Issuer>[]): string {
  const common = (index: number) => ({ name: `test-${index}`, audience: 'watchpost', signIn: index === 0 });
  return JSON.stringify(entries.map((entry, index) => ({ ...common(index), ...entry })));
}

export function issuersOf(...entries: Partial<Issuer>[]): readonly Issuer[] {
  return issuerList(issuerSetting(...entries));
}

type Algorithm = 'RS256' | 'ES256';
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

/** The key of the issuers of this process by algorithm. A new RSA key takes 0.1 to 0.5 s. */
const shared = new Map<Algorithm, Promise<KeyPair>>();

function sharedKeyOf(alg: Algorithm): Promise<KeyPair> {
  const pair = shared.get(alg) ?? newKeyOf(alg);
  shared.set(alg, pair);
  return pair;
}

function newKeyOf(alg: Algorithm): Promise<KeyPair> {
  return generateKeyPair(alg, { extractable: true });
}

/**
 * An issuer with a key set at a real address. `token` signs claims; defaults are what the API requires, for every group.
 * @param ofOwnKey whether its key is different from the keys of other issuers
 */
export async function startTestIssuer(alg: Algorithm = 'RS256', ofOwnKey = false) {
  const { publicKey, privateKey } = await (ofOwnKey ? newKeyOf : sharedKeyOf)(alg);
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg, use: 'sig' };
  let keys: object[] = [jwk];
  const server = createServer((request, response) => {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const discovery = { issuer: address, jwks_uri: `${address}/jwks` };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(request.url === '/jwks' ? { keys } : discovery));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now = () => Math.floor(Date.now() / 1000);
  const wanted = (): Claims => ({
    iss: url,
    aud: 'watchpost',
    sub: 'ana',
    iat: now(),
    exp: now() + 600,
    scope: allScopes,
    groups: '*',
  });
  return {
    url,
    jwk,
    privateKey,
    setKeys: (next: object[]) => {
      keys = next;
    },
    token: (claims: Claims = {}, header: object = {}, key = privateKey) =>
      new SignJWT({ ...wanted(), ...claims }).setProtectedHeader({ alg, kid: 'k1', ...header }).sign(key),
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

const allScopes = scopes.join(' ');
