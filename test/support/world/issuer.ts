import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { scopes } from '../../../shared/schema/scopes.ts';

type Claims = JWTPayload & { scope?: string; groups?: unknown };

/** An issuer with a key set at a real address. `token` signs claims; defaults are what the API requires, for every group. */
export async function startTestIssuer(alg: 'RS256' | 'ES256' = 'RS256') {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
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
