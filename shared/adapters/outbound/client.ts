import { createHash } from 'node:crypto';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Agent } from 'undici';
import type { ErrorClass } from '../../domain/delivery/delivery.ts';
import { visibleText } from '../../schema/text.ts';
import type { CheckedTarget, OutboundGuard } from './guard.ts';

/** Bytes of a receiver's answer that are read, and that are kept after decompression. */
const maxReadBytes = 64 * 1024;
const maxKeptBytes = 16 * 1024;

const decoders: Record<string, () => NodeJS.ReadWriteStream & { destroy(): void }> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Reads an answer's body up to a limit and does not wait for more. */
async function readBounded(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxReadBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxReadBytes);
}

/**
 * The beginning of a body as text. Null: the body is empty. A small body that would inflate to gigabytes is inflated
 * only as far as it is kept.
 */
async function excerptOf(bytes: Buffer, encoding: string | undefined): Promise<string | null> {
  if (bytes.length === 0) return null;
  const decoder = decoders[encoding?.trim().toLowerCase() ?? ''];
  const kept = decoder ? await inflated(bytes, decoder()) : bytes.subarray(0, maxKeptBytes);
  // Invisible characters are spelled out, which makes the text longer.
  return visibleText(new TextDecoder().decode(kept)).slice(0, maxKeptBytes);
}

/** An excerpt without the secrets that were sent. */
export function withoutSecrets(excerpt: string | null, secrets: readonly string[]): string | null {
  return secrets.reduce((text, secret) => (secret === '' ? text : (text?.replaceAll(secret, '***') ?? null)), excerpt);
}

function inflated(bytes: Buffer, decoder: ReturnType<(typeof decoders)[string]>): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = () => {
      decoder.destroy();
      resolve(Buffer.concat(chunks).subarray(0, maxKeptBytes));
    };
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxKeptBytes) finish();
    });
    // The stream is truncated or corrupt. What was decoded so far is used.
    decoder.on('error', finish);
    decoder.on('end', finish);
    decoder.end(bytes);
  });
}

type OutboundFailure = { errorClass: ErrorClass; detail: string };

/**
 * The meaning of an error code of the socket, the TLS layer or the client. Certificate faults have dozens of codes and are recognized by
 * their form.
 */
const classes: Record<string, OutboundFailure> = {
  ECONNREFUSED: { errorClass: 'connection_refused', detail: 'The connection was refused.' },
  EHOSTUNREACH: { errorClass: 'connection_refused', detail: 'The host cannot be reached.' },
  ENETUNREACH: { errorClass: 'connection_refused', detail: 'The network cannot be reached.' },
  EADDRNOTAVAIL: { errorClass: 'connection_refused', detail: 'The address cannot be reached from here.' },
  ECONNRESET: { errorClass: 'connection_reset', detail: 'The connection was cut.' },
  EPIPE: { errorClass: 'connection_reset', detail: 'The connection was cut.' },
  UND_ERR_SOCKET: { errorClass: 'connection_reset', detail: 'The connection ended before the answer did.' },
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { errorClass: 'connection_reset', detail: 'The answer was cut short.' },
  UND_ERR_HEADERS_OVERFLOW: { errorClass: 'connection_reset', detail: 'The answer has too many headers.' },
  ETIMEDOUT: { errorClass: 'timeout', detail: 'No connection was made in time.' },
  UND_ERR_CONNECT_TIMEOUT: { errorClass: 'timeout', detail: 'No connection was made in time.' },
  UND_ERR_HEADERS_TIMEOUT: { errorClass: 'timeout', detail: 'No answer came in time.' },
  UND_ERR_BODY_TIMEOUT: { errorClass: 'timeout', detail: 'The answer did not end in time.' },
  UND_ERR_ABORTED: { errorClass: 'timeout', detail: 'No full answer came in time.' },
};

const tlsCode =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO|INVALID_CA|PATH_LENGTH|HOSTNAME_)/;

/** Alerts with which a receiver refuses the certificate of a client (RFC 8446, 6.2). */
const certificateRefused =
  /ALERT_(NO_CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|ACCESS_DENIED)/;

/**
 * With TLS 1.3 a receiver judges our certificate after the handshake. Its alert comes with the end of the connection, and the client shows only the end.
 * One that has answered with this certificate does not refuse it.
 */
const certificateUnanswered: OutboundFailure = {
  errorClass: 'client_certificate_refused',
  detail: 'The receiver ended the connection after the handshake, as one does that refuses our certificate.',
};

/** Whether a receiver ended a connection by itself, during the handshake or after it. A reset of the network fails in a call of the system. */
function isEnded(error: unknown): boolean {
  const { code, syscall } = error as { code?: string; syscall?: string };
  return code === 'UND_ERR_SOCKET' || (code === 'ECONNRESET' && syscall === undefined);
}

/** Why a request failed, without addresses or secrets. @returns null where the fault is not the receiver's */
function failureOf(error: unknown): OutboundFailure | null {
  const { code, name, errors, cause } = error as { code?: string; name?: string; errors?: unknown[]; cause?: unknown };
  if (name === 'TimeoutError' || name === 'AbortError') return classes['UND_ERR_ABORTED'] ?? null;
  if (code !== undefined && classes[code]) return classes[code];
  if (code !== undefined && certificateRefused.test(code)) {
    return { errorClass: 'client_certificate_refused', detail: `The receiver refuses our certificate (${code}).` };
  }
  if (code !== undefined && tlsCode.test(code)) return { errorClass: 'tls_error', detail: `TLS failed (${code}).` };
  if (name === 'HTTPParserError' || code?.startsWith('HPE_')) {
    return { errorClass: 'connection_reset', detail: 'The answer is not HTTP.' };
  }
  if (errors?.length) return failureOf(errors[0]);
  return cause ? failureOf(cause) : null;
}

/** A certificate and its private key, both in PEM. `owner`: whose they are. */
export type ClientIdentity = { owner: string; certificate: string; key: string };

export type OutboundRequest = {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'HEAD';
  headers: Record<string, string>;
  body: Buffer | null;
  /** What we are recognized by in the TLS handshake. Each has connections of its own. */
  identity?: ClientIdentity;
  /** Limits the whole request: the look-up, the connection, the answer and its body. */
  timeoutMs: number;
};

/** The result of a request. `failure` null: a full answer came, whatever its status. */
export type OutboundAnswer = {
  statusCode: number | null;
  retryAfter: string | string[] | undefined;
  excerpt: string | null;
  failure: OutboundFailure | null;
};

/** Sends requests to outside addresses. */
export type OutboundClient = { send(request: OutboundRequest): Promise<OutboundAnswer> };

type Pin = { addresses: LookupAddress[]; users: number };
type LookupCallback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * An HTTP client behind the guard. Each request's target is checked, and a new connection goes only to the checked addresses, never to the
 * result of a second look-up. No redirects, no proxies, TLS 1.2 or later with verified certificates.
 */
export function createOutboundClient(guard: OutboundGuard): OutboundClient {
  const pins = new Map<string, Pin>();
  const agents = createAgents(pins);
  return {
    async send(request) {
      const origin = URL.parse(request.url)?.origin ?? '';
      const pool = agents(request.identity);
      const { signal, clear } = deadlineIn(request.timeoutMs);
      try {
        const target = await untilAborted(guard.check(request.url), signal);
        if ('kind' in target) return failed({ errorClass: target.kind, detail: target.detail });
        const answer = await pinned(pins, target, async () => exchange(await pool.agent, request, target, signal));
        pool.answered?.add(origin);
        return answer;
      } catch (error) {
        const failure = mayRefuse(pool, origin, error) ? certificateUnanswered : failureOf(error);
        if (!failure) throw error;
        return failed(failure);
      } finally {
        clear();
      }
    },
  };
}

/** A timeout that can be cleared. That of `AbortSignal` would remain and fire long after the request is done. */
function deadlineIn(ms: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException('The request took too long.', 'TimeoutError'));
  const timer = setTimeout(abort, ms);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

/** Pools of connections of clients with a certificate. The one that was not used for the longest time is closed first. */
const mostIdentities = 200;

/** Connections with one certificate or with none, and the origins that have answered on them. Those answers are remembered for certificates only. */
type Pool = { agent: Promise<Agent>; answered: Set<string> | null };

/** Whether a receiver may have ended a connection because of our certificate. */
function mayRefuse({ answered }: Pool, origin: string, error: unknown): boolean {
  return answered !== null && !answered.has(origin) && isEnded(error);
}

/**
 * The pool of connections for requests without a certificate, and one for each certificate: a connection that was opened with one must never carry the
 * requests of somebody else.
 */
function createAgents(pins: Map<string, Pin>): (identity: ClientIdentity | undefined) => Pool {
  let common: Pool | null = null;
  const own = new Map<string, Pool>();
  return (identity) => {
    if (!identity) {
      common ??= { agent: createAgent(pins), answered: null };
      return common;
    }
    const { owner, certificate, key } = identity;
    const id = createHash('sha256')
      .update(JSON.stringify([owner, certificate, key]))
      .digest('base64');
    const pool = own.get(id) ?? { agent: createAgent(pins, { cert: certificate, key }), answered: new Set() };
    own.delete(id);
    own.set(id, pool);
    const [oldest = ''] = own.keys();
    if (own.size > mostIdentities) {
      void own.get(oldest)?.agent.then((each) => each.close());
      own.delete(oldest);
    }
    return pool;
  };
}

/** undici is slow to load, so it is loaded with the first request. */
async function createAgent(pins: Map<string, Pin>, identity: { cert?: string; key?: string } = {}): Promise<Agent> {
  const { Agent: UndiciAgent } = await import('undici');
  return new UndiciAgent({
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 30_000,
    connect: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...identity,
      timeout: 10_000,
      // Not called for literal addresses, which have been checked already.
      lookup: (host: string, options: LookupOptions, done: LookupCallback) => {
        const addresses = pins.get(host)?.addresses ?? [];
        const [first] = addresses;
        if (!first) done(new Error(`${host} was not looked up before`), '', 0);
        else if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      },
    },
  });
}

async function pinned<T>(
  pins: Map<string, Pin>,
  { host, addresses }: CheckedTarget,
  work: () => Promise<T>,
): Promise<T> {
  const pin = pins.get(host) ?? { addresses, users: 0 };
  pins.set(host, Object.assign(pin, { addresses, users: pin.users + 1 }));
  try {
    return await work();
  } finally {
    pin.users -= 1;
    if (pin.users === 0) pins.delete(host);
  }
}

async function exchange(
  dispatcher: Agent,
  { method, headers, body, timeoutMs }: OutboundRequest,
  { url }: CheckedTarget,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const bounds = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, signal };
  const origin = url.origin;
  const path = `${url.pathname}${url.search}`;
  // undici respects a signal only once it is connected. An endless handshake would delay the request up to the connection limit.
  const response = await untilAborted(dispatcher.request({ origin, path, method, headers, body, ...bounds }), signal);
  const { statusCode } = response;
  const retryAfter = response.headers['retry-after'];
  try {
    const bytes = await readBounded(response.body);
    const encoding = response.headers['content-encoding'];
    const excerpt = await excerptOf(bytes, Array.isArray(encoding) ? encoding[0] : encoding);
    return { statusCode, retryAfter, excerpt, failure: null };
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    return { statusCode, retryAfter, excerpt: null, failure };
  }
}

function failed(failure: OutboundFailure): OutboundAnswer {
  return { statusCode: null, retryAfter: undefined, excerpt: null, failure };
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
