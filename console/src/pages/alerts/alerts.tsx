import type { JSX } from 'preact';
import { useCallback, useRef } from 'preact/hooks';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { useMay } from '../../client/auth.ts';
import { useGroups } from '../../client/groups.ts';
import { href, type Route } from '../../client/router.ts';
import { ActionDialog } from '../../components/action/action-dialogs.tsx';
import type { ChangingAction } from '../../components/action/actions.ts';
import { JobProgress } from '../../components/action/job-progress.tsx';
import { AlertTabs } from '../../components/alert/alert-tabs.tsx';
import { Empty, Failed, Skeleton } from '../../components/states.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import { AlertDetail, type OpenAlert } from './alert-detail.tsx';
import { useDoing } from './alert-doing.ts';
import { AlertFilters, filtersOf } from './alert-filters.tsx';
import { useListKeys } from './alert-keys.ts';
import { type AlertList, useAlertList } from './alert-list.ts';
import { useRow } from './alert-list-row.tsx';
import { askedOf } from './alert-match.ts';
import { useSelection } from './alert-selection.ts';
import { BulkBar } from './bulk-bar.tsx';
import { FilterChips } from './filter-chips.tsx';

/** The list of alerts, with the open alert beside it. */
export function AlertsPage({ route: { query, path } }: { route: Route }): JSX.Element {
  const openId = path[1] ?? null;
  const filters = filtersOf(query);
  const asked = askedOf(filters);
  const list = useAlertList('/v1/alerts', asked);
  const { alerts: shown } = list;
  const mayWrite = useMay('alerts:write');
  const search = useRef<HTMLInputElement>(null);
  const selection = useSelection(query.toString(), list.alerts);
  const doing = useDoing(list, asked, () => selection.replace([]));
  const { ask } = doing;
  const { open, askOpen } = useOpenAlert(openId, ask);
  const addressOf = useCallback((alertId: string) => href(['alerts', alertId], query), [query]);
  const keys = useListKeys({
    view: query.toString(),
    shown,
    openId,
    selection,
    mayWrite,
    ask,
    askOpen,
    addressOf,
    search,
  });
  const pick = mayWrite ? selection.pick : null;
  const row = useRow({ addressOf, openId, ids: selection.ids, tabStop: keys.tabStop, pick, shown });
  return (
    <div class={openId ? 'split open' : 'split'}>
      <h1 class="unseen">Alerts</h1>
      <section class="pane list-pane" aria-label="Alerts">
        <AlertTabs current="alerts" />
        <AlertFilters query={query} groups={useGroups()} search={search} />
        <FilterChips query={query} />
        <Count list={list} onAll={mayWrite ? () => selection.replace(shown) : null} />
        <JobProgress job={doing.job} noun="alert" refusal="could not be changed" onEnd={doing.jobEnded} />
        <Rows list={list} query={query} keys={keys} row={row} />
        <BulkBar
          alerts={selection.alerts}
          hidden={hiddenOf(selection.alerts, shown)}
          total={list.total}
          hasMore={list.hasMore}
          onAction={(action) => ask(action, selection.alerts)}
          onMatching={(action) => doing.askMatching(action, list.total)}
          onAll={() => selection.replace(shown)}
          onNone={() => selection.replace([])}
          onDropHidden={keys.dropHidden}
        />
      </section>
      <Beside openId={openId} query={query} doing={doing} open={open} askOpen={askOpen} />
    </div>
  );
}

type BesideProps = {
  openId: string | null;
  query: URLSearchParams;
  doing: ReturnType<typeof useDoing>;
} & ReturnType<typeof useOpenAlert>;

/** The open alert, and the dialog of an action. */
function Beside({ openId, query, doing, open, askOpen }: BesideProps): JSX.Element {
  const { asked } = doing;
  return (
    <>
      {openId ? (
        <AlertDetail
          key={openId}
          alertId={openId}
          {...{ backTo: href(['alerts'], query), done: doing.done, seen: open, onAction: askOpen }}
        />
      ) : null}
      {asked ? (
        <ActionDialog asked={asked} onSubmit={(body) => doing.submit(asked, body)} onClose={doing.close} />
      ) : null}
    </>
  );
}

function hiddenOf(selected: readonly Alert[], shown: readonly Alert[]): number {
  if (selected.length === 0) return 0;
  const isShown = new Set(shown.map(({ alertId }) => alertId));
  return selected.filter(({ alertId }) => !isShown.has(alertId)).length;
}

/** The open alert as shown, and the start of an action on it. */
function useOpenAlert(openId: string | null, ask: ReturnType<typeof useDoing>['ask']) {
  const open = useRef<OpenAlert>({ alert: null, etag: null });
  const askOpen = (action: ChangingAction) => {
    const { alert, etag } = open.current;
    // A note can be added whatever happened meanwhile. An action that changes the state requires the version that the operator saw.
    if (alert?.alertId === openId && alert.availableActions.includes(action)) {
      ask(action, [alert], action === 'add-note' ? null : etag);
    }
  };
  return { open, askOpen };
}

function Count({ list, onAll }: { list: AlertList; onAll: (() => void) | null }): JSX.Element {
  const { alerts, total, hasMore } = list;
  const read = total === null ? `${alerts.length.toLocaleString()}${hasMore ? '+' : ''}` : total.toLocaleString();
  return (
    <div class="row list-head">
      <p class="list-count" aria-live="polite">
        {list.isLoading ? 'Loading…' : `${read} ${read === '1' ? 'alert' : 'alerts'}`}
      </p>
      {onAll && alerts.length > 1 ? (
        <button type="button" class="plain" onClick={onAll}>
          Select {hasMore ? `the first ${alerts.length.toLocaleString()}` : 'all'}
        </button>
      ) : null}
    </div>
  );
}

type RowsProps = {
  list: AlertList;
  query: URLSearchParams;
  keys: ReturnType<typeof useListKeys>;
  row: (alert: Alert) => JSX.Element;
};

function Rows({ list, query, keys, row }: RowsProps): JSX.Element {
  if (list.alerts.length === 0 && list.isLoading) return <Skeleton lines={14} />;
  if (list.alerts.length === 0 && list.failure) return <Failed failure={list.failure} retry={list.reload} />;
  if (list.alerts.length === 0 && !list.hasMore) return <Nothing query={query} />;
  return (
    <VirtualList
      items={list.alerts}
      keyOf={({ alertId }) => alertId}
      label="Alerts"
      cursor={keys.cursorId}
      onFocus={keys.onFocus}
      onKeyDown={keys.onKeyDown}
      row={row}
      onEnd={list.hasMore ? list.loadMore : undefined}
    />
  );
}

/** Explains an empty list by its filters. An empty list does not prove that everything works. */
function Nothing({ query }: { query: URLSearchParams }): JSX.Element {
  if (query.size === 0) return <Empty title="No open alerts">Now says whether the cameras report at all.</Empty>;
  return (
    <Empty title="No alert fits these filters">
      <a href={href(['alerts'])}>Show all that are open</a>
    </Empty>
  );
}
