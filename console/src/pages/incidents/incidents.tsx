import type { JSX } from 'preact';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import { useResource } from '../../client/resource.ts';
import { type Route, searchOf } from '../../client/router.ts';
import { AlertTabs } from '../../components/alert/alert-tabs.tsx';
import { IncidentRows } from '../../components/incident/incident-row.tsx';
import { useMore } from '../../components/more.ts';
import { SelectFilter } from '../../components/select-filter.tsx';
import { Empty, Show } from '../../components/states.tsx';

type IncidentList = { incidents: Incident[]; nextPageToken?: string };

const statuses = [
  ['', 'Open'],
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;

/** Incidents: causes that concern many cameras, each with one lifecycle and one notification. */
export function IncidentsPage({ route }: { route: Route }): JSX.Element {
  const status = route.query.get('status') ?? '';
  const path = `/v1/incidents?${searchOf({ status, pageSize: '50' })}`;
  const list = useResource<IncidentList>(path, { on: ['incident'], everyMs: 60_000 });
  return (
    <section class="pane">
      <AlertTabs current="incidents" />
      <search class="filters">
        <SelectFilter label="State" name="status" value={status} options={statuses} route={route} />
      </search>
      <Show of={list} lines={6}>
        {(data) =>
          data.incidents.length === 0 ? (
            <Empty title={status ? 'No incident' : 'No open incident'}>
              An incident is one cause that concerns many cameras.
            </Empty>
          ) : (
            <Rows key={path} path={path} first={data} />
          )
        }
      </Show>
    </section>
  );
}

function Rows({ path, first }: { path: string; first: IncidentList }): JSX.Element {
  const { all, loadMore } = useMore(path, 'incidents', first, ({ incidentId }: Incident) => incidentId);
  return (
    <>
      <section class="panel">
        <IncidentRows incidents={all} label="Incidents" />
      </section>
      {loadMore ? (
        <button type="button" class="button" onClick={() => void loadMore()}>
          Older incidents
        </button>
      ) : null}
    </>
  );
}
