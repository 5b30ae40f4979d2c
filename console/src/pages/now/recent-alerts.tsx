import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { Fleet } from '../../../../shared/schema/fleet/fleet.ts';
import type { Resource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { AlertRow } from '../../components/alert/alert-row.tsx';
import { incidentOf } from '../../components/incident/incident-words.ts';
import { Sentence } from '../../components/sentence.tsx';
import { Empty, Show } from '../../components/states.tsx';

/** The newest alerts, with open ones first. */
export function RecentAlerts({ fleet }: { fleet: Resource<Fleet> }): JSX.Element {
  return (
    <section class="panel recent" aria-labelledby="recent">
      <header class="panel-head">
        <h2 id="recent">Recent alerts</h2>
        <a href={href(['alerts'])}>All alerts</a>
      </header>
      <Show of={fleet} lines={12}>
        {({ recentAlerts }) =>
          recentAlerts.length === 0 ? <Empty title="No alert has been raised yet" /> : <Rows alerts={recentAlerts} />
        }
      </Show>
    </section>
  );
}

/** Open alerts first. Of those of an open incident, which is among the causes, the newest stands for the others. */
function Rows({ alerts }: { alerts: readonly Alert[] }): JSX.Element {
  const seen = new Set<string>();
  const shown = alerts.filter((alert) => {
    const incident = alert.resolved ? null : incidentOf(alert);
    if (incident === null) return true;
    return !seen.has(incident) && seen.add(incident);
  });
  const folded = alerts.length - shown.length;
  return (
    <>
      <ul class="recent-list" aria-label="Recent alerts">
        {shown
          .toSorted((a, b) => Number(a.resolved) - Number(b.resolved))
          .map((alert) => (
            <li key={alert.alertId}>
              <AlertRow alert={alert} address={href(['alerts', alert.alertId])} />
            </li>
          ))}
      </ul>
      {folded > 0 ? (
        <p class="more-causes">
          <Sentence of={{ text: 'And {count} more of the same incidents.', parts: { count: folded } }} />
        </p>
      ) : null}
    </>
  );
}
