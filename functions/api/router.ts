import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Context, Hono } from 'hono';
import { authenticate, requireScope } from '../../shared/adapters/auth/bearer-auth.ts';
import type { TokenVerifier } from '../../shared/adapters/auth/token-verifier.ts';
import { problemOf } from '../../shared/adapters/http/problem.ts';
import type { Bearer } from '../../shared/app/bearer.ts';
import type { Log } from '../../shared/app/ports.ts';
import { AppError } from '../../shared/errors.ts';
import type { Route } from '../../shared/schema/route.ts';
import { type Operation, routes } from '../../shared/schema/routes.ts';
import { compressed } from './compression.ts';
import type { Answer, Handlers } from './handler.ts';
import { readCall, readIfVersion } from './request.ts';

type Edge = {
  handlers: Handlers;
  verify: TokenVerifier;
  /** Claim that names the bearer's groups; by default `groups`. */
  groupsClaim?: string;
  log: Log;
  corsOrigins: readonly string[];
};
type Identify = (header: string | undefined) => Promise<Bearer>;
/** `incoming`: Node's own message, where the request came by a server. */
type Env = { Bindings: { incoming?: IncomingMessage }; Variables: { requestId: string } };

/** The API as a web-standard request handler: every route of the table with what all routes share. */
export function createRouter({ handlers, verify, groupsClaim, log, corsOrigins }: Edge): Hono<Env> {
  const identify: Identify = (header) => authenticate(header, verify, groupsClaim);
  const app = new Hono<Env>();
  const respond = (context: Context<Env>, { body, status, headers }: Sent) =>
    new Response(body, { status, headers: { ...commonHeaders(context, corsOrigins), ...headers } });
  app.use(async (context, next) => {
    const requestId = randomUUID();
    const startedAt = performance.now();
    context.set('requestId', requestId);
    await next();
    const { method, path } = context.req;
    log.info('request.answered', {
      requestId,
      method,
      path,
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
      const { req, env } = context;
      const bearer = await bearerOf(route, req.header('Authorization'), identify);
      const call = await readCall(operation, req.raw, req.param(), env?.incoming);
      const ifVersion = readIfVersion(req.header('If-Match'));
      const lastEventId = req.header('Last-Event-ID') ?? null;
      const answer = await handlers[operation]({ ...call, bearer, ifVersion, lastEventId });
      return respond(context, sentOf(answer, route, req.header('Accept-Encoding')));
    });
  };
  for (const operation of Object.keys(routes) as Operation[]) bind(operation);
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

/** An answer as it goes out. */
type Sent = {
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | null;
  status: number;
  headers: Record<string, string>;
};

function sentOf(
  { body, status, headers = {} }: Answer<unknown>,
  route: Route,
  acceptedEncoding: string | undefined,
): Sent {
  if (body === null) return { body: null, status: 204, headers };
  if (body instanceof ReadableStream) return { body, status: 200, headers };
  const text = JSON.stringify(body);
  const bytes = compressed(text, route.scope, acceptedEncoding);
  return {
    body: bytes ?? text,
    status: status ?? route.status ?? 200,
    headers: { 'Content-Type': 'application/json', ...(bytes ? { 'Content-Encoding': 'gzip' } : {}), ...headers },
  };
}

/** Who calls, with the scope that the route asks for. @throws AppError `unauthenticated`, `forbidden`, `unavailable` */
async function bearerOf(route: Route, header: string | undefined, identify: Identify): Promise<Bearer> {
  if (!route.scope) return anonymous;
  const bearer = await identify(header);
  requireScope(bearer, route.scope);
  return bearer;
}

const anonymous: Bearer = { subject: 'anonymous', scopes: new Set(), groups: [] };

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

const patterns = Object.values(routes as Record<string, Route>).map((route) => ({
  method: route.method.toUpperCase(),
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

function methodsOf(path: string): string[] {
  return [...new Set(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))];
}

/** What every answer carries; a page of an allowed origin may read it. */
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
