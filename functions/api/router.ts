import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { authenticate, requireScope } from '../../shared/adapters/bearer-auth.ts';
import { problemResponse } from '../../shared/adapters/http/problem.ts';
import type { FromServer } from '../../shared/adapters/http/request-body.ts';
import type { TokenVerifier } from '../../shared/adapters/token-verifier.ts';
import type { Bearer } from '../../shared/app/bearer.ts';
import type { Log } from '../../shared/app/ports.ts';
import { AppError } from '../../shared/errors.ts';
import { type Operation, type Route, routes } from '../../shared/schema/routes.ts';
import { readBody, readIfVersion, readParams, readQuery } from './request.ts';

/** A request that has passed: known caller, sufficient scope, query and body that fit their schemas. */
export type Call = {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  bearer: Bearer;
  /** Version that `If-Match` insists on; null: any. */
  ifVersion: number | null;
  /** The change after which a stream goes on. */
  lastEventId: string | null;
};

export type Answer = { body: unknown; status?: number; headers?: Record<string, string> };
export type Handlers = Record<Operation, (call: Call) => Promise<Answer>>;

type Edge = { handlers: Handlers; verify: TokenVerifier; log: Log; corsOrigins: readonly string[] };

/** The API as a web-standard request handler: every route of the table with what all routes share. */
export function createRouter({ handlers, verify, log, corsOrigins }: Edge): Hono<FromServer> {
  const app = new Hono<FromServer>();
  app.use(async (context, next) => {
    const requestId = randomUUID();
    const startedAt = performance.now();
    context.set('requestId' as never, requestId as never);
    await next();
    context.res.headers.set('X-Request-Id', requestId);
    context.res.headers.set('Cache-Control', 'no-store');
    context.res.headers.set('X-Content-Type-Options', 'nosniff');
    allowOrigin(context.res.headers, context.req.header('Origin'), corsOrigins);
    const { method, path } = context.req;
    log.info('request.answered', {
      requestId,
      method,
      path,
      status: context.res.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    });
  });
  app.options('*', (context) => preflight(context.req.path));
  for (const [operation, route] of Object.entries(routes as Record<Operation, Route>)) {
    app.on(route.method.toUpperCase(), honoPath(route.path), async (context) => {
      const { req, env } = context;
      const bearer = await bearerOf(route, req.header('Authorization'), verify);
      const { body, status, headers } = await handlers[operation as Operation]({
        params: readParams(req.param()),
        query: readQuery(operation, route, new URL(req.url).searchParams),
        body: await readBody(operation, route, req.raw, env?.incoming),
        bearer,
        ifVersion: readIfVersion(req.header('If-Match')),
        lastEventId: req.header('Last-Event-ID') ?? null,
      });
      return respond(body, status ?? route.status ?? 200, headers);
    });
  }
  app.notFound((context) => {
    const requestId = requestIdOf(context);
    const allowed = methodsOf(context.req.path);
    if (allowed.length === 0) return problemResponse(new AppError('not-found', 'There is no such path.'), requestId);
    const detail = `This path answers ${allowed.join(', ')}.`;
    return problemResponse(
      new AppError('method-not-allowed', detail, { headers: { Allow: allowed.join(', ') } }),
      requestId,
    );
  });
  app.onError((error, context) => {
    const requestId = requestIdOf(context);
    if (!(error instanceof AppError) || error.status >= 500) {
      log.error('request.failed', {
        requestId,
        error: String(error),
        cause: String(error.cause ?? ''),
        stack: error.stack,
      });
    }
    return problemResponse(error, requestId);
  });
  return app;
}

/** Who calls, with the scope that the route asks for. @throws AppError `unauthenticated`, `forbidden`, `unavailable` */
async function bearerOf(route: Route, header: string | undefined, verify: TokenVerifier): Promise<Bearer> {
  if (!route.scope) return anonymous;
  const bearer = await authenticate(header, verify);
  requireScope(bearer, route.scope);
  return bearer;
}

const anonymous: Bearer = { subject: 'anonymous', scopes: new Set(), groups: [] };

function requestIdOf(context: { get: (name: never) => unknown }): string {
  return String(context.get('requestId' as never));
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function respond(body: unknown, status: number, headers: Record<string, string> = {}): Response {
  if (body instanceof Response) return body;
  if (body === null || body === undefined) return new Response(null, { status: 204, headers });
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
}

const patterns = Object.values(routes as Record<string, Route>).map((route) => ({
  method: route.method.toUpperCase(),
  pattern: new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

function methodsOf(path: string): string[] {
  return [...new Set(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])))];
}

function allowOrigin(headers: Headers, origin: string | undefined, allowed: readonly string[]): void {
  headers.append('Vary', 'Origin');
  if (!origin || !allowed.includes(origin)) return;
  headers.set('Access-Control-Allow-Origin', origin);
  headers.set('Access-Control-Expose-Headers', 'ETag, Location, X-Request-Id, Retry-After');
}

function preflight(path: string): Response {
  const headers = {
    'Access-Control-Allow-Methods': methodsOf(path).join(', '),
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match, Last-Event-ID',
    'Access-Control-Max-Age': '600',
  };
  return new Response(null, { status: 204, headers });
}
