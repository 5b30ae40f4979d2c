import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Context, Hono } from 'hono';
import { isDecodable, malformedPath } from '../../shared/adapters/http/malformed-paths.ts';
import { problemOf } from '../../shared/adapters/http/problem.ts';
import { inTrace } from '../../shared/adapters/trace.ts';
import { AppError } from '../../shared/errors.ts';
import type { Route } from '../../shared/schema/route.ts';
import { type Operation, restParameters, routes } from '../../shared/schema/routes.ts';
import { createAnswerer, type Edge, type Reply } from './answer.ts';
import { callerAddress } from './caller-address.ts';
import { createLinkPages, loggedPath } from './link-pages.ts';

type RouterEdge = Edge & { trustedProxies: number; corsOrigins: readonly string[] };
/** `incoming`: Node's own message, where the request came through a server. */
type Env = { Bindings: { incoming?: IncomingMessage }; Variables: { requestId: string } };

/**
 * The API as a web-standard request handler: all routes of the table, the pages of links and MCP, with what they share.
 */
export function createRouter(edge: RouterEdge): Hono<Env> {
  const { world, corsOrigins } = edge;
  const { log } = world;
  const answer = createAnswerer(edge);
  const askedBy = (context: Context<Env>) => ({
    request: context.req.raw,
    incoming: context.env?.incoming,
    address: callerAddress(context.req.header('X-Forwarded-For'), context.env?.incoming, edge.trustedProxies),
    requestId: context.get('requestId'),
  });
  const app = new Hono<Env>();
  const respond = (context: Context<Env>, { body, status, headers }: Reply) =>
    new Response(body, { status, headers: { ...commonHeaders(context, corsOrigins), ...headers } });
  app.use(async (context, next) => {
    const requestId = randomUUID();
    const startedAt = performance.now();
    context.set('requestId', requestId);
    await inTrace([context.req.header('traceparent')], next);
    const { method } = context.req;
    log.info('request.answered', {
      requestId,
      method,
      path: loggedPath(context),
      status: context.res.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    });
  });
  app.use(async (context, next) => (isMalformed(context.req.url) ? refusal(context, malformed()) : next()));
  app.options('*', (context) =>
    respond(context, { body: null, status: 204, headers: preflightHeaders(context.req.path) }),
  );
  const bind = <Op extends Operation>(operation: Op) => {
    const route: Route = routes[operation];
    app.on(route.method.toUpperCase(), honoPath(route.path), async (context) => {
      return respond(context, await answer(operation, { ...askedBy(context), params: context.req.param() }));
    });
  };
  for (const operation of Object.keys(routes) as Operation[]) bind(operation);
  const pages = createLinkPages(world, edge);
  const askedOf = (context: Context<Env>) => ({ ...askedBy(context), token: context.req.param('token') ?? '' });
  app.get('/t/:token', (context) => pages.show(askedOf(context)));
  app.post('/t/:token', (context) => pages.use(askedOf(context)));
  app.post(mcpPath, async (context) => {
    // Loaded with the first message, because most instances never get one.
    const { answerMcp } = await import('./mcp/endpoint.ts');
    return respond(context, await answerMcp(edge, answer, askedBy(context)));
  });
  const refusal = (context: Context<Env>, error: unknown) =>
    respond(context, problemOf(error, context.get('requestId'), world.consoleUrl));
  app.notFound((context) => refusal(context, unanswered(context.req.path)));
  app.onError((error, context) => {
    const requestId = context.get('requestId');
    if (!(error instanceof AppError) || error.status >= 500) {
      const { stack, cause } = error;
      log.error('request.failed', { requestId, error: String(error), cause: String(cause ?? ''), stack });
    }
    return refusal(context, error);
  });
  return app;
}

function isMalformed(url: string): boolean {
  const { pathname } = new URL(url);
  return pathname === malformedPath || !isDecodable(pathname);
}

function malformed(): AppError {
  return new AppError('invalid-request', 'The path of the address is not percent-encoded UTF-8.');
}

/** The error for a path without a route. */
function unanswered(path: string): AppError {
  const allowed = methodsOf(path).join(', ');
  if (allowed === '') return new AppError('not-found', 'There is no such path.');
  return new AppError('method-not-allowed', `This path answers ${allowed}.`, { headers: { Allow: allowed } });
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name) => `:${name}${restParameters.has(name) ? '{.+}' : ''}`);
}

const mcpPath = '/mcp';
const paths: Pick<Route, 'method' | 'path'>[] = [...Object.values(routes), { method: 'post', path: mcpPath }];
const anyOf = (name: string) => (restParameters.has(name) ? '.+' : '[^/]+');
const patterns = paths.map(({ method, path }) => ({
  method: method.toUpperCase(),
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, (_whole, name) => anyOf(name))}$`),
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
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match, Last-Event-ID, MCP-Protocol-Version',
    'Access-Control-Max-Age': '600',
  };
}
