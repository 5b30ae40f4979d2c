import type { Incident } from '../../schema/incident/incident.ts';
import type { IncidentKind, Severity } from '../../schema/vocabulary.ts';
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
  members: Members;
  /** The same of each group, where it is of several. */
  byGroup: Record<string, Members>;
  evidence: string[];
  /** What an outage is looked at by; null of any other kind. */
  outage: OutageScope | null;
  /** The wider one that speaks for it. */
  joinedTo: string | null;
  /** Versions whose changes people were notified of, the latest: whether one of them has left tells who knows of it. */
  toldVersions: number[];
};

/** What an outage is looked at by. */
export type OutageScope = {
  placeId: string;
  /** What was dark up to here tells nothing of it. */
  from: Instant;
  /** Devices of its place: the widest of two is the one that speaks for both. */
  size: number;
  /** Since when its place is no longer dark as a whole. */
  backSince: Instant | null;
  /** Members that endpoints were last told of. */
  toldNow: number;
};

/** Members that are open, the most that there were, and those that are over. */
export type Members = { now: number; peak: number; back: number };

/** One line of its trail. */
export type IncidentEntry = TrailLine<IncidentRecord> & { entryId: string; incidentId: string };

/** Kinds of incidents that a sweep gathers from cameras which have something in common. */
export type GatheredKind = Extract<IncidentKind, 'unreadable' | 'guardians'>;

/** What is open of a kind, and up to when the sweep has looked at what began: one record of each kind, so that no two sweeps open the same. */
export type GatheringRecord = {
  platformId: GatheredKind;
  kind: 'gathering';
  upTo: Instant;
  open: { key: string; incidentId: string }[];
};

/** What concerns everybody is of every group. */
export const everybody = '*';

type IncidentSeed = Pick<
  IncidentRecord,
  'incidentId' | 'kind' | 'groups' | 'scope' | 'title' | 'message' | 'members' | 'evidence'
>;

/** A new incident before its first change. */
export function seedIncident(seed: IncidentSeed, severity: Severity, at: Instant): IncidentRecord {
  return {
    ...newLife(severity, at),
    ...seed,
    byGroup: {},
    outage: null,
    joinedTo: null,
    toldVersions: [],
    endedAt: null,
  };
}

/** Who may see what of an incident: the groups of a bearer or an endpoint that is limited to them; null: everything. */
export type View = readonly string[] | null;

/** Whether it is there for who has this view. */
export function concerns({ groups }: Pick<IncidentRecord, 'groups'>, view: View): boolean {
  return view === null || groups.some((group) => group === everybody || view.includes(group));
}

/** Who is limited and has not all of its groups sees of it what concerns his own, and that it is there. */
export function isPartly({ groups }: Pick<IncidentRecord, 'groups'>, view: View): boolean {
  return view !== null && !groups.every((group) => view.includes(group));
}

/** The incident as the API and the webhooks show it. */
export function toWireIncident(record: IncidentRecord, view: View): Incident {
  const isHidden = isPartly(record, view);
  const groups =
    view === null ? record.groups : record.groups.filter((group) => group === everybody || view.includes(group));
  return {
    incidentId: record.incidentId,
    kind: record.kind,
    severity: record.severity,
    status: record.status,
    groups,
    scope: record.scope,
    title: record.title,
    message: isHidden ? record.title : record.message,
    startedAt: record.timestamp,
    endedAt: record.endedAt,
    members: isHidden ? ownMembers(record, groups) : record.members,
    evidence: isHidden ? [] : record.evidence,
    availableActions: isHidden ? ['view-history'] : availableActions(record.status),
    acknowledgedAt: record.acknowledgedAt,
    acknowledgedBy: isHidden ? null : record.acknowledgedBy,
    escalatedAt: record.escalatedAt,
    snoozedUntil: record.snoozedUntil,
    resolvedAt: record.resolvedAt,
    team: isHidden ? null : record.team,
    priority: record.priority,
    maintenance: isHidden ? null : (record.maintenance ?? null),
    joinedTo: isHidden ? null : (record.joinedTo ?? null),
  };
}

function ownMembers({ byGroup = {}, groups }: IncidentRecord, own: readonly string[]): Members | null {
  if (groups.includes(everybody)) return null;
  const counts = own.map((group) => byGroup[group] ?? { now: 0, peak: 0, back: 0 });
  const sum = (member: keyof Members) => counts.reduce((total, each) => total + each[member], 0);
  return { now: sum('now'), peak: sum('peak'), back: sum('back') };
}
