import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import type { TroubledSite } from '../../../../shared/schema/place/place.ts';
import type { Severity } from '../../../../shared/schema/vocabulary.ts';
import { plural } from '../../format.ts';
import { severities } from '../../model.ts';

/** Something that is wrong: an incident, or a place with alerts outside incidents. */
export type Trouble = { severity: Severity; isUnanswered: boolean; since: string } & (
  | { kind: 'incident'; incident: Incident }
  | { kind: 'place'; site: TroubledSite }
);

/** Incidents and places by urgency: by severity, unacknowledged ones first, then the oldest first. */
export function troubleRows(incidents: readonly Incident[], sites: readonly TroubledSite[]): Trouble[] {
  const shown = new Set(incidents.map(({ incidentId }) => incidentId));
  const rows: Trouble[] = [
    ...incidents.map((incident): Trouble => {
      const { severity, status, startedAt } = incident;
      return { kind: 'incident', incident, severity, isUnanswered: status !== 'acknowledged', since: startedAt };
    }),
    // A place that has an incident is shown as the incident.
    ...sites
      .filter(({ incidentId }) => incidentId === null || !shown.has(incidentId))
      .map((site): Trouble => {
        const { oldestUnanswered } = site;
        const since = oldestUnanswered?.timestamp ?? '';
        return { kind: 'place', site, severity: worstOf(site), isUnanswered: oldestUnanswered !== null, since };
      }),
  ];
  return rows.toSorted(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      Number(b.isUnanswered) - Number(a.isUnanswered) ||
      (a.since < b.since ? -1 : Number(a.since > b.since)),
  );
}

function worstOf({ alerts }: TroubledSite): Severity {
  return severities.find((severity) => alerts[severity] > 0) ?? 'WARNING';
}

/** `2 dark, 1 unknown, 5 alerts · 12 cameras` */
export function troubleWords({ devices, alerts }: Pick<TroubledSite, 'devices' | 'alerts'>): string {
  const { total, offline, unknown } = devices;
  const open = severities.reduce((sum, severity) => sum + alerts[severity], 0);
  const parts = [
    ...(offline > 0 ? [`${offline.toLocaleString()} dark`] : []),
    ...(unknown ? [`${unknown.toLocaleString()} unknown`] : []),
    plural(open, 'alert'),
  ];
  return `${parts.join(', ')} · ${plural(total, 'camera')}`;
}
