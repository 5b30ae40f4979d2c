import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AuditEntry } from '../../../../shared/schema/audit/audit.ts';
import { useResource } from '../../client/resource.ts';
import { href, navigate, type Route, searchOf } from '../../client/router.ts';
import { useMore } from '../../components/more.ts';
import { SearchBox } from '../../components/search-box.tsx';
import { SelectFilter } from '../../components/select-filter.tsx';
import { Empty, Show } from '../../components/states.tsx';
import { AuditItem } from './audit-item.tsx';

type AuditList = { entries: AuditEntry[]; nextPageToken?: string };

const outcomes = [
  ['', 'Done and refused'],
  ['done', 'Done'],
  ['refused', 'Refused'],
] as const;
const hourMs = 3_600_000;
const ranges = [
  ['', 'Any time'],
  ['1', 'Last hour'],
  ['24', 'Last 24 hours'],
  ['168', 'Last 7 days'],
  ['720', 'Last 30 days'],
] as const;

/** Who changed what, and who was refused, for investigating how something happened. */
export function AuditPage({ route }: { route: Route }): JSX.Element {
  const { query } = route;
  const asked = (name: string) => query.get(name) ?? '';
  const hours = Number(asked('hours'));
  // The start time stays fixed while the page is open. Otherwise each drawing would request another list.
  const since = useMemo(() => (hours > 0 ? new Date(Date.now() - hours * hourMs).toISOString() : ''), [hours]);
  const [subject, action, outcome] = [asked('subject'), asked('action'), asked('outcome')];
  const path = `/v1/audit?${searchOf({ subject, action, outcome, since, pageSize: '50' })}`;
  const list = useResource<AuditList>(path, { everyMs: 30_000 });
  const ask = (name: string) => (text: string) => {
    const next = new URLSearchParams(query);
    if (text) next.set(name, text);
    else next.delete(name);
    navigate(href(route.path, next), { replace: true });
  };
  return (
    <section class="pane">
      <header class="page-head">
        <h1>Audit</h1>
      </header>
      <p class="quiet lead">
        Every change by a person or a service, and every refusal, kept for 400 days. Choose a subject or an action below
        to see no others.
      </p>
      <div class="filters">
        <SearchBox label="Subject" placeholder="Subject: user:…" asked={subject} onAsk={ask('subject')} />
        <SearchBox label="Action" placeholder="Action: updateWebhook …" asked={action} onAsk={ask('action')} />
        <SelectFilter label="Outcome" name="outcome" value={outcome} options={outcomes} route={route} />
        <SelectFilter label="Time" name="hours" value={asked('hours')} options={ranges} route={route} />
      </div>
      <Show of={list} lines={10}>
        {(first) => <Entries key={path} path={path} first={first} route={route} />}
      </Show>
    </section>
  );
}

function Entries({ path, first, route }: { path: string; first: AuditList; route: Route }): JSX.Element {
  const { all, loadMore } = useMore(path, 'entries', first, ({ entryId }: AuditEntry) => entryId);
  if (all.length === 0) {
    return (
      <Empty title="Nothing was entered">Subjects and actions must be written in full, as they are entered.</Empty>
    );
  }
  return (
    <section class="panel">
      <ul class="audit" aria-label="Audit entries">
        {all.map((entry) => (
          <AuditItem key={entry.entryId} entry={entry} route={route} />
        ))}
      </ul>
      {loadMore ? (
        <button type="button" class="button" onClick={() => void loadMore()}>
          Older entries
        </button>
      ) : null}
    </section>
  );
}
