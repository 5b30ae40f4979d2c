import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { Incident } from '../../../../shared/schema/incident/incident.ts';
import type { LivelyKind } from '../action/actions.ts';

/** The incident that an alert belongs to. Null where there is none, or where the service does not show it. */
export function incidentOf(alert: Alert & { incidentId?: string | null }): string | null {
  return alert.incidentId ?? null;
}

export const incidentKind: LivelyKind<Incident> = {
  noun: 'incidents',
  word: 'Incident',
  nameOf: ({ title }) => `“${title}”`,
};

/** Words for the three numbers of an incident's members, by kind. All other kinds count dark cameras (`usual`). */
const counted: Record<string, [now: string, peak: string, back: string]> = {
  blind: ['overdue now', 'overdue at most', 'reported again'],
  unreadable: ['unreadable now', 'unreadable at most', 'readable again'],
  guardians: ['without a guardian now', 'without one at most', 'guarded again'],
};
const usual = ['dark now', 'dark at most', 'back'] as const;

export function memberWords({ kind }: Pick<Incident, 'kind'>): readonly [now: string, peak: string, back: string] {
  return counted[kind] ?? usual;
}

/** `12 overdue now, 40 at most`: the size of an incident as text. Null where the viewer may not see it. */
export function sizeOf({ kind, members }: Pick<Incident, 'kind' | 'members'>): string | null {
  if (!members) return null;
  const [now] = memberWords({ kind });
  const most = members.peak > members.now ? `, ${members.peak.toLocaleString()} at most` : '';
  return `${members.now.toLocaleString()} ${now}${most}`;
}

/** The affected part of the fleet. */
export function scopeOf({ scope, groups }: Pick<Incident, 'scope' | 'groups'>): string {
  if (groups.includes('*')) return 'The whole fleet';
  return `${scope.kind} ${scope.name ?? scope.id}`;
}
