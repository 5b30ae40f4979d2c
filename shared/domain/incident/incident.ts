import type { Incident } from '../../schema/incident/incident.ts';
import type { Severity } from '../../schema/vocabulary.ts';
import { availableActions } from '../alert/actions.ts';
import { type Life, newLife } from '../alert/alert.ts';
import type { TrailLine } from '../alert/lifecycle.ts';
import type { Instant } from '../time.ts';

/** An incident as it is stored: what it is, with a life like that of an alert. */
export type IncidentRecord = Life & {
  incidentId: string;
  kind: Incident['kind'];
  groups: string[];
  scope: Incident['scope'];
  title: string;
  message: string;
  endedAt: Instant | null;
  members: { now: number; peak: number; back: number };
  evidence: string[];
};

/** One line of its trail. */
export type IncidentEntry = TrailLine<IncidentRecord> & { entryId: string; incidentId: string };

/** What concerns everybody is of every group. */
export const everybody = '*';

type IncidentSeed = Pick<
  IncidentRecord,
  'incidentId' | 'kind' | 'groups' | 'scope' | 'title' | 'message' | 'members' | 'evidence'
>;

/** A new incident before its first change. */
export function seedIncident(seed: IncidentSeed, severity: Severity, at: Instant): IncidentRecord {
  return { ...newLife(severity, at), ...seed, endedAt: null };
}

/** The incident as the API and the webhooks show it. Who is limited to groups sees of one that concerns everybody only that it is there. */
export function toWireIncident(record: IncidentRecord, isLimited: boolean): Incident {
  const isHidden = isLimited && record.groups.includes(everybody);
  return {
    incidentId: record.incidentId,
    kind: record.kind,
    severity: record.severity,
    status: record.status,
    groups: record.groups,
    scope: record.scope,
    title: record.title,
    message: isHidden ? record.title : record.message,
    startedAt: record.timestamp,
    endedAt: record.endedAt,
    members: isHidden ? null : record.members,
    evidence: isHidden ? [] : record.evidence,
    availableActions: isHidden ? ['view-history'] : availableActions(record.status),
    acknowledgedAt: record.acknowledgedAt,
    acknowledgedBy: isHidden ? null : record.acknowledgedBy,
    escalatedAt: record.escalatedAt,
    snoozedUntil: record.snoozedUntil,
    resolvedAt: record.resolvedAt,
    team: record.team,
    priority: record.priority,
    maintenance: null,
  };
}
