import type { JSX } from 'preact';
import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { Fleet } from '../../../../shared/schema/fleet/fleet.ts';
import type { Resource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { AlertRow } from '../../components/alert/alert-row.tsx';
import { incidentOf } from '../../components/incident/incident-words.ts';
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
          recentAlerts.length === 0 ? (
            <Empty title="No alert has been raised yet" />
          ) : (
            <ul class="recent-list" aria-label="Recent alerts">
              {openFirst(recentAlerts).map((alert) => (
                <li key={alert.alertId}>
                  <AlertRow alert={alert} address={href(['alerts', alert.alertId])} />
                </li>
              ))}
            </ul>
          )
        }
      </Show>
    </section>
  );
}

/** Open alerts first. Those that belong to an incident, which is shown above, come after single ones. */
function openFirst(alerts: readonly Alert[]): Alert[] {
  const rank = (alert: Alert) => (alert.resolved ? 2 : incidentOf(alert) ? 1 : 0);
  return alerts.toSorted((a, b) => rank(a) - rank(b));
}
