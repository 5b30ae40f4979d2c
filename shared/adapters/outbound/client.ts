import type { LookupAddress, LookupOptions } from 'node:dns';
import type { Agent } from 'undici';
import { excerptOf, readBounded } from './excerpt.ts';
import { failureOf, type OutboundFailure } from './failure.ts';
import type { CheckedTarget, OutboundGuard } from './guard.ts';

export type OutboundRequest = {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'HEAD';
  headers: Record<string, string>;
  body: Buffer | null;
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
  let agent: Promise<Agent> | null = null;
  return {
    async send(request) {
      const { signal, clear } = deadlineIn(request.timeoutMs);
      try {
        const target = await untilAborted(guard.check(request.url), signal);
        if ('kind' in target) return failed({ errorClass: target.kind, detail: target.detail });
        agent ??= createAgent(pins);
        return await pinned(pins, target, async () =>
          exchange(await (agent as Promise<Agent>), request, target, signal),
        );
      } catch (error) {
        const failure = failureOf(error);
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

/** undici is slow to load, so it is loaded with the first request. */
async function createAgent(pins: Map<string, Pin>): Promise<Agent> {
  const { Agent: UndiciAgent } = await import('undici');
  return new UndiciAgent({
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 30_000,
    connect: {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
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
