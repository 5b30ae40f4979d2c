import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import { at } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { AlertRow } from '../../components/alert/alert-row.tsx';
import { useMore } from '../../components/more.ts';
import { Empty, Failed } from '../../components/states.tsx';

type AlertPage = { alerts: Alert[]; nextPageToken?: string };

/** The alerts that belong to an incident. Empty where the service does not list them. */
export function IncidentAlerts({ incidentId }: { incidentId: string }): JSX.Element | null {
  const path = `${at('incidents', incidentId, 'alerts')}?pageSize=50`;
  const { data, failure, reload } = useResource<AlertPage>(path, { on: ['alert'] });
  if (!data && failure?.kind === 'unsupported') return null;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Its alerts</h2>
      </header>
      {data ? (
        <Rows key={path} path={path} first={data} />
      ) : failure ? (
        <Failed failure={failure} retry={reload} />
      ) : null}
    </section>
  );
}

function Rows({ path, first }: { path: string; first: AlertPage }): JSX.Element {
  const { all, loadMore } = useMore(path, 'alerts', first, ({ alertId }: Alert) => alertId);
  if (all.length === 0) return <Empty title="It has no alerts" />;
  return (
    <>
      <ul class="recent-list" aria-label="Its alerts">
        {all.map((alert) => (
          <li key={alert.alertId}>
            <AlertRow alert={alert} address={href(['alerts', alert.alertId])} />
          </li>
        ))}
      </ul>
      {loadMore ? (
        <button type="button" class="button" onClick={() => void loadMore()}>
          More alerts
        </button>
      ) : null}
    </>
  );
}
