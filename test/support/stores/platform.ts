import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type RequestOptions, request } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import type { Signer } from '../../../local/cloud/storage/signed.ts';
import { readBody } from '../../../local/machine/http-server.ts';

type Asked = { address: string; flavor: unknown; bearer: unknown };

export type Platform = {
  signer: Signer;
  /** The requests, in order. */
  asked: Asked[];
  /** How a request for a signature is answered: `refuses` with 403, `hangs` never. */
  signing: 'works' | 'refuses' | 'hangs';
};

/**
 * Until the test ends, simulates the platform of a function: its metadata server, and the service that signs as the function's account. Google's
 * own client calls both. Its HTTPS requests to the second are redirected to this machine.
 */
export async function startPlatform(email: string): Promise<Platform> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const platform: Platform = { signer: { email, publicKey: spki }, asked: [], signing: 'works' };
  const server = createServer(async (asked, response) => {
    const { host, authorization, 'metadata-flavor': flavor } = asked.headers;
    platform.asked.push({ address: `${host}${asked.url}`, flavor, bearer: authorization });
    const answer = (body: unknown, status = 200) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'application/text' : 'application/json';
      response.writeHead(status, { 'Metadata-Flavor': 'Google', 'Content-Type': type }).end(text);
    };
    if (asked.url?.endsWith('/email')) return answer(email);
    if (asked.url?.includes('/token')) return answer({ access_token: 'platform-token', expires_in: 3600 });
    if (!asked.url?.endsWith(':signBlob')) return answer('', 404);
    if (platform.signing === 'hangs') return;
    if (platform.signing === 'refuses') return answer({ error: { code: 403, message: 'denied by the platform' } }, 403);
    const { payload } = JSON.parse(String(await readBody(asked)));
    answer({ signedBlob: sign('RSA-SHA256', Buffer.from(payload, 'base64'), privateKey).toString('base64') });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const away = vi.spyOn(https, 'request').mockImplementation(((address: string, options: RequestOptions) => {
    const { host, pathname, search } = new URL(address);
    const headers = { ...(options.headers as object), host };
    return request(`http://127.0.0.1:${port}${pathname}${search}`, { ...options, headers, agent: undefined });
  }) as typeof https.request);
  vi.stubEnv('GCE_METADATA_HOST', `127.0.0.1:${port}`);
  vi.stubEnv('K_SERVICE', 'api');
  // The developer's own account must not be used.
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', '');
  vi.stubEnv('HOME', '/nowhere');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    away.mockRestore();
    server.closeAllConnections();
    server.close();
  });
  return platform;
}
