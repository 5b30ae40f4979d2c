import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  type TlsOptions,
} from 'node:tls';
import { gzipSync } from 'node:zlib';
import { createAuthority, createServerCredential } from '../../../local/machine/certificates.ts';
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts';

/** The expected result of a delivery to one receiver: how each attempt ends, and the final status. */
export type Fate = Pick<Delivery, 'status'> & {
  attempts: number;
  errorClass: string | null;
  statusCode: number | null;
  /** The least delay before a retry because of `Retry-After`, at most one hour. */
  retryAfterSeconds?: number;
  /** The time in `Retry-After`, before which no retry is made. */
  asksUntil?: string;
};

/** A receiver with one kind of behaviour, usually bad. `run` handles one connection after its request has been read. */
export type Animal = {
  name: string;
  fate: Fate;
  /** Host name of its address, if not localhost. */
  host?: string;
  /** It fails only by timeout, so its endpoint needs a short one. */
  isSlow?: true;
  tls?: TlsOptions | 'none';
  run?: (socket: Socket) => void;
};

const head = (status: string, ...headers: string[]) =>
  `HTTP/1.1 ${status}\r\n${headers.map((h) => `${h}\r\n`).join('')}\r\n`;
const whole = (status: string, ...headers: string[]) =>
  head(status, 'Content-Length: 2', 'Connection: close', ...headers);
const says = (text: string) => (socket: Socket) => void socket.end(text);
const writes = (text: string, then: (socket: Socket) => void) => (socket: Socket) =>
  void socket.write(text, () => then(socket));
const hang = () => {};
/** A TLS socket cannot be reset, so the TCP socket below it is. */
const cut = (socket: Socket) => void (rawOf.get(socket.remotePort ?? 0) ?? socket).resetAndDestroy();
const rawOf = new Map<number, Socket>();

/** Writes pieces one at a time until the client disconnects, so that little data is in transit. */
const drip = (piece: string | Buffer, everyMs: number) => (socket: Socket) => {
  const timer = setInterval(() => void socket.write(piece), everyMs);
  socket.on('close', () => clearInterval(timer));
};

/** Every kind of receiver. `now`: the time of the first attempt. */
export function zooOf(now: string): Animal[] {
  const asksUntil = new Date(Date.parse(now) + 3_000_000).toISOString();
  const date = new Date(asksUntil).toUTCString();
  const ok = (statusCode: number): Fate => ({ status: 'delivered', attempts: 1, errorClass: null, statusCode });
  const fails = (errorClass: string, statusCode: number | null = null): Fate => ({
    status: 'failed',
    attempts: 5,
    errorClass,
    statusCode,
  });
  const bomb = gzipSync(Buffer.alloc(160 * 1024 * 1024), { level: 1 });
  return [
    { name: 'answers 200', fate: ok(200), run: says(`${whole('200 OK')}ok`) },
    { name: 'answers 204', fate: ok(204), run: says(head('204 No Content', 'Connection: close')) },
    { name: 'answers 299', fate: ok(299), run: says(`${whole('299 Fine')}ok`) },
    {
      name: 'hints twice before 200',
      fate: ok(200),
      run: says(`${head('103 Early Hints')}${head('103 Early Hints')}${whole('200 OK')}ok`),
    },
    {
      name: 'redirects',
      fate: fails('redirect', 301),
      run: says(`${whole('301 Moved', 'Location: https://localhost:1/')}ok`),
    },
    { name: 'answers 304', fate: fails('redirect', 304), run: says(head('304 Not Modified', 'Connection: close')) },
    { name: 'answers 400', fate: fails('http_status', 400), run: says(`${whole('400 Bad')}no`) },
    { name: 'answers 404', fate: fails('http_status', 404), run: says(`${whole('404 None')}no`) },
    {
      name: 'answers 410',
      fate: { status: 'held', attempts: 1, errorClass: 'http_status', statusCode: 410 },
      run: says(`${whole('410 Gone')}no`),
    },
    {
      name: 'answers 429 and asks for 5 min',
      fate: { ...fails('http_status', 429), retryAfterSeconds: 300 },
      run: says(`${whole('429 Slow', 'Retry-After: 300')}no`),
    },
    { name: 'answers 500', fate: fails('http_status', 500), run: says(`${whole('500 Bad')}no`) },
    {
      name: 'answers 503 and asks for a day',
      fate: { ...fails('http_status', 503), retryAfterSeconds: 3600 },
      run: says(`${whole('503 Busy', 'Retry-After: 86400')}no`),
    },
    {
      name: 'answers 503 with a date that passes',
      fate: { ...fails('http_status', 503), asksUntil },
      run: says(`${whole('503 Busy', `Retry-After: ${date}`)}no`),
    },
    { name: 'resets before it answers', fate: fails('connection_reset'), run: cut },
    {
      name: 'resets within its answer',
      fate: fails('connection_reset', 200),
      run: writes(`${head('200 OK', 'Content-Length: 9')}ok`, (socket) => setTimeout(() => cut(socket), 50)),
    },
    { name: 'closes its half without an answer', fate: fails('connection_reset'), run: says('') },
    {
      name: 'closes its half within its answer',
      fate: fails('connection_reset', 200),
      run: says(`${head('200 OK', 'Content-Length: 9')}ok`),
    },
    { name: 'never answers', fate: fails('timeout'), isSlow: true, run: hang },
    {
      name: 'answers with slow headers',
      fate: fails('timeout'),
      isSlow: true,
      run: writes('HTTP/1.1 200 OK\r\n', drip('X-Slow: 1\r\n', 40)),
    },
    {
      name: 'answers with a slow body',
      fate: fails('timeout', 200),
      isSlow: true,
      run: writes(head('200 OK'), drip('x', 40)),
    },
    {
      name: 'answers with a body without end',
      fate: ok(200),
      run: writes(head('200 OK'), drip(Buffer.alloc(4096, 'x'), 4)),
    },
    {
      name: 'answers with headers without end',
      fate: fails('connection_reset'),
      run: writes('HTTP/1.1 200 OK\r\n', drip(`X-Long: ${'x'.repeat(2000)}\r\n`, 2)),
    },
    {
      name: 'answers with a bomb',
      fate: ok(200),
      run: writes(head('200 OK', 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`), inPieces(bomb)),
    },
    { name: 'answers what is not HTTP', fate: fails('connection_reset'), run: says('SSH-2.0-OpenSSH_9.2\r\n\r\n') },
    {
      name: 'has a certificate of an unknown authority',
      fate: fails('tls_error'),
      tls: credential(createAuthority(new Date()), new Date()),
    },
    { name: 'has a certificate for another name', fate: fails('tls_error'), host: 'other.example.com' },
    {
      name: 'has a certificate that has ended',
      fate: fails('tls_error'),
      tls: credential(trusted, new Date(Date.now() - 1000 * 86_400_000)),
    },
    {
      name: 'speaks TLS 1.1',
      fate: fails('tls_error'),
      tls: {
        ...credential(trusted, new Date()),
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.1',
        ciphers: 'ALL@SECLEVEL=0',
      },
    },
    { name: 'speaks no TLS', fate: fails('tls_error'), tls: 'none', run: says(`${whole('200 OK')}ok`) },
    { name: 'never ends its handshake', fate: fails('timeout'), isSlow: true, tls: 'none', run: hang },
    { name: 'closes what connects', fate: fails('connection_reset'), tls: 'none', run: cut },
    { name: 'has no name', fate: fails('dns_error'), host: 'no-name.example.com' },
    { name: 'has a name without an address', fate: fails('dns_error'), host: 'empty.example.com' },
    { name: 'has a name that is looked up for ever', fate: fails('timeout'), isSlow: true, host: 'stuck.example.com' },
    { name: 'has a name of a private address', fate: fails('blocked_target'), host: 'private.example.com' },
  ];
}

const trusted = createAuthority(new Date());

function credential(authority: typeof trusted, now: Date): TlsOptions {
  const { certificate, key } = createServerCredential(authority, now);
  return { cert: certificate, key };
}

function inPieces(bytes: Buffer) {
  return (socket: Socket) => {
    let at = 0;
    const timer = setInterval(() => {
      if (at >= bytes.length) return void socket.end();
      socket.write(bytes.subarray(at, at + 4096));
      at += 4096;
    }, 4);
    socket.on('close', () => clearInterval(timer));
  };
}

/** A running animal: its address, its requests, and the most bytes that it wrote on one connection. */
export type Cage = { url: string; requests: string[]; mostWritten(): number; close(): Promise<void> };

/** Starts an animal on 127.0.0.1. From then on this process trusts the authority `trusted`, which issued the certificates by default. */
export async function openCage({ host = 'localhost', tls, run = says(`${whole('200 OK')}ok`) }: Animal): Promise<Cage> {
  setDefaultCACertificates([...getCACertificates('default'), trusted.certificate]);
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let most = 0;
  const take = (socket: Socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => {
      most = Math.max(most, socket.bytesWritten);
      sockets.delete(socket);
    });
    if (tls === 'none') return run(socket);
    socket.on('data', (bytes) => {
      text += bytes;
      if (!text.endsWith('{}')) return;
      requests.push(text);
      text = '';
      run(socket);
    });
  };
  const server: Server =
    tls === 'none' ? createTcpServer(take) : createTlsServer(tls ?? credential(trusted, new Date()), take);
  server.on('tlsClientError', () => {});
  server.on('connection', (raw: Socket) => {
    const { remotePort = 0 } = raw;
    rawOf.set(remotePort, raw);
    raw.on('close', () => rawOf.delete(remotePort));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://${host}:${(server.address() as AddressInfo).port}/`,
    requests,
    mostWritten: () => most,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
