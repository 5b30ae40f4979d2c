import type { JSX } from 'preact';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { IncidentRows } from '../../components/incident/incident-row.tsx';

const shown = 5;

/** Incidents come above single alerts. Empty where there are none. */
export function OpenIncidents(): JSX.Element | null {
  const path = useMay('alerts:read') ? '/v1/incidents?pageSize=20' : null;
  const { data } = useResource<{ incidents: Incident[]; nextPageToken?: string }>(path, {
    on: ['incident', 'fleet'],
    everyMs: 20_000,
  });
  if (!data || data.incidents.length === 0) return null;
  const more = data.incidents.length - shown;
  return (
    <section class="panel now" aria-labelledby="now">
      <header class="panel-head">
        <h2 id="now">Open incidents</h2>
        <a href={href(['incidents'])}>{more > 0 ? `${more}${data.nextPageToken ? '+' : ''} more` : 'All incidents'}</a>
      </header>
      <IncidentRows incidents={data.incidents.slice(0, shown)} label="Open incidents" />
    </section>
  );
}
