import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { bodyOf, invalidRequest, readBytes, tooLarge } from '../../shared/adapters/http/request-body.ts';
import { devicesOfTable, type ImportTable } from '../../shared/app/devices/import.ts';
import { AppError, notFound } from '../../shared/errors.ts';
import type { Call } from '../../shared/schema/call.ts';
import { maxImported } from '../../shared/schema/device/import.ts';
import type { Route } from '../../shared/schema/route.ts';
import { identifierPattern, type Operation, parameterPatterns, routes } from '../../shared/schema/routes.ts';
import { faultOfTexts } from '../../shared/schema/text.ts';
import { faultsOf, type SchemaName } from '../../shared/schema/validate.ts';

/** Largest body that the API accepts where a route does not name another limit: 64 KiB. */
const usualMaxBytes = 64 * 1024;

const parameters = Object.fromEntries(
  Object.entries(parameterPatterns).map(([name, pattern]) => [name, new RegExp(pattern)]),
);
const identifier = new RegExp(identifierPattern);

/**
 * Reads the parameters, query and body of a call and checks them with the schemas of its route.
 * @param incoming the message of Node's server behind the request, where there is one
 * @throws AppError `not-found`, `invalid-request`, `unsupported-media-type`, `payload-too-large`, `request-timeout`
 */
export async function readCall<Op extends Operation>(
  operation: Op,
  request: Request,
  params: Record<string, string>,
  incoming?: IncomingMessage,
): Promise<Call<Op>> {
  const route: Route = routes[operation];
  requireNames(params);
  const query = readQuery(operation, route, request.url);
  const body = await readBody(operation, route, request, incoming);
  // The values passed the schemas that the types are derived from. This is the only place that assigns the type.
  return { params, query, body } as Call<Op>;
}

/** @throws AppError `not-found` for a path parameter that cannot name any record */
function requireNames(params: Record<string, string>): void {
  for (const [name, value] of Object.entries(params)) {
    if (!(parameters[name] ?? identifier).test(value)) throw notFound(`record with this ${name}`);
  }
}

/** Reads query parameters in the types of the route's schema. @throws AppError `invalid-request` that names each parameter */
function readQuery(operation: string, route: Route, url: string): Record<string, unknown> {
  const params = url.includes('?') ? new URL(url).searchParams : new URLSearchParams();
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
  const unseen = errors.length === 0 ? faultOfTexts(query, null) : null;
  if (unseen) errors.push(unseen);
  if (errors.length === 0) return query;
  const named = errors.map(({ pointer, detail }) => ({ pointer: `?${pointer.slice(1)}`, detail }));
  throw invalidRequest(named);
}

/**
 * Reads the body where the route has one. An action may come without a body.
 * @param incoming the message of Node's server behind the request, where there is one
 * @throws AppError as `readBytes` and `bodyOf`, and `invalid-request`, `unsupported-media-type`
 */
async function readBody(
  operation: string,
  route: Route,
  request: Request,
  incoming?: IncomingMessage,
): Promise<unknown> {
  if (!route.body) return undefined;
  const { headers } = request;
  const isTable = route.columns !== undefined && isCsv(headers);
  if (isAnnounced(headers) && !isTable) requireJson(headers);
  const bytes = await bytesOf(request, incoming, route.maxBodyBytes ?? usualMaxBytes);
  if (bytes.length > 0 && !isTable) requireJson(headers);
  const body = isTable ? await tableBody(operation, bytes) : bytes.length > 0 ? bodyOf(bytes) : {};
  const errors = faultsOf(`${operation}Body` as SchemaName, body);
  if (errors.length > 0) throw invalidRequest(errors);
  return body;
}

/** Whether the head of a request says that a body follows. */
function isAnnounced(headers: Headers): boolean {
  const length = headers.get('content-length');
  return length === null ? headers.has('transfer-encoding') : length !== '0';
}

/** @throws AppError as `readBytes` */
async function bytesOf(request: Request, incoming: IncomingMessage | undefined, maxBytes: number): Promise<Buffer> {
  const { headers } = request;
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  // HTTP/2 and streams do not announce a length. An HTTP/1 message that announces none ends with its head (RFC 9112, section 6.3).
  if (!isAnnounced(headers) && incoming?.httpVersionMajor === 1) return Buffer.alloc(0);
  return readBytes(incoming ?? streamOf(request), maxBytes);
}

/** Operations whose body may be a table, and how to read its rows. */
const tables: Record<string, (table: ImportTable) => unknown> = { importDevices: devicesOfTable };

async function tableBody(operation: string, bytes: Buffer): Promise<unknown> {
  const { readTable } = await import('../../shared/adapters/http/csv.ts');
  const body = tables[operation]?.(readTable(bytes, maxImported));
  const fault = faultOfTexts(body, null);
  if (fault) throw invalidRequest([fault]);
  return body;
}

function isCsv(headers: Headers): boolean {
  if (mediaType(headers) !== 'text/csv') return false;
  requirePlain(headers);
  return true;
}

function mediaType(headers: Headers): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
}

function requirePlain(headers: Headers): void {
  if (!headers.has('content-encoding')) return;
  throw new AppError('unsupported-media-type', 'Send the body without a content encoding.');
}

function requireJson(headers: Headers): void {
  requirePlain(headers);
  const type = mediaType(headers);
  if (type === 'application/json' || type?.endsWith('+json')) return;
  throw new AppError('unsupported-media-type', 'Send the body as application/json.');
}

function streamOf({ body }: Request): Readable {
  return body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]);
}

/** Reads `If-Match: "7"`; `*` or none means any version. @throws AppError `invalid-request` */
export function readIfVersion(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null;
  const version = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(header)?.[1];
  if (version === undefined) throw new AppError('invalid-request', 'If-Match must hold the ETag of the record.');
  return Number(version);
}
