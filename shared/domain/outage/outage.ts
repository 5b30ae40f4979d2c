import { v5 as uuidv5 } from 'uuid';
import { actorName } from '../alert/change.ts';
import { type IncidentRecord, type Members, type OutageState, seedIncident } from '../incident/incident.ts';
import type { Waits } from '../limits.ts';
import type { Darkness } from '../sight/intervals.ts';
import { type Instant, msBetween, plus, spell } from '../time.ts';
import { keysOfPlace, type OutagePlace, placeIdOf, placeTitle } from './places.ts';
import { type OutageScope, type PlaceCount, shareOf } from './scopes.ts';
import { darkShare, isFlapping, withEnd, withSpell } from './spells.ts';

const namespace = '2f0c4a5d-8e0b-5a7c-93f1-6f2a7d1b9c44';

/** A look takes up an outage until this time as long as it is open. */
const always = '9999-12-31T00:00:00.000Z';
/** Maximum number of evidence lines, of wider places that are kept, and of cameras that an end names. */
const mostEvidence = 20;
const mostAround = 20;

/**
 * Until when an outage may still become wider before people are notified. Where its cameras were declared lost without waiting for their silence, that
 * is soon enough for a phone to have it eight minutes after the first loss.
 */
export function graceOf(firstAt: Instant, now: Instant, { placeGrace, placeTold }: Waits): Instant {
  const [usual, wanted] = [plus(now, placeGrace), plus(firstAt, placeTold)];
  return wanted > plus(now, placeGrace / 3) && wanted < usual ? wanted : usual;
}

/** What a look knows of the extent of a failure when it opens, moves or continues an outage there. */
export type Extent = {
  scope: OutageScope;
  /** When the first of its cameras was seen last, and between which times the cameras of the place became dark. */
  first: Darkness;
  /** Up to when the reports of its cameras are known. */
  seenAt: Instant;
  darkness: { firstAt: Instant; lastAt: Instant } | null;
  /** Until when those of its cameras are in maintenance that are, as people read it. Null: none is. */
  maintainedUntil: string | null;
  /** How many of its cameras are dark, by group. */
  byGroup: Record<string, number>;
  /** The counted places on which all of its cameras hang. */
  around: readonly PlaceCount[];
};

/** The outage of a place that went dark. People are notified a little later, because more places may go dark or the outage may end. */
export function outageOf(extent: Extent, state: OutagePlace | null, notifyAfter: Instant | null): IncidentRecord {
  const { place } = extent.scope.counted;
  const { since: startedAt, lastReportBy } = extent.first;
  const seed = {
    incidentId: outageIdOf(placeIdOf(place), (state?.opened ?? 0) + 1),
    kind: 'outage' as const,
    ...textsOf(extent),
    ...membersOf(extent, null),
  };
  const incident = { ...seedIncident(seed, 'CRITICAL', startedAt), byGroup: seed.byGroup };
  const course = { ...begun(extent), spells: withSpell([], startedAt, lastReportBy), continues: null };
  return { ...incident, notifyAfter, outage: { ...placeState(extent), ...course }, lookUntil: always };
}

/** The id of the outage that was opened at a place as the first, the second and so on. */
export function outageIdOf(placeId: string, opened: number): string {
  return uuidv5(JSON.stringify([placeId, opened]), namespace);
}

/** Whether an outage had become part of a wider one, and its cameras have been dark ever since: what is found at its place now goes on with it. */
export function wentOn({ joinedTo, timestamp, outage }: IncidentRecord, firstAt: Instant): boolean {
  return joinedTo !== null && firstAt <= (outage?.spells.at(-1)?.darkAt ?? timestamp);
}

/** An outage that was not announced yet, at the place that it turned out to have. */
export function outageAt(incident: IncidentRecord, extent: Extent): IncidentRecord {
  const { outage, evidence } = incident;
  const texts = textsOf(extent);
  const course = { ...begun(extent), spells: outage?.spells ?? [], continues: outage?.continues ?? null };
  return {
    ...incident,
    ...texts,
    ...membersOf(extent, null),
    evidence: [...texts.evidence, ...evidence].slice(0, mostEvidence),
    outage: { ...placeState(extent), ...course },
  };
}

/** An outage whose place is dark again. */
export function outageAgain(incident: IncidentRecord, extent: Extent, horizon: Instant, waits: Waits): IncidentRecord {
  const { outage } = incident;
  if (!outage) return incident;
  const { since, lastReportBy } = extent.first;
  const spells = withSpell(withEnd(outage.spells, incident.endedAt ?? since), since, lastReportBy);
  const { message, evidence } = textsOf(extent);
  const often = isFlappingOutage(spells, horizon, waits)
    ? `It comes and goes: ${darkShare(spells, horizon, waits)}.`
    : `Dark again, for the ${ordinalOf(spells.length)} time.`;
  return {
    ...incident,
    endedAt: null,
    lookUntil: always,
    ...membersOf(extent, incident),
    message: `${often} ${message}`,
    // What was counted in an earlier spell says nothing of this one.
    evidence,
    outage: { ...outage, ...begun(extent), spells },
  };
}

export function isFlappingOutage(spells: OutageState['spells'], now: Instant, waits: Waits): boolean {
  return isFlapping(
    spells.map(({ darkAt }) => darkAt),
    now,
    waits,
  );
}

function ordinalOf(count: number): string {
  const suffixes: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd' };
  return `${count}${count > 10 && count < 14 ? 'th' : (suffixes[count % 10] ?? 'th')}`;
}

/** An outage before the first look that follows it. Of groups that share its place, those without a dark camera have no part in it yet. */
function begun({ seenAt, byGroup, scope }: Extent) {
  const announcedCount = Object.values(byGroup).reduce((sum, count) => sum + count, 0);
  const { groups } = scope.counted.place;
  const lit = groups.length < 2 ? [] : groups.filter((group) => (byGroup[group] ?? 0) === 0);
  const groupEnds = Object.fromEntries(lit.map((group) => [group, seenAt]));
  const untold = { announcedCount, isRecoveryTold: false, groupEnds };
  return { lookedAt: seenAt, returnedAt: seenAt, backSince: null, ...untold };
}

/** Its members by group. The highest number of an earlier spell stands. */
function membersOf(
  { byGroup: dark }: Extent,
  before: IncidentRecord | null,
): Pick<IncidentRecord, 'members' | 'byGroup'> {
  const counted = Object.entries(dark).map(([group, now]): [string, Members] => {
    const peak = Math.max(now, before?.byGroup[group]?.peak ?? 0);
    return [group, { now, peak, back: peak - now }];
  });
  return { byGroup: Object.fromEntries(counted), members: sumOfMembers(counted.map(([, members]) => members)) };
}

export function sumOfMembers(counts: readonly Members[]): Members {
  const sum = (member: keyof Members) => counts.reduce((all, each) => all + each[member], 0);
  return { now: sum('now'), peak: sum('peak'), back: sum('back') };
}

function placeState({ scope: { counted, baseline }, around }: Extent) {
  const wider = widerThan(counted, around);
  return {
    placeId: placeIdOf(counted.place),
    from: counted.from[baseline],
    size: counted.total,
    around: wider.flatMap(({ place }) => keysOfPlace(place)).slice(0, mostAround),
  };
}

function textsOf({ scope: { counted, baseline }, darkness, around, maintainedUntil }: Extent) {
  const { place } = counted;
  const { total, dark } = shareOf(counted, baseline);
  const within = darkness ? ` within ${spell(msBetween(darkness.firstAt, darkness.lastAt))}` : '';
  const [wider] = widerThan(counted, around);
  const beside = besideOf(counted.before[baseline], counted.maintained, maintainedUntil);
  return {
    groups: place.groups.toSorted(),
    scope: { kind: place.kind, id: place.id, name: place.name },
    title: `Outage ${placeTitle(place)}`,
    message: [darkOf(dark, total, placeTitle(place)), ...beside].join(' '),
    evidence: [
      [`${dark} of ${total} cameras ${placeTitle(place)} dark${within}`, ...beside].join('. '),
      ...(wider ? [elsewhere(counted, wider)] : []),
    ],
  };
}

function darkOf(dark: number, total: number, where: string): string {
  return `${dark} of ${total} cameras ${where} ${dark === 1 ? 'is' : 'are'} dark.`;
}

/** The places around a place, the narrowest first. */
function widerThan(counted: PlaceCount, around: readonly PlaceCount[]): PlaceCount[] {
  const isWider = ({ total, place }: PlaceCount) =>
    total > counted.total && placeIdOf(place) !== placeIdOf(counted.place);
  return around
    .filter(isWider)
    .toSorted((a, b) => a.total - b.total || (placeIdOf(a.place) < placeIdOf(b.place) ? -1 : 1));
}

/** What is dark there too but does not belong to the outage. */
function besideOf(before: number, maintained: number, maintainedUntil: string | null = null): string[] {
  const earlier = before > 0 ? [`${before} more ${before === 1 ? 'was' : 'were'} dark before.`] : [];
  const until = maintainedUntil === null ? '' : ` until ${maintainedUntil}`;
  const kept = maintained > 0 ? [`${maintained} more ${maintained === 1 ? 'is' : 'are'} in maintenance${until}.`] : [];
  return [...earlier, ...kept];
}

function elsewhere(counted: PlaceCount, around: PlaceCount): string {
  const total = around.total - counted.total;
  const dark = Math.max(0, around.dark - counted.dark);
  return `${Math.max(0, total - dark)} of ${total} elsewhere ${placeTitle(around.place)} report`;
}

/** The outage with its present numbers. */
export function outageNow(
  incident: IncidentRecord,
  { total, dark, before }: { total: number; dark: number; before: number },
): IncidentRecord {
  const { scope, groups, outage, byGroup } = incident;
  const { back } = incident.members;
  const returned = back > 0 ? [`${back} ${back === 1 ? 'is' : 'are'} back.`] : [];
  const ended = groups.filter((group) => group in (outage?.groupEnds ?? {}) && (byGroup[group]?.peak ?? 0) > 0);
  const parts = ended.length > 0 ? [`Over in ${ended.join(', ')}.`] : [];
  const standing = darkOf(dark, total, placeTitle({ ...scope, groups }));
  return { ...incident, message: [standing, ...besideOf(before, 0), ...returned, ...parts].join(' ') };
}

/** What an end says of its cameras. `still`: those that are still dark, in words. `who`: those who moved or deleted the others. */
export type Remains = { still: string | null; who: string[]; gone: 'moved' | 'deleted' | 'moved or deleted' };

/** How an outage ended: it is not over where none of its cameras came back, because all were moved or deleted. */
export function endingOf(
  { members: { now, back } }: IncidentRecord,
  { gone }: Remains,
): 'automatic' | 'moved' | 'deleted' {
  if (now > 0 || back > 0) return 'automatic';
  return gone === 'deleted' ? gone : 'moved';
}

/** The outage when it has ended: how long it lasted and what remains. */
export function outageEnded(
  incident: IncidentRecord,
  { still, who, gone: how }: Remains,
  at: Instant,
  waits: Waits,
): IncidentRecord {
  const { now, peak, back } = incident.members;
  const { outage } = incident;
  const spells = withEnd(outage?.spells ?? [], at);
  const from = spells.at(-1)?.darkAt ?? incident.timestamp;
  const lasted = incident.flapping ? '' : ` after ${spell(msBetween(from, at))}`;
  const gone = peak - now - back;
  const by = who.length > 0 ? ` by ${who.join(' and ')}` : '';
  const moved = gone > 0 ? `${gone} ${how}${by}, still dark when ${gone === 1 ? 'it' : 'they'} left` : null;
  const left = now === 0 ? '' : `, ${now} still dark${still === null ? '' : `: ${still}`}`;
  const returned = back === 0 && moved !== null ? [] : [`${back} of ${peak} back${lasted}`];
  const message = `${[...returned, ...(moved === null ? [] : [moved])].join(', ')}${left}.`;
  return {
    ...incident,
    endedAt: at,
    lookUntil: plus(
      later(at, incident.resolution === 'manual' ? incident.resolvedAt : null, waits),
      waits.outageReturn,
    ),
    message,
    evidence: [...incident.evidence, message].slice(-mostEvidence),
    outage: outage && { ...outage, spells },
  };
}

/** A person who resolved it mutes its place for a while after that. */
function later(at: Instant, resolvedAt: Instant | null, { manualMute, outageReturn }: Waits): Instant {
  const mutedUntil = resolvedAt === null ? at : plus(resolvedAt, manualMute - outageReturn);
  return mutedUntil > at ? mutedUntil : at;
}

/** The outage when a wider one represents it. */
export function outageJoined(
  incident: IncidentRecord,
  other: Pick<IncidentRecord, 'incidentId' | 'title'>,
  at: Instant,
): IncidentRecord {
  const message = `It is part of a wider one: ${other.title}.`;
  return { ...incident, endedAt: at, lookUntil: null, joinedTo: other.incidentId, message };
}

/** A wider outage that takes the place of one that people were told of. */
export function outageWidened(wider: IncidentRecord, first: IncidentRecord): IncidentRecord {
  const earlier = spell(msBetween(first.timestamp, wider.timestamp));
  const since = first.timestamp < wider.timestamp ? `, ${earlier} earlier` : '';
  const began = `It began ${placeTitle({ ...first.scope, groups: first.groups })}${since}.`;
  const who =
    first.acknowledgedBy && wider.acknowledgedBy === null ? ` ${actorName(first.acknowledgedBy)} has that part.` : '';
  return { ...wider, message: `${wider.message} ${began}${who}` };
}

/** The rest of an outage that is over elsewhere. */
export function outageRest(rest: IncidentRecord, ended: IncidentRecord): IncidentRecord {
  const { outage } = rest;
  const continues = { incidentId: ended.incidentId, version: ended.version };
  return {
    ...rest,
    message: `${rest.message} ${ended.title} is over elsewhere.`,
    outage: outage && { ...outage, continues },
  };
}
