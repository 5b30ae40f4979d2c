import { passingProblem, WatchpostError } from './problem.ts';
import type { RetryLimits, Runtime } from './retry.ts';
import { createEventReader, type ServerSentEvent } from './server-sent-events.ts';
import type { Schemas } from './types.ts';

/** One change of the stream. The stream can be resumed after a change that has an `id`. */
export type Change = { id: string | null } & (
  | { event: 'alert'; data: { change: string; at: string; who: string; alert: Schemas['Alert'] | null } }
  | { event: 'incident'; data: { change: string; at: string; who: string; incident: Schemas['Incident'] } }
  | { event: 'device'; data: { deviceId: string; change: string; at: string; who: string; summary: string } }
  /** Counts of the fleet may have changed. */
  | { event: 'fleet'; data: { at: string } }
  /** More changes were missed than the service can repeat: read again everything that you keep. */
  | { event: 'reset'; data: { at: string } }
);

export type ChangesOptions = {
  /** Resumes after this change of an earlier run. */
  after?: string;
  signal?: AbortSignal;
  /**
   * Called each time the stream opens (`error` is null), and each time it breaks and will be reopened. A stream that
   * ends without an error is reopened without the call for `broken`.
   */
  onState?: (state: 'open' | 'broken', error: WatchpostError | null) => void;
};

type Stream = {
  runtime: Runtime;
  retries: RetryLimits;
  /**
   * Opens the stream after a change.
   * @throws WatchpostError
   */
  open: (lastEventId: string | null, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
};

/** The service sends a comment every 15 seconds. After this much silence the connection counts as lost. */
const silenceMs = 50_000;
/**
 * Maximum number of remembered ids. A change may become visible late, so after a break the service also repeats changes
 * from shortly before the position. These duplicates are dropped.
 */
const mostRemembered = 5000;

/**
 * Follows the stream, reopens it where it broke, and yields each change once. Ends when `signal` aborts.
 * @throws WatchpostError for a refusal
 */
export async function* changesOf(stream: Stream, options: ChangesOptions): AsyncGenerator<Change, void> {
  const { runtime, retries } = stream;
  const { after = null, signal, onState } = options;
  const position: Position = { id: after, pauseMs: 1000, failures: 0, seen: new Set(after === null ? [] : [after]) };
  for (; !signal?.aborted; position.failures += 1) {
    try {
      yield* newChanges(stream, position, options);
    } catch (error) {
      if (signal?.aborted) return;
      const problem = passingProblem(error);
      onState?.('broken', problem);
    }
    if (signal?.aborted) return;
    const backoffMs = position.pauseMs * 2 ** Math.min(position.failures, 5) * (0.5 + runtime.random() / 2);
    await runtime.pause(Math.min(backoffMs, retries.longestPauseMs), signal).catch(() => {});
  }
}

/** Where the stream is resumed, the ids that it has yielded, and how long to wait after so many failures in a row. */
type Position = { id: string | null; pauseMs: number; failures: number; seen: Set<string> };

/** The changes of one connection that were not yielded before. Moves the position. @throws WatchpostError */
async function* newChanges(
  stream: Stream,
  position: Position,
  { signal, onState }: ChangesOptions,
): AsyncGenerator<Change, void> {
  for await (const sent of connection(stream, position.id, signal)) {
    if (sent === 'open') {
      onState?.('open', null);
      continue;
    }
    position.failures = 0;
    position.pauseMs = sent.retryMs ?? position.pauseMs;
    const change = changeOf(sent);
    if (change !== null && isNew(change, position.seen)) yield change;
    // The position moves only now: a caller that stops at this change has not handled it.
    position.id = sent.id ?? position.id;
  }
}

/** One connection, from its beginning to its end. @throws WatchpostError */
async function* connection(
  { runtime, open }: Stream,
  lastEventId: string | null,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent | 'open', void> {
  const own = new AbortController();
  const stop = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const body = await open(lastEventId, own.signal).finally(() => signal?.removeEventListener('abort', stop));
  signal?.addEventListener('abort', stop, { once: true });
  const reader = body.getReader();
  try {
    yield 'open';
    const decoder = new TextDecoder();
    const read = createEventReader();
    for (;;) {
      const { value, done } = await unlessSilent(runtime, own.signal, reader.read());
      if (done) return;
      yield* read(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    throw error instanceof WatchpostError ? error : broken(error);
  } finally {
    signal?.removeEventListener('abort', stop);
    own.abort();
    await reader.cancel().catch(() => {});
  }
}

/** Returns the result of a promise. Throws if that takes longer than `silenceMs`, or when `signal` aborts. */
async function unlessSilent<T>(runtime: Runtime, signal: AbortSignal, waited: Promise<T>): Promise<T> {
  const heard = new AbortController();
  const silence = runtime.pause(silenceMs, AbortSignal.any([signal, heard.signal])).then(() => {
    throw broken('it has been silent for too long');
  });
  return Promise.race([waited, silence]).finally(() => heard.abort());
}

function broken(cause: unknown): WatchpostError {
  return new WatchpostError({
    code: 'unreachable',
    status: 0,
    title: 'The stream broke',
    detail: `The stream broke: ${cause instanceof Error ? cause.message : String(cause)}.`,
    cause,
  });
}

function changeOf({ id, event, data }: ServerSentEvent): Change | null {
  if (data === null) return null;
  try {
    return { id, event, data: JSON.parse(data) } as Change;
  } catch (error) {
    throw broken(error);
  }
}

/** Whether a change was not seen before. Remembers its id. */
function isNew({ id }: Change, seen: Set<string>): boolean {
  if (id === null) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  for (const oldest of seen) {
    if (seen.size <= mostRemembered) break;
    seen.delete(oldest);
  }
  return true;
}
