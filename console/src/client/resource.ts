import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
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

/** Last answers by path, so that a page that was shown before appears at once. */
const remembered = new Map<string, Answer<unknown>>();
const rememberedAtMost = 60;
/**
 * The default `calmMs`: the first event causes a read soon, and further events within this time share one later read.
 */
const usualCalmMs = 5000;
/** Changes arrive in bursts, and one read covers a burst. */
const soon = () => 400;

export function forgetAnswers(): void {
  remembered.clear();
}

/** Reads `path` (null: nothing) and keeps it current. */
export function useResource<T>(
  path: string | null,
  { on = [], everyMs, isAbout, calmMs = usualCalmMs, settle = soon }: Options = {},
): Resource<T> {
  const [state, setState] = useState<State<T>>(() => initial(path));
  const latest = useRef(path);
  latest.current = path;
  const askedAt = useRef(0);
  const load = useCallback(async () => {
    if (path === null) return;
    askedAt.current = Date.now();
    const result = await call<T>('GET', path).then(
      (answer) => ({ answer, failure: null }),
      (error) => ({ answer: null, failure: failureFrom(error) }),
    );
    if (result.answer) remember(path, result.answer);
    if (latest.current !== path) return;
    setState((previous) => ({
      path,
      answer:
        result.answer ?? (previous.path === path ? previous.answer : null) ?? withoutContact<T>(path, result.failure),
      failure: result.failure,
      isLoading: false,
    }));
  }, [path]);
  useEffect(() => {
    setState(initial(path));
    void load();
    if (everyMs === undefined) return;
    // A hidden tab waits until it is visible. Events of the stream still reach it.
    const look = () => {
      if (!document.hidden) void load();
    };
    // Skips a regular read if the content was read less than `everyMs` ago, for example after an event.
    const lookIfDue = () => {
      if (Date.now() - askedAt.current >= everyMs) look();
    };
    const timer = setInterval(lookIfDue, everyMs / 4);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [path, load, everyMs]);
  useReloadOn(on, load, { isAbout, calmMs, settle });
  useRetry(state.failure, load);
  const shown = state.path === path ? state : initial<T>(path);
  return {
    data: shown.answer?.data ?? null,
    etag: shown.answer?.etag ?? null,
    failure: shown.failure,
    isLoading: shown.isLoading,
    reload: load,
    replace: (data, etag = null) => setState({ path, answer: { data, etag }, failure: null, isLoading: false }),
  };
}

type Calm = Pick<Options, 'isAbout' | 'calmMs' | 'settle'>;

/**
 * Calls `reload` soon after a stream event of the given kinds, and after the stream has reconnected or lost its place. Further events within
 * `calmMs` are covered by one later call.
 */
export function useReloadOn(
  events: readonly string[],
  reload: () => unknown,
  { isAbout, calmMs = 0, settle = soon }: { [M in keyof Calm]: Calm[M] | undefined } = {},
): void {
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const readAt = useRef(0);
  const latest = useRef({ reload, isAbout });
  latest.current = { reload, isAbout };
  useStream((event) => {
    const isAnew = event.event === 'resumed' || event.event === 'reset';
    if (!isAnew && !(events.includes(event.event) && (latest.current.isAbout?.(event) ?? true))) return;
    timer.current ??= setTimeout(
      () => {
        timer.current = null;
        readAt.current = Date.now();
        void latest.current.reload();
      },
      Math.max(settle(), readAt.current + calmMs - Date.now()),
    );
  });
  useEffect(
    () => () => {
      if (timer.current) clearTimeout(timer.current);
    },
    [],
  );
}

/** Delay before the next attempt while the service cannot be reached, milliseconds. */
const retryMs = 3000;

/** Tries again automatically while the service cannot be reached. */
export function useRetry(failure: Failure | null, reload: () => unknown): void {
  useEffect(() => {
    if (failure?.kind !== 'offline') return;
    const timer = setTimeout(() => void reload(), retryMs);
    return () => clearTimeout(timer);
  }, [failure, reload]);
}

/**
 * The last known answer if the service cannot be reached, else null. The shell shows when the service last answered.
 */
export function withoutContact<T>(path: string, failure: Failure | null): Answer<T> | null {
  return failure?.kind === 'offline' ? lastKnown<T>(path) : null;
}

type State<T> = { path: string | null; answer: Answer<T> | null; failure: Failure | null; isLoading: boolean };

function initial<T>(path: string | null): State<T> {
  const answer = path === null ? null : ((remembered.get(path) as Answer<T> | undefined) ?? null);
  return { path, answer, failure: null, isLoading: path !== null && answer === null };
}

function remember(path: string, answer: Answer<unknown>): void {
  remembered.delete(path);
  remembered.set(path, answer);
  const oldest = remembered.keys().next().value;
  if (remembered.size > rememberedAtMost && oldest !== undefined) remembered.delete(oldest);
}
