import type { JSX } from 'preact';
import type { Fleet } from '../../../shared/schema/fleet/fleet.ts';
import type { Severity } from '../../../shared/schema/vocabulary.ts';
import { AlertRow } from '../components/alert-row.tsx';
import { SeverityMark } from '../components/severity.tsx';
import { Empty, Show } from '../components/states.tsx';
import { severities, severityNames } from '../model.ts';
import { useResource } from '../resource.ts';
import { href } from '../router.ts';
import { Trends } from './fleet-trends.tsx';

/** The health of the fleet at a glance, live. */
export function FleetPage(): JSX.Element {
  const fleet = useResource<Fleet>('/v1/fleet', { on: ['alert', 'device', 'fleet'], everyMs: 60_000 });
  return (
    <section class="pane fleet">
      <h1 class="unseen">Fleet</h1>
      <div class="tiles">
        <OnlineTile devices={fleet.data?.devices ?? null} />
        {severities.map((severity) => (
          <SeverityTile
            key={severity}
            severity={severity}
            open={fleet.data?.alerts.open[severity] ?? null}
            day={fleet.data?.alerts.last24h[severity] ?? null}
          />
        ))}
      </div>
      <div class="fleet-rest">
        <Trends />
        <section class="panel recent" aria-labelledby="recent">
          <header class="panel-head">
            <h2 id="recent">Recent alerts</h2>
            <a href={href(['alerts'])}>All alerts</a>
          </header>
          <Show of={fleet} lines={12}>
            {({ recentAlerts }) =>
              recentAlerts.length === 0 ? (
                <Empty title="All quiet">No alert has been raised lately.</Empty>
              ) : (
                <ul class="recent-list" aria-label="Recent alerts">
                  {recentAlerts.map((alert) => (
                    <li key={alert.alertId}>
                      <AlertRow alert={alert} address={href(['alerts', alert.alertId])} />
                    </li>
                  ))}
                </ul>
              )
            }
          </Show>
        </section>
      </div>
    </section>
  );
}

function OnlineTile({ devices }: { devices: Fleet['devices'] | null }): JSX.Element {
  return (
    <a class="tile online" href={href(['devices'])}>
      <span class="tile-name">Online</span>
      <span class="tile-number">{devices?.onlinePercent == null ? '–' : `${devices.onlinePercent}%`}</span>
      <span class="meter" aria-hidden="true">
        <span style={{ transform: `scaleX(${(devices?.onlinePercent ?? 0) / 100})` }} />
      </span>
      <span class="tile-more">
        {devices ? (
          <>
            <strong>{devices.online?.toLocaleString() ?? '–'}</strong> of{' '}
            <strong>{devices.total.toLocaleString()}</strong> devices, {devices.offline.toLocaleString()} offline
            {devices.unknown > 0 ? `, ${devices.unknown.toLocaleString()} unknown` : ''}
          </>
        ) : (
          'Reading …'
        )}
      </span>
    </a>
  );
}

function SeverityTile({
  severity,
  open,
  day,
}: {
  severity: Severity;
  open: number | null;
  day: number | null;
}): JSX.Element {
  return (
    <a class={`tile tile-${severity}${open ? ' has' : ''}`} href={href(['alerts'], { severity })}>
      <span class="tile-name">
        <SeverityMark severity={severity} /> {severityNames[severity]}
      </span>
      <span class="tile-number">{open?.toLocaleString() ?? '–'}</span>
      <span class="tile-more">open · {day?.toLocaleString() ?? '–'} in 24 h</span>
    </a>
  );
}
