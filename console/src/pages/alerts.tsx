import type { JSX } from 'preact';
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { Alert } from '../../../shared/schema/alert/alert.ts';
import { type ActionBody, act, actOnMany, type ChangingAction } from '../alert-actions.ts';
import { useAlertList } from '../alert-list.ts';
import { useMay } from '../auth.ts';
import { ActionDialog } from '../components/action-dialogs.tsx';
import { AlertRow } from '../components/alert-row.tsx';
import { Empty, Failed, Skeleton } from '../components/states.tsx';
import { VirtualList } from '../components/virtual-list.tsx';
import { plural } from '../format.ts';
import { useGroups } from '../groups.ts';
import { useKeys } from '../keys.ts';
import { href, navigate, type Route } from '../router.ts';
import { AlertDetail } from './alert-detail.tsx';
import { AlertFilters, filtersOf } from './alert-filters.tsx';
import { AlertTabs } from './alert-tabs.tsx';
import { BulkBar } from './bulk-bar.tsx';

/** A search reads on by itself through so many alerts, and further when it is asked to. */
const searchReach = 5000;

type Asked = { action: ChangingAction; alertIds: string[] };

/** The list of alerts, with the one that is open beside it. */
export function AlertsPage({ route: { query, path } }: { route: Route }): JSX.Element {
  const openId = path[1] ?? null;
  const list = useAlertList('/v1/alerts', filtersOf(query));
  const mayWrite = useMay('alerts:write');
  const search = useRef<HTMLInputElement>(null);
  const shown = useMemo(() => found(list.alerts, query.get('q')), [list.alerts, query]);
  const [cursor, setCursor] = useState(-1);
  const { selected, select, toggle, asked, setAsked, submit, ask } = useActions(list);
  const addressOf = useCallback((alertId: string) => href(['alerts', alertId], query), [query]);
  const clear = () => select([]);
  useListKeys({ shown, cursor, setCursor, openId, selected, mayWrite, ask, toggle, addressOf, search, clear });
  return (
    <div class={openId ? 'split open' : 'split'}>
      <h1 class="unseen">Alerts</h1>
      <section class="pane list-pane" aria-label="Alerts">
        <AlertTabs current="alerts" />
        <AlertFilters query={query} groups={useGroups()} search={search} />
        <Count list={list} shown={shown.length} isSearched={query.has('q')} />
        <Rows
          list={list}
          shown={shown}
          isSearched={query.has('q')}
          cursor={cursor}
          row={(alert, index) => (
            <AlertRow
              alert={alert}
              address={addressOf(alert.alertId)}
              isCurrent={alert.alertId === openId || index === cursor}
              isSelected={selected.has(alert.alertId)}
              onSelect={mayWrite ? (isSelected) => toggle(alert.alertId, isSelected) : undefined}
            />
          )}
        />
        <BulkBar
          alerts={shown.filter(({ alertId }) => selected.has(alertId))}
          onAction={(action) => ask(action, [...selected])}
          onAll={() => select(shown.map(({ alertId }) => alertId))}
          onNone={clear}
        />
      </section>
      {openId ? (
        <AlertDetail
          key={openId}
          alertId={openId}
          backTo={href(['alerts'], query)}
          onChanged={list.put}
          takesKeys={selected.size === 0}
        />
      ) : null}
      {asked ? (
        <ActionDialog
          action={asked.action}
          count={asked.alertIds.length}
          onSubmit={(body) => submit(asked, body)}
          onClose={() => setAsked(null)}
        />
      ) : null}
    </div>
  );
}

/** What is selected, what is asked of the operator, and the doing of it. */
function useActions(list: ReturnType<typeof useAlertList>) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked | null>(null);
  const submit = async ({ action, alertIds }: Asked, body: ActionBody = {}) => {
    setAsked(null);
    const [alertId] = alertIds;
    if (alertIds.length === 1 && alertId) {
      await act(alertId, action, { body, changed: (alert) => alert && list.put(alert) });
    } else {
      await actOnMany(alertIds, action, body);
      setSelected(new Set());
    }
    list.reload();
  };
  const ask = (action: ChangingAction, alertIds: string[]) => {
    if (alertIds.length === 0) return;
    if (action === 'acknowledge') void submit({ action, alertIds });
    else setAsked({ action, alertIds });
  };
  const toggle = (alertId: string, isIn: boolean) => setSelected((before) => withOne(before, alertId, isIn));
  return { selected, select: (ids: string[]) => setSelected(new Set(ids)), toggle, asked, setAsked, submit, ask };
}

type ListProps = { list: ReturnType<typeof useAlertList>; isSearched: boolean };

function Count({ list, shown, isSearched }: ListProps & { shown: number }): JSX.Element {
  const read = `${list.alerts.length.toLocaleString()}${list.hasMore ? '+' : ''}`;
  const text = isSearched
    ? `${plural(shown, 'match', 'matches')} in ${read} alerts`
    : `${read} ${list.alerts.length === 1 ? 'alert' : 'alerts'}`;
  return (
    <p class="list-count" aria-live="polite">
      {list.isLoading ? 'Loading…' : text}
    </p>
  );
}

type RowsProps = ListProps & {
  shown: readonly Alert[];
  cursor: number;
  row: (alert: Alert, index: number) => JSX.Element;
};

function Rows({ list, shown, isSearched, cursor, row }: RowsProps): JSX.Element {
  if (list.alerts.length === 0 && list.isLoading) return <Skeleton lines={14} />;
  if (list.alerts.length === 0 && list.failure) return <Failed failure={list.failure} retry={list.reload} />;
  if (shown.length === 0 && !list.hasMore) return <Empty title="All quiet">No alert fits these filters.</Empty>;
  const isFarEnough = isSearched && list.alerts.length >= searchReach;
  return (
    <>
      <VirtualList
        items={shown}
        keyOf={({ alertId }) => alertId}
        label="Alerts"
        cursor={cursor}
        row={row}
        onEnd={list.hasMore && !isFarEnough ? list.loadMore : undefined}
      />
      {list.hasMore && isFarEnough ? (
        <button type="button" class="button" onClick={list.loadMore}>
          Search further
        </button>
      ) : null}
    </>
  );
}

type ListKeys = {
  shown: readonly Alert[];
  cursor: number;
  setCursor: (cursor: number) => void;
  openId: string | null;
  selected: ReadonlySet<string>;
  mayWrite: boolean;
  ask: (action: ChangingAction, alertIds: string[]) => void;
  toggle: (alertId: string, isSelected: boolean) => void;
  addressOf: (alertId: string) => string;
  search: { readonly current: HTMLInputElement | null };
  clear: () => void;
};

/** The list by keyboard. While an alert is open, its own keys act on it and j/k go on to the next. */
function useListKeys(list: ListKeys): void {
  const { shown, cursor, openId, selected, mayWrite } = list;
  const position = openId ? shown.findIndex(({ alertId }) => alertId === openId) : cursor;
  const move = (step: number) => {
    const next = Math.min(Math.max(position + step, 0), shown.length - 1);
    const alert = shown[next];
    if (!alert) return;
    list.setCursor(next);
    if (openId) navigate(list.addressOf(alert.alertId), { replace: true });
    else requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-alert="${alert.alertId}"]`)?.focus());
  };
  const targets = () => (selected.size > 0 ? [...selected] : shown[cursor] ? [shown[cursor].alertId] : []);
  const actKey = (action: ChangingAction) => () => {
    if (mayWrite) list.ask(action, targets());
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    '/': () => list.search.current?.focus(),
    x: () => {
      const alert = shown[position];
      if (alert && mayWrite) list.toggle(alert.alertId, !selected.has(alert.alertId));
    },
    Escape: () => {
      if (selected.size > 0) list.clear();
      else if (openId) navigate(href(['alerts'], new URLSearchParams(location.hash.split('?')[1] ?? '')));
    },
  });
  // An open alert takes the actions itself, unless others are selected.
  const actions = { a: actKey('acknowledge'), r: actKey('resolve'), s: actKey('snooze'), o: actKey('reopen') };
  useKeys(actions, openId === null || selected.size > 0);
}

function found(alerts: readonly Alert[], text: string | null): readonly Alert[] {
  const wanted = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return alerts;
  return alerts.filter(({ message, code, deviceId, groupId }) => {
    const hay = `${message} ${code} ${deviceId} ${groupId}`.toLowerCase();
    return wanted.every((word) => hay.includes(word));
  });
}

function withOne(before: ReadonlySet<string>, alertId: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(before);
  if (isIn) next.add(alertId);
  else next.delete(alertId);
  return next;
}
