import type { IncomingMessage } from 'node:http';
import { invalidRequest, readJson } from '../../shared/adapters/http/request-body.ts';
import { AppError, notFound } from '../../shared/errors.ts';
import { identifierPattern, parameterPatterns, type Route } from '../../shared/schema/routes.ts';
import { faultsOf, type SchemaName } from '../../shared/schema/validate.ts';

/** Largest body the API takes: 64 KiB. */
const maxBodyBytes = 64 * 1024;

const parameters = Object.fromEntries(
  Object.entries(parameterPatterns).map(([name, pattern]) => [name, new RegExp(pattern)]),
);
const identifier = new RegExp(identifierPattern);

/** Reads path parameters. @throws AppError `not-found` for a value that no record can have */
export function readParams(params: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(params)) {
    if (!(parameters[name] ?? identifier).test(value)) throw notFound(`record with this ${name}`);
  }
  return params;
}

/** Reads query parameters in the types of the route's schema. @throws AppError `invalid-request` that names each parameter */
export function readQuery(operation: string, route: Route, params: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name);
    Object.defineProperty(query, name, {
      value: values.length === 1 ? values[0] : values,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  const errors = route.query
    ? faultsOf(`${operation}Query` as SchemaName, query)
    : Object.keys(query).map((name) => ({ pointer: `/${name}`, detail: 'is not known here' }));
  if (errors.length === 0) return query;
  const named = errors.map(({ pointer, detail }) => ({ pointer: `?${pointer.slice(1)}`, detail }));
  throw invalidRequest(named);
}

/** Reads the body where the route has one; an action may come without. @throws AppError as `readJson`, and `invalid-request` */
export async function readBody(
  operation: string,
  route: Route,
  request: Request,
  incoming?: IncomingMessage,
): Promise<unknown> {
  if (!route.body) return undefined;
  const isEmpty =
    request.headers.get('content-length') === '0' ||
    (!incoming && request.body === null && !request.headers.has('transfer-encoding'));
  const isSilent = isEmpty || (!request.headers.has('content-length') && !request.headers.has('transfer-encoding'));
  const body = isSilent ? {} : await readJson(request, maxBodyBytes, incoming);
  const errors = faultsOf(`${operation}Body` as SchemaName, body);
  if (errors.length > 0) throw invalidRequest(errors);
  return body;
}

/** Reads `If-Match: "7"`; `*` or none means any version. @throws AppError `invalid-request` */
export function readIfVersion(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const version = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(header)?.[1];
  if (version === undefined) throw new AppError('invalid-request', 'If-Match must hold the ETag of the record.');
  return Number(version);
}
