import type { IncomingMessage } from 'node:http';
import { type Authenticator, type Caller, requireRight } from '../../shared/adapters/auth/bearer-auth.ts';
import type { Limits } from '../../shared/adapters/http/limits.ts';
import type { Refusals } from '../../shared/app/audit/refusals.ts';
import type { World } from '../../shared/app/ports.ts';
import { AppError } from '../../shared/errors.ts';
import type { Route } from '../../shared/schema/route.ts';
import { type Operation, routes } from '../../shared/schema/routes.ts';
import { type Arrival, audited, refusalKept } from './audited.ts';
import { compressed } from './compression.ts';
import { cacheHeaders, isKnown } from './conditional.ts';
import type { Answer, Handlers } from './handler.ts';
import { readCall, readIfVersion } from './request.ts';

/** The inputs of the answerer. */
export type Edge = {
  world: World;
  handlers: Handlers;
  refusals: Refusals;
  authenticate: Authenticator;
  /** Identifies the caller with the scrape token. Null: another caller. */
  scrapeCaller: (header: string | null) => Caller | null;
  limits: Limits;
  /** Whether the database is being restored: what is written now would be lost. */
  isReadOnly: boolean;
};
/** A request whose route is known. `incoming`: Node's own message, where the request came through a server. */
export type AnswerRequest = {
  request: Request;
  params: Record<string, string>;
  address: string | null;
  incoming: IncomingMessage | undefined;
  requestId: string;
};
export type Answerer = ReturnType<typeof createAnswerer>;

/** Turns a request into an answer: who calls, whether they may, what they request, the result, and the audit entry. */
export function createAnswerer({ world, handlers, refusals, authenticate, scrapeCaller, limits, isReadOnly }: Edge) {
  return async <Op extends Operation>(
    operation: Op,
    { request, params, address, incoming, requestId }: AnswerRequest,
  ): Promise<Reply> => {
    const route: Route = routes[operation];
    const { headers } = request;
    if (isReadOnly) requireReading(route);
    const arrival: Arrival = { operation, requestId, address, params, caller: null };
    try {
      let bearer = anonymous;
      if (route.scope) {
        const header = headers.get('Authorization');
        const scraper = route.scope === 'metrics:read' ? scrapeCaller(header) : null;
        bearer = scraper ?? (await authenticate(header));
        arrival.caller = bearer;
        limits.take(bearer.subject, operation);
        requireRight(bearer, route);
      }
      const call = await readCall(operation, request, params, incoming);
      const ifVersion = readIfVersion(headers.get('If-Match') ?? undefined);
      const received = {
        ...call,
        bearer,
        ifVersion,
        lastEventId: headers.get('Last-Event-ID'),
        accept: headers.get('Accept'),
        gone: request.signal,
      };
      const act = (own: World) => handlers[operation]({ ...received, world: own });
      const answer =
        route.method === 'get'
          ? await act(world)
          : await audited(world, { ...arrival, caller: bearer }, call.body, act);
      return sentOf(
        answer,
        route,
        headers.get('Accept-Encoding') ?? undefined,
        headers.get('If-None-Match') ?? undefined,
      );
    } catch (error) {
      await refusalKept(world, refusals, arrival, error);
      throw error;
    }
  };
}

/** The refusal of every write and stream while the database is restored. */
export function readOnly(): AppError {
  return new AppError('unavailable', 'The database is being restored: until that is over, records can only be read.', {
    headers: { 'Retry-After': '60' },
  });
}

/** @throws AppError `unavailable` for a route that writes, and for a stream */
function requireReading({ method, media }: Route): void {
  if (method !== 'get' || media === 'text/event-stream') throw readOnly();
}

/** An answer as it is sent. */
export type Reply = {
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | null;
  status: number;
  headers: Record<string, string>;
};

function sentOf(
  { body, status, headers = {} }: Answer<unknown>,
  route: Route,
  acceptedEncoding: string | undefined,
  knownTags: string | undefined,
): Reply {
  if (body === null) return { body: null, status: 204, headers };
  if (body instanceof ReadableStream) return { body, status: 200, headers };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const cached = route.isOfRelease ? cacheHeaders(text) : null;
  if (cached && isKnown(cached.ETag, knownTags)) return { body: null, status: 304, headers: cached };
  const bytes = compressed(text, route.scope, acceptedEncoding);
  return {
    body: bytes ?? text,
    status: status ?? route.status ?? 200,
    headers: {
      'Content-Type': 'application/json',
      ...(bytes ? { 'Content-Encoding': 'gzip' } : {}),
      ...cached,
      ...headers,
    },
  };
}

const anonymous: Caller = {
  subject: 'anonymous',
  scopes: new Set(),
  groups: [],
  issuer: '',
  expiresAtMs: Number.POSITIVE_INFINITY,
  faultOfGroups: null,
};
