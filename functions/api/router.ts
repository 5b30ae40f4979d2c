import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Context, Hono, type HonoRequest } from 'hono';
import { authenticate, type Caller, type GroupsClaim, requireScope } from '../../shared/adapters/auth/bearer-auth.ts';
import type { TokenVerifier } from '../../shared/adapters/auth/token-verifier.ts';
import type { Limits } from '../../shared/adapters/http/limits.ts';
import { problemOf } from '../../shared/adapters/http/problem.ts';
import type { Refusals } from '../../shared/app/audit/refusals.ts';
import type { World } from '../../shared/app/ports.ts';
import { AppError } from '../../shared/errors.ts';
import type { Route } from '../../shared/schema/route.ts';
import { type Operation, restParameters, routes } from '../../shared/schema/routes.ts';
import { type Arrival, audited, refusalKept } from './audited.ts';
import { callerAddress } from './caller-address.ts';
import { compressed } from './compression.ts';
import { cacheHeaders, isKnown } from './conditional.ts';
import type { Answer, Handlers } from './handler.ts';
import { createLinkPages, loggedPath } from './link-pages.ts';
import { readCall, readIfVersion } from './request.ts';

type Edge = {
  world: World;
  handlers: Handlers;
  refusals: Refusals;
  trustedProxies: number;
  verify: TokenVerifier;
  groupsClaim: GroupsClaim;
  limits: Limits;
  corsOrigins: readonly string[];
};
/** `incoming`: Node's own message, where the request came through a server. */
type Env = { Bindings: { incoming?: IncomingMessage }; Variables: { requestId: string } };

/** The API as a web-standard request handler: all routes of the table, with what they share. */
export function createRouter(edge: Edge): Hono<Env> {
  const { world, corsOrigins } = edge;
  const { log } = world;
  const answer = createAnswerer(edge);
  const app = new Hono<Env>();
  const respond = (context: Context<Env>, { body, status, headers }: Sent) =>
    new Response(body, { status, headers: { ...commonHeaders(context, corsOrigins), ...headers } });
  app.use(async (context, next) => {
    const requestId = randomUUID();
    const startedAt = performance.now();
    context.set('requestId', requestId);
    await next();
    const { method } = context.req;
    log.info('request.answered', {
      requestId,
      method,
      path: loggedPath(context),
      status: context.res.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    });
  });
  app.options('*', (context) =>
    respond(context, { body: null, status: 204, headers: preflightHeaders(context.req.path) }),
  );
  const bind = <Op extends Operation>(operation: Op) => {
    const route: Route = routes[operation];
    app.on(route.method.toUpperCase(), honoPath(route.path), async (context) => {
      const sent = await answer(operation, context.req, context.env?.incoming, context.get('requestId'));
      return respond(context, sent);
    });
  };
  for (const operation of Object.keys(routes) as Operation[]) bind(operation);
  const pages = createLinkPages(world, edge.limits);
  const askedOf = (context: Context<Env>) => ({
    token: context.req.param('token') ?? '',
    address: callerAddress(context.req.header('X-Forwarded-For'), context.env?.incoming, edge.trustedProxies),
    requestId: context.get('requestId'),
  });
  app.get('/t/:token', (context) => pages.show(askedOf(context)));
  app.post('/t/:token', (context) => pages.use(askedOf(context)));
  app.notFound((context) => {
    const allowed = methodsOf(context.req.path);
    const error =
      allowed.length === 0
        ? new AppError('not-found', 'There is no such path.')
        : new AppError('method-not-allowed', `This path answers ${allowed.join(', ')}.`, {
            headers: { Allow: allowed.join(', ') },
          });
    return respond(context, problemOf(error, context.get('requestId')));
  });
  app.onError((error, context) => {
    const requestId = context.get('requestId');
    if (!(error instanceof AppError) || error.status >= 500) {
      const { stack, cause } = error;
      log.error('request.failed', { requestId, error: String(error), cause: String(cause ?? ''), stack });
    }
    return respond(context, problemOf(error, requestId));
  });
  return app;
}

/** Turns a request into an answer: who calls, whether they may, what they request, the result, and the audit entry. */
function createAnswerer({ world, handlers, refusals, trustedProxies, verify, groupsClaim, limits }: Edge) {
  return async <Op extends Operation>(
    operation: Op,
    req: HonoRequest,
    incoming: IncomingMessage | undefined,
    requestId: string,
  ): Promise<Sent> => {
    const route: Route = routes[operation];
    const address = callerAddress(req.header('X-Forwarded-For'), incoming, trustedProxies);
    const arrival: Arrival = { operation, requestId, address, params: req.param(), caller: null };
    try {
      let bearer = anonymous;
      if (route.scope) {
        bearer = await authenticate(req.header('Authorization'), verify, groupsClaim);
        arrival.caller = bearer;
        limits.take(bearer.subject, operation);
        requireScope(bearer, { ...route, scope: route.scope });
      }
      const call = await readCall(operation, req.raw, req.param(), incoming);
      const ifVersion = readIfVersion(req.header('If-Match'));
      const received = { ...call, bearer, ifVersion, lastEventId: req.header('Last-Event-ID') ?? null };
      const act = (own: World) => handlers[operation]({ ...received, world: own });
      const answer =
        route.method === 'get'
          ? await act(world)
          : await audited(world, { ...arrival, caller: bearer }, call.body, act);
      return sentOf(answer, route, req.header('Accept-Encoding'), req.header('If-None-Match'));
    } catch (error) {
      await refusalKept(world, refusals, arrival, error);
      throw error;
    }
  };
}

/** An answer as it is sent. */
type Sent = {
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | null;
  status: number;
  headers: Record<string, string>;
};

function sentOf(
  { body, status, headers = {} }: Answer<unknown>,
  route: Route,
  acceptedEncoding: string | undefined,
  knownTags: string | undefined,
): Sent {
  if (body === null) return { body: null, status: 204, headers };
  if (body instanceof ReadableStream) return { body, status: 200, headers };
  const text = JSON.stringify(body);
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
};

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name) => `:${name}${restParameters.has(name) ? '{.+}' : ''}`);
}

const patterns = Object.values(routes as Record<string, Route>).map((route) => ({
  method: route.method.toUpperCase(),
  pattern: new RegExp(
    `^${route.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_whole, name) => (restParameters.has(name) ? '.+' : '[^/]+'))}$`,
  ),
}));

function methodsOf(path: string): string[] {
  return [...new Set(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))];
}

/** Headers of every answer. A page of an allowed origin may read it. */
function commonHeaders(context: Context<Env>, corsOrigins: readonly string[]): Record<string, string> {
  const origin = context.req.header('Origin');
  return {
    'X-Request-Id': context.get('requestId'),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Origin, Accept-Encoding',
    ...(origin && corsOrigins.includes(origin)
      ? {
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Expose-Headers': 'ETag, Location, X-Request-Id, Retry-After',
        }
      : {}),
  };
}

function preflightHeaders(path: string): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methodsOf(path).join(', '),
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match, Last-Event-ID',
    'Access-Control-Max-Age': '600',
  };
}
