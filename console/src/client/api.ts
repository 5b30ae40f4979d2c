import { type Client, createClient, WatchpostError } from '../../../sdk/typescript/src/index.ts';
import type { AnswerTo, CallOf, OperationAt, PathOf } from '../../../shared/schema/call.ts';
import type { Route } from '../../../shared/schema/route.ts';
import { createStore } from '../store.ts';
import { accessToken, renew } from './auth.ts';
import { keepLast } from './last-known.ts';
import { type Query, searchOf } from './router.ts';

/** The API's answer to a request that it refused, or the reason why no answer came. */
export type Failure = {
  kind: 'offline' | 'signed-out' | 'forbidden' | 'missing' | 'unsupported' | 'conflict' | 'invalid' | 'failed';
  status: number;
  code: string;
  title: string;
  detail: string;
  /** Faulty members, by JSON Pointer. */
  errors: { pointer: string; detail: string }[];
};

export class ApiError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.detail || failure.title);
    this.failure = failure;
  }
}

export type Answer<T> = { data: T; etag: string | null };
/** `table`: a body that is CSV instead of JSON. */
type Options = { query?: Query; body?: unknown; table?: string; ifMatch?: string | null; signal?: AbortSignal };

/** Whether the last call reached the API. */
export const reachable = createStore(true);

/**
 * Calls the API.
 * @throws ApiError for every answer that is not 2xx, and if there is no answer; DOMException `AbortError` when `signal`
 * aborts
 */
export async function call<T>(method: string, path: string, options: Options = {}): Promise<Answer<T>> {
  const token = accessToken();
  try {
    return await send<T>(method, path, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.failure.status !== 401) throw error;
    const renewal = await renew(token);
    if (renewal === 'unreachable') throw new ApiError(noConnection());
    if (renewal === 'ended') throw error;
    return send<T>(method, path, options);
  }
}

/**
 * Calls an operation of the API by its method and path. The compiler checks path, parameters, query and body against the routes, and knows the type
 * of the answer.
 * @throws ApiError, DOMException as `call`
 */
export function ask<Method extends Route['method'], Path extends PathOf<Method>>(
  method: Method,
  path: Path,
  given: CallOf<OperationAt<Method, Path>> & Pick<Options, 'ifMatch' | 'signal'>,
): Promise<Answer<AnswerTo<OperationAt<Method, Path>>>> {
  const { params = {}, query, ...options }: Asked = given;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return call(method.toUpperCase(), filled, { ...options, query: query ? textsOf(query) : {} });
}

type Asked = { params?: Record<string, string>; query?: Record<string, unknown> } & Omit<Options, 'query'>;

function textsOf(query: Record<string, unknown>): Query {
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : String(value));
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, texts(value)]));
}

export async function read<T>(path: string, query?: Query): Promise<T> {
  return (await call<T>('GET', path, query ? { query } : {})).data;
}

export async function write<T>(method: string, path: string, body?: unknown, ifMatch?: string | null): Promise<T> {
  return (await call<T>(method, path, { body: body ?? {}, ifMatch: ifMatch ?? null })).data;
}

/** Reads a file that is not JSON. @throws ApiError for every answer that is not 2xx, and if there is no answer */
export async function readBytes(path: string): Promise<Blob> {
  try {
    return await (await clientOfPage().open(path)).blob();
  } catch (error) {
    throw error instanceof WatchpostError ? new ApiError(failureOf(error)) : error;
  }
}

/** A path of the API from its parts, each escaped. */
export function at(...parts: string[]): string {
  return `/v1/${parts.map(encodeURIComponent).join('/')}`;
}

/** Describes an error in words for the operator. */
export function failureFrom(error: unknown): Failure {
  if (error instanceof ApiError) return error.failure;
  return { ...blank, kind: 'failed', title: 'That did not work', detail: String(error) };
}

const blank = { status: 0, code: '', detail: '', errors: [] };

let client: Client | null = null;

/** The same client that other programs use. It does not retry by itself, because pages retry and show it. */
export function clientOfPage(): Client {
  client ??= createClient({
    baseUrl: location.origin,
    token: () => accessToken() ?? '',
    timeoutMs: 120_000,
    retries: { attempts: 1 },
    runtime: { fetch: (url, init) => fetch(url.slice(location.origin.length), { ...init, cache: 'no-store' }) },
  });
  return client;
}

async function send<T>(method: string, path: string, options: Options): Promise<Answer<T>> {
  const { query, body, table, ifMatch, signal } = options;
  const search = query ? searchOf(query).toString() : '';
  try {
    const answer = await clientOfPage().request<T>(method, search ? `${path}?${search}` : path, {
      ...(body === undefined ? {} : { body }),
      ...(table === undefined ? {} : { csv: table }),
      ...(ifMatch ? { ifMatch } : {}),
      ...(signal ? { signal } : {}),
    });
    reachable.set(true);
    if (method === 'GET') keepLast(search ? `${path}?${search}` : path, answer);
    return answer;
  } catch (error) {
    throw error instanceof WatchpostError ? new ApiError(failureOf(error)) : error;
  }
}

function noConnection(): Failure {
  reachable.set(false);
  const detail = 'The service cannot be reached. The console keeps trying.';
  return { ...blank, kind: 'offline', title: 'No connection', detail };
}

function failureOf({ status, code, title, detail, errors }: WatchpostError): Failure {
  if (status === 0) return noConnection();
  reachable.set(status !== 502 && status !== 504);
  const isOurs = code !== 'unexpected';
  return {
    kind: kindOf(status, detail),
    status,
    code: isOurs ? code : '',
    title: isOurs ? title : `The service answered ${status}`,
    detail,
    errors: [...errors],
  };
}

/** The service answers 404 for an unknown path and for an unknown record. This is its wording for an unknown path. */
const unknownPath = /no such path/i;

function kindOf(status: number, detail: string | undefined): Failure['kind'] {
  if (status === 401) return 'signed-out';
  if (status === 403) return 'forbidden';
  if (status === 405 || status === 501 || (status === 404 && unknownPath.test(detail ?? ''))) return 'unsupported';
  if (status === 404) return 'missing';
  if (status === 409 || status === 412) return 'conflict';
  if (status === 400 || status === 413) return 'invalid';
  return status === 502 || status === 503 || status === 504 ? 'offline' : 'failed';
}
