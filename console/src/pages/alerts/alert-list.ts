import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { type Failure, failureFrom, read } from '../../client/api.ts';
import { useReloadOn, useRetry } from '../../client/resource.ts';
import { type Query, searchOf } from '../../client/router.ts';
import { alertOf, useStream } from '../../client/stream.ts';

type Page = { alerts: Alert[]; nextPageToken?: string };
type State = { key: string; alerts: Alert[]; next: string | null; isLoading: boolean; failure: Failure | null };

export type AlertList = {
  alerts: readonly Alert[];
  hasMore: boolean;
  isLoading: boolean;
  failure: Failure | null;
  loadMore: () => void;
  reload: () => void;
  /** Replaces an alert with its new state. An alert that no longer matches the filters stays until the next read. */
  put: (alert: Alert) => void;
};

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
      const result = await read<Page>(path, { ...filters, pageSize, pageToken: token ?? undefined }).then(
        (page) => ({ page, failure: null }),
        (error) => ({ page: null, failure: failureFrom(error) }),
      );
      if (busy.current === mark) busy.current = null;
      setState((previous) => {
        const before = previous.key === key ? previous : blank(key);
        const { page, failure } = result;
        if (!page) return { ...before, isLoading: false, failure };
        const fresh = { key, isLoading: false, failure: null };
        if (token) return { ...fresh, alerts: merged(before.alerts, page.alerts), next: page.nextPageToken ?? null };
        if (!keepRest || before.alerts.length <= page.alerts.length || !page.nextPageToken) {
          return { ...fresh, alerts: page.alerts, next: page.nextPageToken ?? null };
        }
        return {
          ...fresh,
          alerts: withHead(page.alerts, before.alerts, String(filters['orderBy'] ?? '')),
          next: before.next,
        };
      });
    },
    [key],
  );
  useEffect(() => {
    setState(blank(key));
    void fetchPage(null, false);
  }, [key, fetchPage]);
  useReloadOn(['alert'], () => fetchPage(null, true));
  const put = useCallback((alert: Alert) => setState((previous) => replaced(previous, alert)), []);
  useStream((event) => {
    const alert = alertOf(event);
    if (alert) put(alert);
  });
  const loadMore = useCallback(() => {
    const { next, isLoading, failure } = latest.current;
    if (next && !isLoading && !failure) void fetchPage(next, false);
  }, [fetchPage]);
  const reload = useCallback(() => void fetchPage(null, true), [fetchPage]);
  const { alerts, next, isLoading, failure } = latest.current;
  useRetry(failure, reload);
  return useMemo(
    () => ({ alerts, hasMore: next !== null, isLoading, failure, loadMore, reload, put }),
    [alerts, next, isLoading, failure, loadMore, reload, put],
  );
}

function blank(key: string): State {
  return { key, alerts: [], next: null, isLoading: true, failure: null };
}

function replaced(state: State, alert: Alert): State {
  const index = state.alerts.findIndex(({ alertId }) => alertId === alert.alertId);
  return index < 0 ? state : { ...state, alerts: state.alerts.with(index, alert) };
}

function merged(before: readonly Alert[], page: readonly Alert[]): Alert[] {
  const known = new Set(before.map(({ alertId }) => alertId));
  return [...before, ...page.filter(({ alertId }) => !known.has(alertId))];
}

/** The new first page, followed by the further pages read before. */
function withHead(head: readonly Alert[], before: readonly Alert[], orderBy: string): Alert[] {
  const last = head.at(-1)?.timestamp ?? '';
  const isBehind = (alert: Alert) => (orderBy === 'timestamp asc' ? alert.timestamp > last : alert.timestamp < last);
  return merged(head, before.filter(isBehind));
}
