import { spawn } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issue, keyId, nameOf, usages } from '../../../cli/src/broker/certificates.ts';
import { type Credential, createAuthority } from '../../../local/machine/certificates.ts';
import { freePort } from './free-port.ts';

/** The certificate of a client and its key, of an authority (by default one that nobody knows). */
export function clientIdentity(
  authority: Credential = createAuthority(new Date()),
  days = 400,
): { certificate: string; key: string } {
  const signer = createPrivateKey(authority.key);
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const names = { subject: nameOf('watchpost'), issuer: nameOf('Watchpost local run') };
  const signing = { signer, signerId: keyId(signer), key, extensions: usages.client() };
  return issue({ ...names, ...signing, days, now: new Date() });
}

/** A receiver that demands a certificate of an authority in the TLS handshake. */
export async function startDemandingReceiver({ certificate: cert, key }: Credential, clients: Credential) {
  const received: { body: string; headers: Record<string, unknown> }[] = [];
  const state = { behaviour: 'answers' as 'answers' | 'ends' | 'resets' };
  const sockets = new Set<Socket>();
  const tls = { cert, key, ca: clients.certificate, requestCert: true, rejectUnauthorized: true };
  const server = createServer(tls, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
    if (state.behaviour === 'answers') response.end('ok');
    else if (state.behaviour === 'ends') request.socket.end();
    else for (const socket of sockets) socket.resetAndDestroy();
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/hook`,
    host: `localhost:${port}`,
    received,
    state,
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/** OpenSSL's own server, which refuses other certificates than those of an authority by an alert of TLS. */
export async function startStrictServer({ certificate, key }: Credential, clients: Credential) {
  const folder = await mkdtemp(join(tmpdir(), 'strict-'));
  const files = { cert: certificate, key, ca: clients.certificate };
  const paths = Object.keys(files).map((name) => join(folder, name));
  await Promise.all(Object.values(files).map((text, index) => writeFile(paths[index] ?? '', text)));
  const port = await freePort();
  const [cert = '', own = '', ca = ''] = paths;
  const flags = ['s_server', '-accept', String(port), '-cert', cert, '-key', own, '-CAfile', ca];
  const server = spawn('openssl', [...flags, '-Verify', '1', '-verify_return_error', '-www']);
  await new Promise((resolve) => server.stdout.once('data', resolve));
  return {
    url: `https://localhost:${port}/hook`,
    host: `localhost:${port}`,
    async stop() {
      server.kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** What a server of tokens does with a request. */
export type TokenBehaviour = 'grants' | 'fails' | 'hangs' | 'lies' | 'grants for a moment';

/** A server of tokens that takes one client, and misbehaves as told. */
export async function startTokenServer({ certificate: cert, key }: Credential) {
  const state = { behaviour: 'grants' as TokenBehaviour, asked: [] as { authorization: string; form: string }[] };
  const server = createServer({ cert, key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    state.asked.push({ authorization: request.headers.authorization ?? '', form: Buffer.concat(chunks).toString() });
    const token = `token-${state.asked.length}`;
    const granted = (seconds: number) => ({ access_token: token, token_type: 'Bearer', expires_in: seconds });
    if (state.behaviour === 'hangs') return;
    if (state.behaviour === 'fails') response.writeHead(500).end('{"error":"server_error"}');
    else if (state.behaviour === 'lies') response.end(JSON.stringify({ access_token: 'a\r\nb', token_type: 'mac' }));
    else response.end(JSON.stringify(granted(state.behaviour === 'grants' ? 3600 : 1)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/token`,
    host: `localhost:${port}`,
    state,
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}
