import type { AnswerTo, CallOf, OperationAt, PathOf } from '../../../shared/schema/call.ts';
import type { Route } from '../../../shared/schema/route.ts';
import { createStore } from '../store.ts';
import { accessToken, renew } from './auth.ts';
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

/** Whether the API could be reached lately. */
export const reachable = createStore(true);

/** Calls the API. @throws ApiError for every answer that is not 2xx; DOMException `AbortError` when `signal` aborts */
export async function call<T>(method: string, path: string, options: Options = {}): Promise<Answer<T>> {
  const response = await answered(method, path, options);
  const text = await response.text();
  return { data: (text ? JSON.parse(text) : null) as T, etag: response.headers.get('ETag') };
}

/** Reads a file. @throws ApiError as `call` */
export async function readBytes(path: string): Promise<Blob> {
  return (await answered('GET', path, {})).blob();
}

async function answered(method: string, path: string, options: Options): Promise<Response> {
  const token = accessToken();
  let response = await send(method, path, options, token);
  if (response.status === 401) {
    const renewal = await renew(token);
    if (renewal === 'unreachable') throw new ApiError(noConnection());
    if (renewal === 'renewed') response = await send(method, path, options, accessToken());
  }
  if (!response.ok) throw new ApiError(await failureOf(response));
  return response;
}

/**
 * Calls an operation of the API by its method and path. The compiler holds path, parameters, query and body against the routes, and knows
 * the answer.
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

async function send(
  method: string,
  path: string,
  { query, body, table, ifMatch, signal }: Options,
  token: string | null,
): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token ?? ''}` };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (table !== undefined) headers['Content-Type'] = 'text/csv; charset=utf-8';
  if (ifMatch) headers['If-Match'] = ifMatch;
  const search = query ? searchOf(query).toString() : '';
  const init: RequestInit = { method, headers, cache: 'no-store' };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (table !== undefined) init.body = table;
  if (signal) init.signal = signal;
  try {
    const response = await fetch(search ? `${path}?${search}` : path, init);
    reachable.set(response.status !== 502 && response.status !== 504);
    return response;
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(noConnection());
  }
}

function noConnection(): Failure {
  reachable.set(false);
  const detail = 'The service cannot be reached. The console keeps trying.';
  return { ...blank, kind: 'offline', title: 'No connection', detail };
}

async function failureOf(response: Response): Promise<Failure> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Omit<Failure, 'kind'>>;
  const { status } = response;
  return {
    kind: kindOf(status, problem.detail),
    status,
    code: problem.code ?? '',
    title: problem.title ?? `The service answered ${status}`,
    detail: problem.detail ?? '',
    errors: problem.errors ?? [],
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
