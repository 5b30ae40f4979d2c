import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Alert, AlertList as AlertListAnswer } from '../../../../shared/schema/alert/alert.ts';
import { type Failure, failureFrom, read } from '../../client/api.ts';
import { useKeptCurrent, withoutContact } from '../../client/resource.ts';
import { type Query, searchOf } from '../../client/router.ts';
import { alertOf, useStream } from '../../client/stream.ts';
import { fits, orderOf, withChanges } from './alert-match.ts';

type Counts = NonNullable<AlertListAnswer['counts']>;
type State = {
  alerts: readonly Alert[];
  counts: Counts | null;
  next: string | null;
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
/** Least time between two reads of the list that events cause, milliseconds. Events contain the changed alerts; the rest, such as counts, can wait. */
const calmMs = 15_000;
/** Alerts per request: the service's largest page. */
const pageSize = '200';
const blank: State = { alerts: [], counts: null, next: null, failure: null };

/** The alerts of `path` that match `filters`, read page by page and kept current by the stream. */
export function useAlertList(path: string, filters: Query): AlertList {
  const key = `${path}?${searchOf(filters)}`;
  /** What an answer makes of the list. */
  const readPage = (token: string | null) =>
    read<AlertListAnswer>(path, { ...filters, pageSize, pageToken: token ?? undefined }).then(
      (page) => (before: State) => (token ? withNext(before, page) : withFirst(before, page, filters)),
      (error) => (before: State) => withFailure(before, key, failureFrom(error)),
    );
  const { data, reload, change } = useKeptCurrent<State>(
    key,
    async (before) => (await readPage(null))(before() ?? blank),
    { on: ['alert'], calmMs },
  );
  useChanges((changes) =>
    change((before) => ({ ...before, alerts: withChanges(before.alerts, changes, filters, before.next !== null) })),
  );
  const busy = useRef<string | null>(null);
  const loadMore = async () => {
    const token = data?.next;
    if (!data || !token || data.failure || busy.current === token) return;
    busy.current = token;
    const withPage = await readPage(token);
    busy.current = null;
    change((before) => (before.next === token ? withPage(before) : before));
  };
  const latest = useRef({ loadMore, put: (_: Alert) => {} });
  latest.current = { loadMore, put: (alert) => change((before) => replaced(before, alert, filters)) };
  return useMemo(
    () => ({
      ...(data ?? blank),
      total: totalOf(data?.counts ?? null, filters),
      hasMore: (data?.next ?? null) !== null,
      isLoading: data === undefined,
      loadMore: () => void latest.current.loadMore(),
      reload: () => void reload(),
      put: (alert) => latest.current.put(alert),
    }),
    [data, key],
  );
}

/** The list after its next page. */
function withNext(before: State, page: AlertListAnswer): State {
  return { ...fresh(before, page), alerts: merged(before.alerts, page.alerts) };
}

/** The list after its first page was read anew: pages that were read after it stay. */
function withFirst(before: State, page: AlertListAnswer, filters: Query): State {
  const first = { ...fresh(before, page), alerts: page.alerts };
  if (before.alerts.length <= page.alerts.length || first.next === null) return first;
  const alerts = withHead(page.alerts, before.alerts, String(filters['orderBy'] ?? ''));
  return { ...first, alerts, next: before.next };
}

function fresh({ counts }: State, page: AlertListAnswer): Omit<State, 'alerts'> {
  return { counts: page.counts ?? counts, next: page.nextPageToken ?? null, failure: null };
}

/** The list after a failure: what was read stays, or else what this tab had before it was loaded. */
function withFailure(before: State, key: string, failure: Failure): State {
  if (before.alerts.length > 0) return { ...before, failure };
  const last = withoutContact<AlertListAnswer>(`${key}${key.endsWith('?') ? '' : '&'}pageSize=${pageSize}`, failure);
  return { ...before, ...(last ? { alerts: last.data.alerts, counts: last.data.counts ?? null } : {}), failure };
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
