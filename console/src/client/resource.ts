import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Answer, call, type Failure, failureFrom } from './api.ts';
import { lastKnown } from './last-known.ts';
import { type StreamEvent, useStream } from './stream.ts';

/** A record or list that a page shows. While it is read again, the last content stays visible so that nothing moves. */
export type Resource<T> = {
  data: T | null;
  etag: string | null;
  failure: Failure | null;
  isLoading: boolean;
  reload: () => Promise<void>;
  /** Replaces the shown content with an answer of the API. */
  replace: (data: T, etag?: string | null) => void;
};

type Options = {
  /** Stream events after which the content is read again. */
  on?: readonly string[];
  /** Which of these events are about the content. By default all. */
  isAbout?: (event: StreamEvent) => boolean;
  /** Least time between two reads that events cause, milliseconds. By default five seconds. */
  calmMs?: number;
  /** Reads again after so many milliseconds while the tab is visible, for changes that no stream reports. */
  everyMs?: number;
  /** How long to wait after a stream event, milliseconds: with jitter where many tabs read the same at once. */
  settle?: () => number;
};

/** All answers by key. Components that show the same read it once, and a page that was shown before appears at once. */
const queries = new QueryClient({ defaultOptions: { queries: { networkMode: 'always', retry: false } } });
queries.mount();

/** Delay before the next attempt while the service cannot be reached, milliseconds. */
const retryMs = 3000;

/** Forgets every answer that is not shown. */
export function forgetAnswers(): void {
  queries.removeQueries({ type: 'inactive' });
}

type Kept<T> = { data: T | undefined; reload: () => Promise<void>; change: (next: (before: T) => T) => void };

/**
 * Keeps what `read` makes of an answer, under a key (null: nothing), and reads it anew after events, regularly, and
 * while the service cannot be reached. `read` may ask what is known so far, and says a failure beside it.
 */
export function useKeptCurrent<T extends { failure: Failure | null }>(
  key: string | null,
  read: (before: () => T | undefined) => Promise<T>,
  { everyMs, ...events }: Options,
): Kept<T> {
  const [, draw] = useState({});
  const options = {
    queryKey: [key],
    queryFn: () => read(() => queries.getQueryData<T>([key])),
    enabled: key !== null,
    // Another component that shows the same keeps it current.
    staleTime: ({ observers }: { observers: unknown[] }) => (observers.length > 1 ? (everyMs ?? 0) : 0),
    refetchOnWindowFocus: everyMs === undefined ? false : ('always' as const),
    refetchInterval: ({ state }: { state: { data: T | undefined } }) =>
      state.data?.failure?.kind === 'offline' ? retryMs : (everyMs ?? (false as const)),
    notifyOnChangeProps: ['data' as const],
  };
  const observer = useMemo(() => new QueryObserver<T>(queries, options), []);
  observer.setOptions(options);
  useEffect(() => observer.subscribe(() => draw({})), [observer]);
  useReloadOn(key, events);
  return {
    data: observer.getCurrentResult().data,
    reload: useMemo(() => async () => void (await observer.refetch()), [observer]),
    change: (next) => queries.setQueryData<T>([key], (before) => before && next(before)),
  };
}

/** Reads `path` (null: nothing) and keeps it current. */
export function useResource<T>(path: string | null, options: Options = {}): Resource<T> {
  const { data, reload, change } = useKeptCurrent<Known<T>>(path, (before) => knownOf(path ?? '', before), options);
  return {
    data: data?.answer?.data ?? null,
    etag: data?.answer?.etag ?? null,
    failure: data?.failure ?? null,
    isLoading: path !== null && data === undefined,
    reload,
    replace: (next, etag = null) => change(() => ({ answer: { data: next, etag }, failure: null })),
  };
}

type Known<T> = { answer: Answer<T> | null; failure: Failure | null };

async function knownOf<T>(path: string, before: () => Known<T> | undefined): Promise<Known<T>> {
  try {
    return { answer: await call<T>('GET', path), failure: null };
  } catch (error) {
    const failure = failureFrom(error);
    return { answer: before()?.answer ?? withoutContact<T>(path, failure), failure };
  }
}

/**
 * The default `calmMs`: the first event causes a read soon, and further events within this time share one later read.
 */
const usualCalmMs = 5000;
/** Changes arrive in bursts, and one read covers a burst. */
const soon = () => 400;
/** By key, when the last read that events caused is or was due, milliseconds since 1970. */
const dueAt = new Map<string, number>();

/**
 * Reads a key anew soon after a stream event of the given kinds, and after the stream has reconnected or lost its place. Further events within
 * `calmMs` are covered by one later read, for all components that show it.
 */
function useReloadOn(
  key: string | null,
  { on = [], isAbout = () => true, calmMs = usualCalmMs, settle = soon }: Options,
): void {
  useStream((event) => {
    const isAnew = event.event === 'resumed' || event.event === 'reset';
    if (key === null || !(isAnew || (on.includes(event.event) && isAbout(event)))) return;
    const [now, due] = [Date.now(), dueAt.get(key) ?? 0];
    if (due > now) return;
    const wait = Math.max(settle(), due + calmMs - now);
    dueAt.set(key, now + wait);
    setTimeout(() => void queries.refetchQueries({ queryKey: [key], type: 'active' }), wait);
  });
}

/**
 * The last known answer if the service cannot be reached, else null. The shell shows when the service last answered.
 */
export function withoutContact<T>(path: string, failure: Failure | null): Answer<T> | null {
  return failure?.kind === 'offline' ? lastKnown<T>(path) : null;
}
