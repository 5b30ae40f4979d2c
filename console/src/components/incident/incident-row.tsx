import type { JSX } from 'preact';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import { href } from '../../client/router.ts';
import { ResponseRing } from '../alert/response.tsx';
import { SeverityMark, StatusChip } from '../alert/severity.tsx';
import { Time } from '../time.tsx';
import { scopeOf, sizeOf } from './incident-words.ts';

/** One incident in a list: kind, place, size, start, and who acknowledged it or how much time is left. */
export function IncidentRow({ incident }: { incident: Incident }): JSX.Element {
  const { incidentId, severity, title, startedAt, status } = incident;
  return (
    <a class={`incident-row${status === 'resolved' ? ' over' : ''}`} href={href(['incidents', incidentId])}>
      <SeverityMark severity={severity} />
      <span class="what">
        <strong>{title}</strong>
        <span class="quiet">{[scopeOf(incident), sizeOf(incident)].filter(Boolean).join(' · ')}</span>
      </span>
      <span class="when quiet">
        <Time at={startedAt} form="age" />
      </span>
      {status === 'resolved' ? <StatusChip alert={incident} /> : <ResponseRing of={incident} />}
    </a>
  );
}

export function IncidentRows({ incidents, label }: { incidents: readonly Incident[]; label: string }): JSX.Element {
  return (
    <ul class="incident-rows" aria-label={label}>
      {incidents.map((incident) => (
        <li key={incident.incidentId}>
          <IncidentRow incident={incident} />
        </li>
      ))}
    </ul>
  );
}
