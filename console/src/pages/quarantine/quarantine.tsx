import type { JSX } from 'preact';
import type { QuarantinedReport } from '../../../../shared/schema/quarantine/quarantine.ts';
import { useResource } from '../../client/resource.ts';
import { type Route, searchOf } from '../../client/router.ts';
import { useMore } from '../../components/more.ts';
import { SelectFilter } from '../../components/select-filter.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { QuarantineItem } from './quarantine-item.tsx';
import { RetryAll } from './retry-all.tsx';

type QuarantineList = { reports: QuarantinedReport[]; nextPageToken?: string };

const statuses = [
  ['', 'In quarantine'],
  ['retried', 'Retried'],
  ['dismissed', 'Dismissed'],
  ['all', 'All states'],
] as const;

const pageSize = '20';

/** Messages that did not become reports, for a person to inspect, retry or dismiss. */
export function QuarantinePage({ route }: { route: Route }): JSX.Element {
  const status = route.query.get('status') ?? '';
  const path = `/v1/quarantine?${searchOf({ status, pageSize })}`;
  const list = useResource<QuarantineList>(path, { everyMs: 15_000 });
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Quarantine</h1>
        <RetryAll onDone={list.reload} />
      </header>
      <p class="quiet lead">
        Reports that could not be read, kept for 30 days. Retry one once its cause is mended, or dismiss it.
      </p>
      <div class="filters">
        <SelectFilter label="State" name="status" value={status} options={statuses} route={route} />
      </div>
      <Show of={list} lines={6}>
        {(first) => <Reports key={path} path={path} status={status} first={first} reload={list.reload} />}
      </Show>
    </section>
  );
}

type ReportsProps = { path: string; status: string; first: QuarantineList; reload: () => Promise<void> };

function Reports({ path, status, first, reload }: ReportsProps): JSX.Element {
  const { all, loadMore, put } = useMore(path, 'reports', first, ({ reportId }: QuarantinedReport) => reportId);
  const shown = all.filter((report) => status === 'all' || report.status === (status || 'quarantined'));
  const settle = async (report: QuarantinedReport | null) => {
    if (report) put(report);
    await reload();
  };
  if (shown.length === 0 && !loadMore) {
    return (
      <Empty title={status === '' ? 'Nothing is in quarantine' : 'None is in this state'}>
        What could not be read is of no group: who is limited to groups of devices sees none of it.
      </Empty>
    );
  }
  return (
    <section class="panel">
      <ul class="quarantine" aria-label="Quarantined reports">
        {shown.map((report) => (
          <QuarantineItem key={report.reportId} report={report} onSettled={settle} />
        ))}
      </ul>
      {loadMore ? (
        <button type="button" class="button" onClick={() => void loadMore()}>
          Older reports
        </button>
      ) : null}
    </section>
  );
}
