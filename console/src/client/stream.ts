import { useEffect, useRef } from 'preact/hooks';
import { createEventReader, type ServerSentEvent } from '../../../sdk/typescript/src/index.ts';
import { createStore } from '../store.ts';
import { accessToken, renew } from './auth.ts';

/** One change as the service tells it: `alert`, `device` or `fleet`. */
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
/** Behind such a proxy the pages are read again this often, and the stream is tried again after a while. */
const pollEveryMs = 15_000;
const pollsUntilRetry = 20;

/** Follows the service's stream until stopped, and resumes after a break. */
export function startStream(): void {
  stopStream();
  const control = new AbortController();
  stopCurrent = () => control.abort();
  void follow(control.signal);
}

export function stopStream(): void {
  stopCurrent?.();
  stopCurrent = null;
  streamState.set('off');
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

async function follow(signal: AbortSignal): Promise<void> {
  const position = { lastEventId: '' };
  for (let failures = 0; !signal.aborted; failures += 1) {
    if (streamState.get() !== 'unsupported') streamState.set('connecting');
    try {
      const token = accessToken();
      const status = await connect(token, position, signal, () => {
        if (failures > 0) announce({ event: 'resumed', data: null });
        failures = 0;
      });
      if (status === 401 && (await renew(token)) === 'ended') return;
      if (status === 'held-back') {
        await poll(signal);
        continue;
      }
      if (status === 403 || status === 404 || status === 405 || status === 501) {
        streamState.set('unsupported');
        return;
      }
    } catch {
      // The connection broke. The next attempt follows after a pause.
    }
    if (signal.aborted) return;
    streamState.set('connecting');
    await pause(pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 10_000, signal);
  }
}

/** Makes the pages read again, as after a break. */
async function poll(signal: AbortSignal): Promise<void> {
  streamState.set('unsupported');
  for (let polls = 0; polls < pollsUntilRetry && !signal.aborted; polls += 1) {
    announce({ event: 'resumed', data: null });
    await pause(pollEveryMs, signal);
  }
}

/** One connection, from its beginning to its end. EventSource cannot carry a bearer token, so the stream is read by hand. */
async function connect(
  token: string | null,
  position: { lastEventId: string },
  signal: AbortSignal,
  onOpen: () => void,
): Promise<number | 'held-back'> {
  const headers: Record<string, string> = {
    Authorization: `Bearer ${token ?? ''}`,
    Accept: 'text/event-stream',
  };
  if (position.lastEventId) headers['Last-Event-ID'] = position.lastEventId;
  const silence = new AbortController();
  let isOpen = false;
  const read = createEventReader();
  let timer = setTimeout(() => silence.abort(), heldBackMs);
  try {
    const response = await fetch('/v1/stream', { headers, signal: AbortSignal.any([signal, silence.signal]) });
    if (!response.ok || !response.body) return response.status;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return response.status;
      if (!isOpen) {
        isOpen = true;
        onOpen();
        streamState.set('live');
      }
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      for (const sent of read(value)) receive(sent, position);
    }
  } catch (error) {
    if (silence.signal.aborted && !isOpen) return 'held-back';
    throw error;
  } finally {
    clearTimeout(timer);
  }
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
    // A laptop that wakes up or reconnects to its network skips the rest of the pause.
    addEventListener('online', stop, { once: true });
  });
}
