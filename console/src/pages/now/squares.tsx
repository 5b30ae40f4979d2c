import type { JSX } from 'preact';
import type { Cause } from '../../../../shared/schema/fleet/now.ts';
import type { Site } from '../../../../shared/schema/place/place.ts';
import { useMay } from '../../client/auth.ts';
import { useWrong } from '../../client/fleet.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { severities, severityNames } from '../../model.ts';

type Sites = { sites: Site[]; nextPageToken?: string };

/** Every place as a square, the largest first, in the colour of the worst that is wrong there, so that the calm of the rest is seen. */
export function Squares(): JSX.Element | null {
  // Read once: places change rarely, and what is wrong at them comes with the causes.
  const { data } = useResource<Sites>(useMay('devices:read') ? '/v1/sites?pageSize=200' : null);
  const causes = useWrong().data?.causes;
  if (!data || !causes || data.sites.length < 2) return null;
  const worst = worstAt(causes);
  const sites = data.sites.toSorted((a, b) => b.devices.total - a.devices.total);
  return (
    <section class="panel squares-panel" aria-labelledby="places">
      <header class="panel-head">
        <h2 id="places">Places</h2>
        <a href={href(['devices'])}>{data.nextPageToken ? 'The first 200 of all places' : `All ${sites.length}`}</a>
      </header>
      <ul class="squares" aria-label="Places, the largest first">
        {sites.map((site) => {
          const severity = worst.get(`${site.groupId} ${site.kind} ${site.id}`) ?? worst.get(`${site.kind} ${site.id}`);
          const state = severity ? severityNames[severity] : 'nothing wrong';
          const name = `${site.name ?? site.id}: ${site.devices.total}, ${state}`;
          return (
            <li key={`${site.groupId} ${site.kind} ${site.id}`}>
              <a
                class={severity ? `square square-${severity}` : 'square'}
                href={href(['devices'], { groupId: site.groupId, ...(site.kind === 'site' ? { site: site.id } : {}) })}
                title={name}
              >
                <span class="unseen">{name}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The worst severity at each place. An incident that concerns several groups counts for the place in each. */
function worstAt(causes: readonly Cause[]): Map<string, Cause['severity']> {
  const worst = new Map<string, Cause['severity']>();
  for (const { severity, place, among } of causes) {
    for (const { groupId, kind, id } of place ? [place] : among) {
      const key = groupId === null ? `${kind} ${id}` : `${groupId} ${kind} ${id}`;
      const known = worst.get(key);
      if (known === undefined || severities.indexOf(severity) < severities.indexOf(known)) worst.set(key, severity);
    }
  }
  return worst;
}
