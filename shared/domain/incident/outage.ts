import { v5 as uuidv5 } from 'uuid';
import { type Instant, msBetween, plus, spell } from '../time.ts';
import { type IncidentRecord, type OutageScope, seedIncident } from './incident.ts';
import { type OutagePlace, placeIdOf, type SeenPlace } from './place.ts';

const namespace = '2f0c4a5d-8e0b-5a7c-93f1-6f2a7d1b9c44';

/** The count of a place at a horizon. `state`: the record of the incidents of this place; null: there was never one. */
export type Counted = {
  place: SeenPlace;
  state: OutagePlace | null;
  kind: string;
  total: number;
  dark: number;
  /** When the first and the last of the dark devices became dark. Null where that was not requested. */
  darkness: { firstAt: Instant; lastAt: Instant } | null;
};

/** The name of a place in titles. */
export function placeTitle({ kind, id, name }: Pick<SeenPlace, 'kind' | 'id' | 'name'>): string {
  const named = name ?? id;
  if (kind === 'site') return `at ${named}`;
  return kind === 'group' ? `in group ${named}` : `behind ${kind} ${named}`;
}

/** The incident of a place that went dark. People are notified a little later, because more places may go dark or the outage may end. */
export function outageOf(
  scope: Counted,
  around: Counted | null,
  from: Instant,
  at: Instant,
  waitMs: number,
): IncidentRecord {
  const { place, state } = scope;
  const seed = {
    incidentId: uuidv5(JSON.stringify([placeIdOf(place), (state?.opened ?? 0) + 1]), namespace),
    kind: 'outage' as const,
    groups: place.groups.toSorted(),
    members: { now: 0, peak: 0, back: 0 },
    ...scopeOf(scope, around),
  };
  const incident = seedIncident(seed, 'CRITICAL', scope.darkness?.firstAt ?? at);
  return { ...incident, notifyAfter: plus(at, waitMs), outage: outageScope(scope, from) };
}

/** The outage after its place has become wider or narrower. */
export function outageAt(
  incident: IncidentRecord,
  scope: Counted,
  around: Counted | null,
  how: 'Widened' | 'Narrowed',
): { incident: IncidentRecord; why: string } {
  const from = incident.outage?.from ?? incident.timestamp;
  const widest = scopeOf(scope, around);
  return {
    incident: {
      ...incident,
      ...widest,
      groups: scope.place.groups.toSorted(),
      outage: outageScope(scope, from),
      evidence: [...widest.evidence, ...incident.evidence].slice(0, mostEvidence),
    },
    why: `${how}: ${widest.title}`,
  };
}

/** Maximum number of evidence lines. */
const mostEvidence = 20;

function outageScope({ place, total }: Counted, from: Instant): OutageScope {
  return { placeId: placeIdOf(place), from, size: total, backSince: null, announcedCount: 0 };
}

function scopeOf(scope: Counted, around: Counted | null) {
  const { place, total, dark, darkness } = scope;
  const where = placeTitle(place);
  const within = darkness ? ` within ${spell(msBetween(darkness.firstAt, darkness.lastAt))}` : '';
  const others = around && around.total > total ? elsewhere(scope, around) : [];
  return {
    scope: { kind: place.kind, id: place.id, name: place.name },
    title: `Outage ${where}`,
    message: `${dark} of ${total} cameras ${where} are dark.`,
    evidence: [`${dark} of ${total} cameras ${where} dark${within}`, ...others],
  };
}

function elsewhere({ total, dark }: Counted, around: Counted): string[] {
  const lit = around.total - around.dark - (total - dark);
  return [`${Math.max(0, lit)} of ${around.total - total} elsewhere ${placeTitle(around.place)} report`];
}

/** The outage when it is over: how long it lasted and what remains. `still`: names of some devices that are still dark. */
export function outageEnded(incident: IncidentRecord, still: readonly string[], at: Instant): IncidentRecord {
  const { now, back } = incident.members;
  const lasted = spell(msBetween(incident.timestamp, at));
  const names = still.length === 0 ? '' : `: ${still.join(', ')}${now > still.length ? ' and others' : ''}`;
  const left = now === 0 ? '' : `, ${now} still dark${names}`;
  const message = `${back} back after ${lasted}${left}.`;
  return { ...incident, endedAt: at, message, evidence: [...incident.evidence, message] };
}

/** The outage when a wider one represents it. */
export function outageJoined(
  incident: IncidentRecord,
  other: Pick<IncidentRecord, 'incidentId' | 'title'>,
  at: Instant,
): IncidentRecord {
  const message = `It is part of a wider one: ${other.title}.`;
  return { ...incident, endedAt: at, joinedTo: other.incidentId, message };
}
