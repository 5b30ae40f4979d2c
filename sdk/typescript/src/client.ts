import { type Change, type ChangesOptions, changesOf } from './changes.ts';
import { type EventPage, type EventsOptions, eventsOf } from './events.ts';
import { operationTable } from './generated/operations.ts';
import { errorOf, unreachable, WatchpostError } from './problem.ts';
import { defaultRetries, isRepeatable, type RetryLimits, type Runtime, withRetries } from './retry.ts';
import type { AnswerTo, CallOf, CallOptions, ItemOf, ListOperation, Operation } from './types.ts';

export type ClientOptions = {
  /** The address of the service, such as `https://watchpost.example.com`. Over plain `http:` a token is only sent to the local machine. */
  baseUrl: string;
  /** A bearer token of the service's issuer, or a function that returns one. The function is called before each request. */
  token: string | (() => string | Promise<string>);
  /** Time limit of one attempt, milliseconds. Default: 30,000. It does not apply to `open` and `changes`. */
  timeoutMs?: number;
  retries?: Partial<RetryLimits>;
  /** Replaces the network, the clock, timers or randomness, for example in tests. */
  runtime?: Partial<Runtime>;
};

/** An answer, with the `etag` to pass as `ifMatch` when the record is changed. */
export type Answered<Op extends Operation> = { data: AnswerTo<Op>; etag: string | null };

type CallArguments<Op extends Operation> =
  Record<never, never> extends CallOf<Op> ? [call?: CallOf<Op>] : [call: CallOf<Op>];

export type Client = {
  /**
   * Calls an operation of the API and waits for its answer. Calls that may be repeated are retried when the service or the network fails temporarily.
   * @throws WatchpostError
   */
  call<Op extends Operation>(operation: Op, ...call: CallArguments<Op>): Promise<Answered<Op>>;
  /**
   * Calls a path of the API, for example from a `Location` header. The type of its answer is not checked.
   * @throws WatchpostError
   */
  request<Answer>(method: string, path: string, given?: RequestOptions): Promise<{ data: Answer; etag: string | null }>;
  /**
   * Opens an answer that is not JSON, such as a file or a stream, for the caller to read. It is not retried.
   * @throws WatchpostError
   */
  open(path: string, given?: { headers?: Record<string, string>; signal?: AbortSignal }): Promise<Response>;
  /**
   * All items of a list. Pages are fetched as they are needed.
   * @throws WatchpostError
   */
  each<Op extends ListOperation>(operation: Op, ...call: CallArguments<Op>): AsyncGenerator<ItemOf<Op>, void>;
  /**
   * Yields changes as they happen, each once. Resumes after a broken connection. If changes were missed that the
   * service cannot repeat, it yields a `reset`.
   * @throws WatchpostError
   */
  changes(options?: ChangesOptions): AsyncGenerator<Change, void>;
  /**
   * Yields the events that webhooks send, page by page in order. Resumes after a broken connection.
   * @throws WatchpostError
   */
  events(options?: EventsOptions): AsyncGenerator<EventPage, void>;
};

/** The inputs of a call by path. `csv`: a table as the body. */
export type RequestOptions = CallOptions & { query?: Record<string, unknown>; body?: unknown; csv?: string };
/** The inputs of any operation, for code that does not know which operation it is. */
type Given = RequestOptions & { params?: Record<string, string> };

/** @throws TypeError for an address to which no token may be sent */
export function createClient(options: ClientOptions): Client {
  const sender = createSender(options);
  const { runtime, retries } = sender;
  const request = createRequester(sender, options.timeoutMs ?? 30_000);
  const ask = async (operation: Operation, { params = {}, ...given }: Given) => {
    const { method, path } = operationTable[operation];
    return request(method, filled(path, params), given);
  };
  return {
    call: (operation, ...[given]) => ask(operation, (given ?? {}) as Given) as Promise<never>,
    request: (method, path, given = {}) => request(method, path, given) as Promise<never>,
    open: (path, { headers = {}, signal } = {}) =>
      sender.send(`${sender.base}${path}`, { method: 'GET', headers, ...(signal ? { signal } : {}) }, signal),
    async *each(operation, ...[given]) {
      const { query = {}, ...rest } = (given ?? {}) as Given;
      const { list } = operationTable[operation];
      for (let pageToken: string | undefined; ; ) {
        const paged = { ...rest, query: { ...query, ...(pageToken === undefined ? {} : { pageToken }) } };
        const page = (await ask(operation, paged)).data as Record<string, unknown>;
        yield* page[list] as ItemOf<typeof operation>[];
        const next = page['nextPageToken'];
        if (typeof next !== 'string') return;
        pageToken = next;
      }
    },
    events: (events = {}) => {
      // The feed retries by itself and reports failures, so its requests are not retried here.
      const once = createRequester({ ...sender, retries: { ...retries, attempts: 1 } }, options.timeoutMs ?? 30_000);
      const { method, path } = operationTable.listEvents;
      const read = async (query: Record<string, unknown>, signal: AbortSignal | undefined) =>
        (await once(method, path, { query, ...(signal ? { signal } : {}) })).data as EventPage;
      return eventsOf({ runtime, retries, read }, events);
    },
    changes: (changes = {}) =>
      changesOf({ runtime, retries, open: (lastEventId, signal) => openStream(sender, lastEventId, signal) }, changes),
  };
}

type Sender = {
  base: string;
  runtime: Runtime;
  retries: RetryLimits;
  /**
   * Sends one request with the token.
   * @param stop the caller's own signal; `init.signal` may also end at the time limit
   * @throws WatchpostError for an answer that is not 2xx, or for no answer; the reason of `stop` if the caller aborted
   */
  send(
    url: string,
    init: RequestInit & { headers: Record<string, string> },
    stop: AbortSignal | undefined,
  ): Promise<Response>;
};

function createSender({ baseUrl, token, ...options }: ClientOptions): Sender {
  const runtime = { ...realRuntime, ...options.runtime };
  return {
    base: baseOf(baseUrl),
    runtime,
    retries: { ...defaultRetries, ...options.retries },
    async send(url, { headers, ...init }, stop) {
      const bearer = typeof token === 'string' ? token : await token();
      // Redirects are not followed, because the token belongs to this service.
      const whole = {
        ...init,
        headers: { ...headers, Authorization: `Bearer ${bearer}` },
        redirect: 'manual',
      } as const;
      const response = await runtime.fetch(url, whole).catch((error: unknown) => {
        throw reasonOf(stop) ?? unreachable(url, error);
      });
      if (response.ok) return response;
      throw await errorOf(response, runtime.nowMs());
    },
  };
}

/** Creates a function that calls any path, with retries. It does not check types. */
function createRequester({ base, runtime, retries, send }: Sender, timeoutMs: number) {
  return async (
    method: string,
    path: string,
    given: RequestOptions,
  ): Promise<{ data: unknown; etag: string | null }> => {
    const url = `${base}${path}${searchOf(given.query ?? {})}`;
    const { body, type } = bodyOf(given);
    const headers = {
      Accept: 'application/json',
      ...(type === null ? {} : { 'Content-Type': type }),
      ...(given.ifMatch === undefined ? {} : { 'If-Match': given.ifMatch }),
    };
    const repeatable = { isRepeatable: isRepeatable(method, given.ifMatch), signal: given.signal };
    return withRetries(runtime, retries, repeatable, async () => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = given.signal ? AbortSignal.any([given.signal, timeout]) : timeout;
      const response = await send(url, { method, headers, body, signal }, given.signal);
      const text = await response.text().catch((error: unknown) => {
        throw reasonOf(given.signal) ?? unreachable(url, error);
      });
      return { data: dataOf(response, text), etag: response.headers.get('ETag') };
    });
  };
}

async function openStream({ base, send }: Sender, lastEventId: string | null, signal: AbortSignal) {
  const headers = { Accept: 'text/event-stream', ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }) };
  const url = `${base}${operationTable.streamChanges.path}`;
  const { body } = await send(url, { method: 'GET', headers, signal }, signal);
  if (body === null) throw unreachable(base, new Error('the stream is empty'));
  return body;
}

/** Why the caller aborted. Null: the caller did not, so the network failed or the time limit passed. */
function reasonOf(stop: AbortSignal | undefined): unknown {
  return stop?.aborted ? stop.reason : null;
}

const realRuntime: Runtime = {
  fetch: (url, init) => fetch(url, init),
  nowMs: () => Date.now(),
  random: () => Math.random(),
  pause: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    }),
};

function baseOf(text: string): string {
  const url = new URL(text);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) {
    throw new TypeError(`A token is sent over https: only, not to ${url.origin}.`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('The address of the service holds no credentials, query or fragment.');
  }
  return url.href.replace(/\/+$/, '');
}

function filled(path: string, params: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    // URL parsers would resolve `.` and `..` as folders, and the call would become another one.
    if (!value || value === '.' || value === '..') throw new TypeError(`"${value ?? ''}" is no ${name}.`);
    return encodeURIComponent(value);
  });
}

function searchOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each));
  }
  return search.size === 0 ? '' : `?${search}`;
}

function bodyOf({ body, csv }: RequestOptions): { body: string | null; type: string | null } {
  if (csv !== undefined) return { body: csv, type: 'text/csv; charset=utf-8' };
  return body === undefined ? { body: null, type: null } : { body: JSON.stringify(body), type: 'application/json' };
}

function dataOf(response: Response, text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const detail = 'The answer is no JSON: is this the address of Watchpost?';
    throw new WatchpostError({ code: 'unexpected', status: response.status, title: 'No JSON', detail, cause });
  }
}
