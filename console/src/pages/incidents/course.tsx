import type { JSX } from 'preact';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import { useResource } from '../../client/resource.ts';
import { href } from '../../client/router.ts';
import { darkSpans } from '../../components/alert/presence-spans.ts';
import { IncidentRows } from '../../components/incident/incident-row.tsx';
import { dayMs, Strip } from '../../components/strip.tsx';
import { Time } from '../../components/time.tsx';
import { duration, plural, useNow } from '../../format.ts';

/** When the place of an outage was dark in its last day, each time by itself, and what it is part of. */
export function Course({ incident }: { incident: Incident }): JSX.Element | null {
  const { spells, isFlapping, joinedTo, continuesId, endedAt } = incident;
  const now = useNow();
  const toMs = endedAt ? Date.parse(endedAt) : now;
  const lasted = ({ darkAt, litAt }: Incident['spells'][number]) =>
    duration((litAt ? Date.parse(litAt) : now) - Date.parse(darkAt));
  if (spells.length === 0 && !joinedTo && !continuesId) return null;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>When it was dark</h2>
        {isFlapping ? <span class="chip wait">It comes and goes</span> : null}
        {joinedTo ? <a href={href(['incidents', joinedTo])}>Part of a wider incident</a> : null}
        {continuesId ? <a href={href(['incidents', continuesId])}>What is left of an earlier outage</a> : null}
      </header>
      {spells.length > 0 ? (
        <>
          <Strip
            spans={darkSpans(spells, toMs - dayMs, toMs)}
            words={`Dark ${plural(spells.length, 'time')} in the last 24 h ${endedAt ? 'until it ended' : 'until now'}`}
          />
          <ol class="plain-list">
            {spells.toReversed().map((spell) => (
              <li key={spell.darkAt}>
                <Time at={spell.darkAt} form="full" />, for {lasted(spell)}
                {spell.litAt ? '' : ' so far'}
              </li>
            ))}
          </ol>
        </>
      ) : null}
    </section>
  );
}

/** Incidents that are searched for earlier ones of a place, the newest. */
const searched = 200;

/** What happened at the same place before. */
export function EarlierHere({ incident }: { incident: Incident }): JSX.Element | null {
  const { scope, incidentId } = incident;
  const path = scope.kind === 'platform' ? null : `/v1/incidents?status=all&pageSize=${searched}`;
  const { data } = useResource<{ incidents: Incident[]; nextPageToken?: string }>(path);
  if (!data) return null;
  const here = data.incidents.filter(
    (each) => each.scope.kind === scope.kind && each.scope.id === scope.id && each.incidentId !== incidentId,
  );
  if (here.length === 0 && data.nextPageToken === undefined) return null;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Here before</h2>
        {data.nextPageToken ? <span class="quiet">among the last {searched} incidents</span> : null}
      </header>
      {here.length === 0 ? <p class="quiet">Nothing.</p> : <IncidentRows incidents={here} label="Here before" />}
    </section>
  );
}
