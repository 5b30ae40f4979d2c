import type { TSchema } from 'typebox';
import { invalidRequest } from '../../../shared/adapters/http/request-body.ts';
import type { Bearer } from '../../../shared/app/bearer.ts';
import { isFleetWide, isOpenTo, type Route } from '../../../shared/schema/route.ts';
import { identifierPattern, type Operation, parameterPatterns, routes } from '../../../shared/schema/routes.ts';

/**
 * What a model may do besides reading. Each operation names one record in its path. No tool acts on the result of a filter, so that a text in an
 * alert cannot widen what is acknowledged.
 */
const acknowledging: ReadonlySet<string> = new Set<Operation>(['acknowledgeAlert', 'acknowledgeIncident']);

const table = Object.entries(routes as Record<string, Route>).filter(
  ([operation, { method, scope, media }]) =>
    scope !== null && media === undefined && (method === 'get' || acknowledging.has(operation)),
) as [Operation, Route][];

type Tool = { name: Operation; description: string; inputSchema: object; annotations: object };

/** The tools of a bearer: reading operations and acknowledgement, as far as the token's scopes and groups allow them. */
export function toolsFor({ scopes, groups }: Bearer): Tool[] {
  return table
    .filter(([, route]) => isOpenTo(route, scopes) && (groups === null || !isFleetWide(route)))
    .map(([name, route]) => toolOf(name, route));
}

/** The operation with a tool's name, even if the bearer may not call it. Null: there is no such tool. */
export function operationOf(name: unknown): Operation | null {
  return table.find(([operation]) => operation === name)?.[0] ?? null;
}

function toolOf(name: Operation, route: Route): Tool {
  const { properties = {}, required = [] } = objectOf(route.method === 'get' ? route.query : route.body);
  const ids = parametersOf(route).map((parameter): [string, object] => [
    parameter,
    { type: 'string', pattern: parameterPatterns[parameter] ?? identifierPattern },
  ]);
  return {
    name,
    description: route.summary,
    inputSchema: {
      type: 'object',
      properties: { ...Object.fromEntries(ids), ...properties },
      required: [...ids.map(([parameter]) => parameter), ...required],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: route.method === 'get',
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

function objectOf(schema: TSchema | undefined): { properties?: Record<string, object>; required?: string[] } {
  return schema ?? {};
}

function parametersOf({ path }: Route): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/**
 * The API request for a call of a tool. It is checked like any request of that route.
 * @throws AppError `invalid-request` for arguments that a path or query cannot contain
 */
export function requestOf(
  operation: Operation,
  given: unknown,
  headers: Headers,
): { request: Request; params: Record<string, string> } {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw wrong('', 'must be object');
  const route: Route = routes[operation];
  const rest: Record<string, unknown> = { ...given };
  const params: Record<string, string> = {};
  for (const name of parametersOf(route)) {
    const value = rest[name];
    if (typeof value !== 'string') throw wrong(name, value === undefined ? 'is required' : 'must be string');
    params[name] = value;
    delete rest[name];
  }
  const isRead = route.method === 'get';
  const search = isRead ? searchOf(rest) : '';
  const request = new Request(`http://mcp.invalid/${operation}${search}`, {
    method: route.method.toUpperCase(),
    headers: {
      Authorization: headers.get('Authorization') ?? '',
      ...(isRead ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(bytesOf(rest)) }),
    },
    ...(isRead ? {} : { body: JSON.stringify(rest) }),
  });
  return { request, params };
}

function bytesOf(body: object): number {
  return Buffer.byteLength(JSON.stringify(body));
}

function searchOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (!['string', 'number', 'boolean'].includes(typeof each)) throw wrong(name, 'must be text, number or boolean');
      search.append(name, String(each));
    }
  }
  return search.size === 0 ? '' : `?${search}`;
}

function wrong(name: string, detail: string) {
  return invalidRequest([{ pointer: name === '' ? '/params/arguments' : `/params/arguments/${name}`, detail }]);
}
