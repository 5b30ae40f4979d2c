import type { Incident } from '../../schema/incident/incident.ts';
import type { IncidentKind, Severity } from '../../schema/vocabulary.ts';
import { type Life, newLife } from '../alert/alert.ts';
import { availableActions } from '../alert/change.ts';
import type { TrailLine } from '../alert/lifecycle.ts';
import { everybody } from '../event/event.ts';
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
  /** The same counts for each group. Empty where the incident concerns everybody. */
  byGroup: Record<string, Members>;
  evidence: string[];
  /** The place and the course of an outage. Null for any other kind of incident. */
  outage: OutageState | null;
  /** Until when each look loads it: an outage is looked at while it is open, and may return for a while after that. Null for other kinds. */
  lookUntil: Instant | null;
  /** The wider incident that notifies people in its place. */
  joinedTo: string | null;
  /**
   * The versions that notified people of its beginning: the first and the latest ones. If the message of one of them was sent, people know of the
   * incident.
   */
  notifiedVersions: number[];
  /** Ids of the targets of its opening or escalation. Absent in older records. */
  notifiedTargets?: string[];
  /** The teams that the rules name for its groups, and `operations` for groups without one. */
  groupTeams: string[];
};

/** The place of an outage and what the looks have seen of it. */
export type OutageState = {
  placeId: string;
  /** Devices that became dark before this are unrelated. */
  from: Instant;
  /** Number of devices at its place. */
  size: number;
  /** Keys of the wider places that its first members hang on: an outage of one of these includes it. */
  around: string[];
  /** The horizon of the last look. */
  lookedAt: Instant;
  /** Since when its place is no longer dark as a whole. */
  backSince: Instant | null;
  /** When fewer members were dark than before, for the last time. */
  returnedAt: Instant;
  /** When it was dark, oldest first. */
  spells: Spell[];
  /** The number of members in the last event for endpoints. */
  announcedCount: number;
  /** People were told that part of it is back. */
  isRecoveryTold: boolean;
  /** When the part of a group ended, where several share the place and others are still dark. */
  groupEnds: Record<string, Instant>;
  /** The outage whose rest it is, with the version that ended it: whoever was told of that end knows of this one. */
  continues: { incidentId: string; version: number } | null;
};

/** A time in which a place was dark. `litAt` null: it still is. `lastReportBy`: its first camera was seen last at `darkAt`, or up to then. */
export type Spell = { darkAt: Instant; litAt: Instant | null; lastReportBy?: Instant | null };

/** Open members, their highest number at one time, and members that have ended. */
export type Members = { now: number; peak: number; back: number };

/** One line of its trail. */
export type IncidentEntry = TrailLine<IncidentRecord> & { entryId: string; incidentId: string };

/** Kinds of incidents that a sweep opens when cameras share a cause. */
export type GatheredKind = Extract<IncidentKind, 'unreadable' | 'guardians'>;

/**
 * The open incidents of a kind, and the time up to which the sweep has searched. One record per kind, so that two sweeps do not open the same
 * incident.
 */
export type GatheringRecord = {
  platformId: GatheredKind;
  kind: 'gathering';
  upTo: Instant;
  open: { key: string; incidentId: string }[];
};

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
    lookUntil: null,
    joinedTo: null,
    notifiedVersions: [],
    notifiedTargets: [],
    groupTeams: [],
    endedAt: null,
  };
}

/** Which incidents a bearer or an endpoint may see: those of these groups. Null: all. */
export type View = readonly string[] | null;

/** Whether an incident is visible in a view. */
export function concerns({ groups }: Pick<IncidentRecord, 'groups'>, view: View): boolean {
  return view === null || groups.some((group) => group === everybody || view.includes(group));
}

/** Whether a viewer is limited to some of the incident's groups. Such a viewer sees that the incident exists and what concerns these groups. */
export function isPartly({ groups }: Pick<IncidentRecord, 'groups'>, view: View): boolean {
  return view !== null && !groups.every((group) => view.includes(group));
}

/** The incident as the API and the webhooks show it. */
export function toWireIncident(record: IncidentRecord, view: View): Incident {
  const isHidden = isPartly(record, view);
  const groups = view === null ? record.groups : inView(record, view);
  const endedAt = partEndedAt(record, view === null ? null : groups);
  const isPartOver = endedAt !== null && record.endedAt === null;
  const status = isPartOver ? 'resolved' : record.status;
  const details = isHidden ? detailsOfPart(record, groups) : record;
  return {
    incidentId: record.incidentId,
    kind: record.kind,
    severity: record.severity,
    status,
    groups,
    scope: record.scope,
    title: record.title,
    message: details.message,
    startedAt: record.timestamp,
    endedAt,
    members: details.members,
    evidence: details.evidence,
    availableActions: isHidden ? ['view-history'] : availableActions(status),
    acknowledgedAt: record.acknowledgedAt,
    acknowledgedBy: details.acknowledgedBy,
    escalatedAt: record.escalatedAt,
    snoozedUntil: record.snoozedUntil,
    respondBy: details.respondBy,
    resolvedAt: isPartOver ? endedAt : record.resolvedAt,
    team: details.team,
    priority: record.priority,
    maintenance: details.maintenance ?? null,
    joinedTo: details.joinedTo ?? null,
    continuesId: record.outage?.continues?.incidentId ?? null,
    spells: spellsOf(record, view),
    isFlapping: record.flapping,
    groupEnds: endsIn(record, groups),
    version: record.version,
  };
}

/** When the place of an outage was dark. Empty for a viewer who is limited to some of its groups. */
export function spellsOf(record: IncidentRecord | null, view: View): Incident['spells'] {
  if (record === null || isPartly(record, view)) return [];
  return (record.outage?.spells ?? []).map(({ darkAt, litAt }) => ({ darkAt, litAt }));
}

/** The ends of the parts that a viewer may know of. */
function endsIn({ outage }: IncidentRecord, groups: readonly string[]): Record<string, Instant> {
  const ends = Object.entries(outage?.groupEnds ?? {});
  return Object.fromEntries(ends.filter(([group]) => groups.includes(group)));
}

/** What a viewer who is limited to some of the groups sees in place of the details of the whole. */
function detailsOfPart(record: IncidentRecord, groups: readonly string[]) {
  const whose = { acknowledgedBy: null, respondBy: null, team: null, maintenance: null, joinedTo: null };
  return { ...whose, message: record.title, members: ownMembers(record, groups), evidence: [] };
}

/** Whether an incident lasts, but not for this viewer: the parts of all his groups have ended. */
export function isPartOver(record: IncidentRecord, view: View): boolean {
  return record.endedAt === null && view !== null && partEndedAt(record, inView(record, view)) !== null;
}

function inView({ groups }: IncidentRecord, view: readonly string[]): string[] {
  return groups.filter((group) => group === everybody || view.includes(group));
}

/** When the part of these groups ended: with the incident, or before it with the last of them. Null: it lasts. `groups` null: all of it. */
export function partEndedAt({ endedAt, outage }: IncidentRecord, groups: readonly string[] | null): Instant | null {
  if (endedAt !== null || groups === null || groups.length === 0) return endedAt;
  const ends = groups.map((group) => outage?.groupEnds[group] ?? null);
  return ends.every((at) => at !== null) ? (ends.toSorted().at(-1) ?? null) : null;
}

function ownMembers({ byGroup = {}, groups }: IncidentRecord, own: readonly string[]): Members | null {
  if (groups.includes(everybody)) return null;
  const counts = own.map((group) => byGroup[group] ?? { now: 0, peak: 0, back: 0 });
  const sum = (member: keyof Members) => counts.reduce((total, each) => total + each[member], 0);
  return { now: sum('now'), peak: sum('peak'), back: sum('back') };
}
