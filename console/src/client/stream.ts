import { useEffect, useRef } from 'preact/hooks';
import { createEventReader, type ServerSentEvent, WatchpostError } from '../../../sdk/typescript/src/index.ts';
import type { Alert } from '../../../shared/schema/alert/alert.ts';
import { createStore } from '../store.ts';
import { clientOfPage } from './api.ts';
import { accessToken, renew } from './auth.ts';
import { openLine } from './tabs.ts';

/**
 * A change from the service: `alert`, `incident`, `device` or `fleet`. Or a sign that changes may be missing: `reset`
 * from the service, `resumed` from the console itself.
 */
export type StreamEvent = { event: string; data: unknown };
export type StreamState = 'off' | 'connecting' | 'live' | 'unsupported';

export const streamState = createStore<StreamState>('off');
const listeners = new Set<(event: StreamEvent) => void>();
let stopCurrent: (() => void) | null = null;

/** Pauses between attempts to connect, milliseconds; the last one repeats. */
const pausesMs = [500, 1000, 2000, 5000, 10_000];
/** A stream without data for longer than three of the service's heartbeats (15 s each) counts as broken. */
const silenceMs = 50_000;
/**
 * The service sends data at once. If none arrives for this long, a proxy holds the answer back until it ends (Firebase Hosting does this).
 */
const heldBackMs = 20_000;
/**
 * Behind such a proxy the pages are read again at this interval, milliseconds. After `pollsUntilRetry` reads the stream
 * is tried again.
 */
const pollEveryMs = 15_000;
const pollsUntilRetry = 20;

/**
 * Follows the service's stream until stopped, and resumes after a break. The tabs of one person share one stream, which one tab follows for all.
 * @param who the person and their rights: tabs share a stream only if these are equal
 */
export function startStream(who = ''): void {
  stopStream();
  const control = new AbortController();
  stopCurrent = () => control.abort();
  const { signal } = control;
  const position = { lastEventId: '' };
  const line = openLine<Said>(`watchpost.stream ${who}`, signal, {
    lead: (say) => {
      const notify = () => say({ kind: 'state', state: streamState.get() });
      const unwatch = streamState.watch(notify);
      const pass = (event: StreamEvent) => say({ kind: 'event', event, id: position.lastEventId });
      listeners.add(pass);
      notify();
      return follow(signal, position).finally(() => {
        unwatch();
        listeners.delete(pass);
      });
    },
    join: (said) => {
      if (said.kind === 'state') return turn(said.state);
      // The next leading tab continues here.
      position.lastEventId = said.id;
      announce(said.event);
    },
    answer: () => ({ kind: 'state', state: streamState.get() }),
  });
  isLeading = line.isLeading;
  streamState.set('connecting');
}

type Said = { kind: 'event'; event: StreamEvent; id: string } | { kind: 'state'; state: StreamState };
let isLeading = () => true;

/** Whether this tab follows the stream for all tabs. It then also makes announcements that must be heard only once. */
export function leadsStream(): boolean {
  return isLeading();
}

export function stopStream(): void {
  stopCurrent?.();
  stopCurrent = null;
  streamState.set('off');
}

/** The alert of an event, in its present state. Null: the event is about something else, or the alert no longer exists. */
export function alertOf({ event, data }: StreamEvent): Alert | null {
  return event === 'alert' ? ((data as { alert?: Alert | null } | null)?.alert ?? null) : null;
}

/** Whether an event is about a record. An event without an id may be about any record. */
export function isAbout(noun: 'alerts' | 'incidents', id: string): (event: StreamEvent) => boolean {
  return (event) => {
    if (noun === 'alerts') return event.event === 'alert' && (alertOf(event)?.alertId ?? id) === id;
    if (event.event !== 'incident') return false;
    const { incident } = (event.data ?? {}) as { incident?: { incidentId?: string } };
    return (incident?.incidentId ?? id) === id;
  };
}

/** Calls `listener` with each change while the component is shown. */
export function useStream(listener: (event: StreamEvent) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const forward = (event: StreamEvent) => latest.current(event);
    listeners.add(forward);
    return () => void listeners.delete(forward);
  }, []);
}

/** Answers of a service, or of a proxy before it, that has no stream for this page. */
const refusals: ReadonlySet<number | 'held-back'> = new Set([403, 404, 405, 501]);

async function follow(signal: AbortSignal, position: { lastEventId: string }): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    if (streamState.get() !== 'unsupported') streamState.set('connecting');
    try {
      const token = accessToken();
      const status = await connect(position, signal, () => {
        failures = 0;
      });
      if (status === 401 && (await renew(token)) === 'ended') return;
      if (status === 'held-back') {
        await poll(signal);
        continue;
      }
      if (refusals.has(status)) return streamState.set('unsupported');
    } catch {
      // The connection broke. The next attempt follows after a pause.
    }
    if (signal.aborted) return;
    streamState.set('connecting');
    await pause(pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 10_000, signal);
  }
}

/** Makes the pages read again, as after a broken connection. */
async function poll(signal: AbortSignal): Promise<void> {
  streamState.set('unsupported');
  for (let polls = 0; polls < pollsUntilRetry && !signal.aborted; polls += 1) {
    announce({ event: 'resumed', data: null });
    await pause(pollEveryMs, signal);
  }
}

/**
 * One connection, from beginning to end. Unlike `changes` of the client it waits only `heldBackMs` for the first data,
 * to detect a proxy that holds answers back.
 * @returns the HTTP status, also after the service has ended the stream; `held-back` if a proxy holds it back
 * @throws Error if the connection breaks
 */
async function connect(
  position: { lastEventId: string },
  signal: AbortSignal,
  onOpen: () => void,
): Promise<number | 'held-back'> {
  const silence = new AbortController();
  let isOpen = false;
  const read = createEventReader();
  let timer = setTimeout(() => silence.abort(), heldBackMs);
  try {
    const either = AbortSignal.any([signal, silence.signal]);
    const response = await clientOfPage().open('/v1/stream', { headers: headersAfter(position), signal: either });
    if (!response.body) return response.status;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return response.status;
      if (!isOpen) {
        isOpen = true;
        onOpen();
        turn('live');
      }
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      for (const sent of read(value)) receive(sent, position);
    }
  } catch (error) {
    if (silence.signal.aborted && !isOpen) return 'held-back';
    return statusOf(error);
  } finally {
    clearTimeout(timer);
  }
}

function headersAfter({ lastEventId }: { lastEventId: string }): Record<string, string> {
  return { Accept: 'text/event-stream', ...(lastEventId ? { 'Last-Event-ID': lastEventId } : {}) };
}

/** The status with which the service refused. @throws the error, if it did not answer */
function statusOf(error: unknown): number {
  if (error instanceof WatchpostError && error.status > 0) return error.status;
  throw error;
}

function receive({ id, event, data }: ServerSentEvent, position: { lastEventId: string }): void {
  if (id !== null) position.lastEventId = id;
  if (data === null) return;
  try {
    announce({ event, data: JSON.parse(data) });
  } catch {
    announce({ event, data: null });
  }
}

/**
 * When the stream becomes live, the pages read again, because this tab may have missed changes since their last read.
 */
function turn(state: StreamState): void {
  const isBack = state === 'live' && streamState.get() !== 'live';
  streamState.set(state);
  if (isBack) announce({ event: 'resumed', data: null });
}

function announce(event: StreamEvent): void {
  for (const listener of listeners) listener(event);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
    // A computer whose network comes back skips the rest of the pause.
    addEventListener('online', stop, { once: true });
  });
}
