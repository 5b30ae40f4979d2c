import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Alert, AlertList as AlertListAnswer } from '../../../../shared/schema/alert/alert.ts';
import { type Failure, failureFrom, read } from '../../client/api.ts';
import { useReloadOn, useRetry, withoutContact } from '../../client/resource.ts';
import { type Query, searchOf } from '../../client/router.ts';
import { alertOf, useStream } from '../../client/stream.ts';
import { fits, orderOf, withChanges } from './alert-match.ts';

type Counts = NonNullable<AlertListAnswer['counts']>;
type State = {
  key: string;
  alerts: readonly Alert[];
  counts: Counts | null;
  next: string | null;
  isLoading: boolean;
  failure: Failure | null;
};

export type AlertList = {
  alerts: readonly Alert[];
  hasMore: boolean;
  /** The number of matching alerts, if the service counted them. */
  total: number | null;
  isLoading: boolean;
  failure: Failure | null;
  loadMore: () => void;
  reload: () => void;
  /** Replaces an alert with its new state. An alert that no longer matches the filters stays until the next read. */
  put: (alert: Alert) => void;
};

/** Changes within this time are drawn together, milliseconds. */
const settleMs = 300;
/** Least time between two reads of the list that events cause, milliseconds. */
const calmMs = 15_000;
/** Alerts per request: the service's largest page. */
const pageSize = '200';

/** The alerts of `path` that match `filters`, read page by page and kept current by the stream. */
export function useAlertList(path: string, filters: Query): AlertList {
  const key = `${path}?${searchOf(filters)}`;
  const [state, setState] = useState<State>(() => blank(key));
  const latest = useRef(state);
  latest.current = state.key === key ? state : blank(key);
  const busy = useRef<string | null>(null);

  const fetchPage = useCallback(
    async (token: string | null, keepRest: boolean) => {
      const mark = `${key} ${token}`;
      if (busy.current === mark) return;
      busy.current = mark;
      const result = await read<AlertListAnswer>(path, { ...filters, pageSize, pageToken: token ?? undefined }).then(
        (page): Result => ({ page, failure: null }),
        (error): Result => ({ page: null, failure: failureFrom(error) }),
      );
      if (busy.current === mark) busy.current = null;
      setState((previous) =>
        withPage(previous.key === key ? previous : blank(key), result, { token, keepRest, filters }),
      );
    },
    [key],
  );
  useEffect(() => {
    setState(blank(key));
    void fetchPage(null, false);
  }, [key, fetchPage]);
  // Events contain the changed alerts. Everything else, such as counts, is read at longer intervals.
  useReloadOn(['alert'], () => fetchPage(null, true), { calmMs });
  useChanges((changes) =>
    setState((previous) =>
      previous.key === key
        ? { ...previous, alerts: withChanges(previous.alerts, changes, filters, previous.next !== null) }
        : previous,
    ),
  );
  const put = useCallback((alert: Alert) => setState((previous) => replaced(previous, alert, filters)), [key]);
  const loadMore = useCallback(() => {
    const { next, isLoading, failure } = latest.current;
    if (next && !isLoading && !failure) void fetchPage(next, false);
  }, [fetchPage]);
  const reload = useCallback(() => void fetchPage(null, true), [fetchPage]);
  const { alerts, counts, next, isLoading, failure } = latest.current;
  const total = totalOf(counts, filters);
  useRetry(failure, reload);
  return useMemo(
    () => ({ alerts, total, hasMore: next !== null, isLoading, failure, loadMore, reload, put }),
    [alerts, total, next, isLoading, failure, loadMore, reload, put],
  );
}

type Result = { page: AlertListAnswer; failure: null } | { page: null; failure: Failure };
type Asked = { token: string | null; keepRest: boolean; filters: Query };

/** The list after an answer: the next page is appended, and a first page replaces the previous first page. */
function withPage(before: State, { page, failure }: Result, { token, keepRest, filters }: Asked): State {
  if (!page)
    return { ...before, ...(before.alerts.length > 0 ? {} : lastOf(before.key, failure)), isLoading: false, failure };
  const next = page.nextPageToken ?? null;
  const fresh = { key: before.key, counts: page.counts ?? before.counts, isLoading: false, failure: null };
  if (token) return { ...fresh, alerts: merged(before.alerts, page.alerts), next };
  if (!keepRest || before.alerts.length <= page.alerts.length || next === null) {
    return { ...fresh, alerts: page.alerts, next };
  }
  const alerts = withHead(page.alerts, before.alerts, String(filters['orderBy'] ?? ''));
  return { ...fresh, alerts, next: before.next };
}

/** The last known first page, if the service cannot be reached. */
function lastOf(key: string, failure: Failure): Partial<State> {
  const last = withoutContact<AlertListAnswer>(`${key}${key.endsWith('?') ? '' : '&'}pageSize=${pageSize}`, failure);
  return last ? { alerts: last.data.alerts, counts: last.data.counts ?? null } : {};
}

function blank(key: string): State {
  return { key, alerts: [], counts: null, next: null, isLoading: true, failure: null };
}

/** What was snoozed leaves a list of what is not; everything else stays until the next read, so that rows do not move. */
function replaced(state: State, alert: Alert, filters: Query): State {
  const index = state.alerts.findIndex(({ alertId }) => alertId === alert.alertId);
  if (index < 0) return state;
  const isGone = alert.snoozedUntil !== null && fits(alert, filters) === false;
  return { ...state, alerts: isGone ? state.alerts.toSpliced(index, 1) : state.alerts.with(index, alert) };
}

function merged(before: readonly Alert[], page: readonly Alert[]): Alert[] {
  const known = new Set(before.map(({ alertId }) => alertId));
  return [...before, ...page.filter(({ alertId }) => !known.has(alertId))];
}

/** The new first page, followed by the further pages read before. */
function withHead(head: readonly Alert[], before: readonly Alert[], orderBy: string): Alert[] {
  const last = head.at(-1);
  const order = orderOf(orderBy);
  return merged(head, last ? before.filter((alert) => order(alert, last) > 0) : before);
}

/** The number of matching alerts from the counts of open alerts. Null if the filters also include others. */
function totalOf(counts: Counts | null, filters: Query): number | null {
  const statuses = [filters['status'] ?? 'open'].flat();
  if (!counts) return null;
  let total = 0;
  for (const status of new Set(statuses.flatMap((each) => (each === 'open' ? openStatuses : [each])))) {
    if (!isCounted(status)) return null;
    total += counts[status];
  }
  return total;
}

const openStatuses = ['active', 'acknowledged', 'escalated'];

function isCounted(status: string): status is keyof Counts {
  return openStatuses.includes(status);
}

/** Calls `take` with the alerts of events, a few times per second at most. */
function useChanges(take: (changes: readonly Alert[]) => void): void {
  const waiting = useRef<Alert[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const latest = useRef(take);
  latest.current = take;
  useStream((event) => {
    const alert = alertOf(event);
    if (!alert) return;
    waiting.current.push(alert);
    timer.current ??= setTimeout(() => {
      timer.current = null;
      latest.current(waiting.current.splice(0));
    }, settleMs);
  });
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
}
