import { groupKind } from '../device/places.ts';
import { isNearlyNone } from '../incident/gathered.ts';
import type { IncidentRecord, Members, OutageState } from '../incident/incident.ts';
import { thresholds, type Waits } from '../limits.ts';
import type { Darkness } from '../sight/intervals.ts';
import { type Instant, msBetween, plus } from '../time.ts';
import { outageNow, sumOfMembers } from './outage.ts';
import { isPlaced, keysOfPlace, placeIdOf } from './places.ts';
import { inferScopes, isBack, type OutageScope, type PlaceChain, type PlaceCount } from './scopes.ts';
import { withEnd, withSpell } from './spells.ts';

/** The loss of a camera that no look has judged yet. `lostAt`: when the camera was known to be connected for the last time. */
export type CameraLoss = { alertId: string; groupId: string; places: PlaceChain; lostAt: Instant; darkness: Darkness };

/** Losses that belong together. */
export type Together = {
  losses: CameraLoss[];
  /** Where they are. Null: nothing more is dark than the outage that they join. */
  scope: OutageScope | null;
  /** The open outage that they join. */
  joins: IncidentRecord | null;
  /** The outage of this place that ended a short time ago, and continues. */
  again: IncidentRecord | null;
  /** Open outages of narrower places that become part of this one, the first of them first. */
  parts: IncidentRecord[];
};

/** What a look decides about new losses. `waiting`: a person resolved the outage there and muted it, so the next looks judge them. */
export type Judgement = { together: Together[]; alone: CameraLoss[]; waiting: CameraLoss[] };

/**
 * Decides which losses belong to an outage and which stand alone. Neither the order of the facts nor copies of them change it.
 * @param outages those that are open or have ended a short time ago
 */
export function judge(
  given: readonly CameraLoss[],
  counts: readonly PlaceCount[],
  outages: readonly IncidentRecord[],
  now: Instant,
  waits: Waits,
): Judgement {
  const losses = [...new Map(given.map((loss) => [loss.alertId, loss])).values()].toSorted(byAge);
  const scopeOf = inferScopes(
    losses.map(({ places }) => places),
    counts,
  );
  const open = outages.filter(({ endedAt, status }) => endedAt === null && status !== 'resolved');
  const found = losses.map((loss) => {
    const scope = scopeOf(loss.places);
    const covering = widestOf(open.filter((each) => isAt(loss, each)));
    const isCovered = covering !== null && (scope === null || !isWiderThan(scope, covering));
    return { loss, scope: isCovered ? null : scope, covering };
  });
  const judgement: Judgement = { together: [], alone: [], waiting: [] };
  const keyOf = ({ scope, covering }: (typeof found)[number]) =>
    scope ? placeIdOf(scope.counted.place) : (covering?.incidentId ?? null);
  for (const [key, group] of Map.groupBy(found, keyOf)) {
    const members = group.map(({ loss }) => loss);
    const [first] = group;
    if (key === null || !first) judgement.alone.push(...members);
    else if (first.scope === null)
      judgement.together.push({ losses: members, scope: null, joins: first.covering, again: null, parts: [] });
    else if (outages.some((each) => isMuted(each, key, now, waits))) judgement.waiting.push(...members);
    else judgement.together.push({ losses: members, joins: null, ...extentOf(first.scope, members, outages) });
  }
  return judgement;
}

function byAge(a: CameraLoss, b: CameraLoss): number {
  const [one, other] = [`${a.lostAt} ${a.alertId}`, `${b.lostAt} ${b.alertId}`];
  return one < other ? -1 : 1;
}

function extentOf(scope: OutageScope, losses: readonly CameraLoss[], outages: readonly IncidentRecord[]) {
  const { place } = scope.counted;
  const placeId = placeIdOf(place);
  const keys = new Set(keysOfPlace(place));
  const isWithin = (each: IncidentRecord) =>
    each.outage?.placeId !== placeId &&
    ((each.outage?.around ?? []).some((key) => keys.has(key)) ||
      losses.some((loss) => isAt(loss, each)) ||
      (place.kind === groupKind && each.groups.length === 1 && each.groups[0] === place.id));
  const parts = outages
    .filter((each) => each.endedAt === null && isWithin(each))
    .toSorted((a, b) => (`${a.timestamp} ${a.incidentId}` < `${b.timestamp} ${b.incidentId}` ? -1 : 1));
  const again = outages.find((each) => isReturnable(each, placeId));
  return { scope, again: again ?? null, parts };
}

/** An outage that a person resolved does not continue, and one that became part of a wider one is that one. */
function isReturnable({ endedAt, outage, joinedTo, resolution }: IncidentRecord, placeId: string): boolean {
  return endedAt !== null && outage?.placeId === placeId && joinedTo === null && resolution === 'automatic';
}

/** Whether a camera hangs on the place of an outage. */
function isAt(loss: CameraLoss, { scope, groups }: IncidentRecord): boolean {
  return isPlaced(loss, { ...scope, groups });
}

function isWiderThan({ counted }: OutageScope, { outage }: IncidentRecord): boolean {
  return placeIdOf(counted.place) !== outage?.placeId && counted.total > (outage?.size ?? 0);
}

function widestOf(outages: readonly IncidentRecord[]): IncidentRecord | null {
  const sizeOf = ({ outage }: IncidentRecord) => outage?.size ?? 0;
  return outages.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (a.incidentId < b.incidentId ? -1 : 1))[0] ?? null;
}

/** Whether a person resolved the last outage of a place so shortly ago that it is not raised again. `follow` ends it when that time is over. */
function isMuted(
  { endedAt, outage, resolution, resolvedAt }: IncidentRecord,
  placeId: string,
  now: Instant,
  { manualMute }: Waits,
): boolean {
  if (outage?.placeId !== placeId || resolution !== 'manual' || resolvedAt === null) return false;
  return endedAt === null || now < plus(resolvedAt, manualMute);
}

/** An outage at a horizon: its place, and its members by group. `gone`: members that moved or were removed. */
export type OutageView = {
  total: number;
  dark: number;
  /** Cameras of the place that were dark before the outage, and count neither as dark nor as of it. */
  before: number;
  byGroup: Record<string, GroupView>;
  /** Places among what is left that are dark by themselves. Empty while the place is dark as a whole. */
  rest: readonly OutageScope[];
  /** How often the cameras report that are still dark. */
  periodMs: number;
};

type GroupView = { total: number; dark: number; open: number; gone: number };

export type OutageCourse = {
  incident: IncidentRecord;
  /** `recover`: part of it is back, and people hear that once. `widen`: the part of a group is dark, or dark again. `leave`: what is left stands alone. `split`: it is an outage of its own. */
  does: 'nothing' | 'update' | 'recover' | 'widen' | 'end' | 'leave' | 'split' | 'narrow';
  parts: OutageParts;
};

/** Groups of a shared place whose part has ended, is dark for the first time, or is dark again. */
export type OutageParts = { ended: string[]; opened: string[]; reopened: string[] };

/** Follows an open outage up to the horizon. */
export function follow(before: IncidentRecord, seen: OutageView, horizon: Instant, waits: Waits): OutageCourse {
  const { outage } = before;
  if (!outage || horizon <= outage.lookedAt) {
    return { incident: before, does: 'nothing', parts: { ended: [], opened: [], reopened: [] } };
  }
  const byGroup = Object.fromEntries(
    Object.entries(seen.byGroup).map(([group, each]) => [group, membersOf(before.byGroup[group], each)]),
  );
  const members = sumOfMembers(Object.values(byGroup));
  const isPlaceBack = isBack(seen);
  const isOver = isNearlyNone(members) && isPlaceBack;
  const course = {
    lookedAt: horizon,
    backSince: isPlaceBack ? (outage.backSince ?? horizon) : null,
    returnedAt: members.now < before.members.now ? horizon : outage.returnedAt,
    spells: spellsOf(outage.spells, isOver, isPlaceBack, horizon),
  };
  const quiet = keptQuiet(before, members, horizon);
  const counted = { ...before, ...quiet, members, byGroup, outage: { ...outage, ...course } };
  const groupEnds = groupEndsOf(counted, seen, horizon);
  const incident = outageNow({ ...counted, outage: { ...counted.outage, groupEnds } }, seen);
  const parts = partsOf(before, outage.groupEnds, groupEnds);
  const isPartNews = parts.ended.length + parts.opened.length + parts.reopened.length > 0;
  const found = courseOf(incident, seen, isOver, horizon, waits);
  const does = isPartNews && (found === 'nothing' || found === 'update') ? newsOfParts(incident, parts) : found;
  const isTold = does === 'update' || does === 'recover' || does === 'widen';
  const announcedCount = isTold ? members.now : outage.announcedCount;
  const isRecoveryTold = outage.isRecoveryTold || found === 'recover';
  return {
    incident: { ...incident, outage: { ...outage, ...course, groupEnds, announcedCount, isRecoveryTold } },
    does,
    parts,
  };
}

/** Which parts change. One that was not hit when its outage began is dark for the first time. */
function partsOf(
  { byGroup }: IncidentRecord,
  before: Record<string, Instant>,
  after: Record<string, Instant>,
): OutageParts {
  const dark = Object.keys(before).filter((group) => !(group in after));
  const wasHit = (group: string) => (byGroup[group]?.peak ?? 0) > 0;
  return {
    ended: Object.keys(after).filter((group) => !(group in before)),
    opened: dark.filter((group) => !wasHit(group)),
    reopened: dark.filter(wasHit),
  };
}

/** What people hear of parts of an outage: that one is back, or is dark although they heard that it was back or not hit. */
function newsOfParts({ announcedAt }: IncidentRecord, { opened, reopened }: OutageParts): OutageCourse['does'] {
  if (announcedAt === null) return 'update';
  return opened.length + reopened.length > 0 ? 'widen' : 'recover';
}

/** The groups of a shared place whose own cameras are back while others are dark. */
function groupEndsOf(
  { groups, byGroup, outage, flapping }: IncidentRecord,
  seen: OutageView,
  horizon: Instant,
): Record<string, Instant> {
  if (groups.length < 2 || flapping) return {};
  const isOver = (group: string) => {
    const [members, own] = [byGroup[group], seen.byGroup[group]];
    const isKnown = members && (members.peak > 0 || group in (outage?.groupEnds ?? {}));
    return isKnown && own && isNearlyNone(members) && isBack(own);
  };
  const ended = groups.filter(isOver);
  return Object.fromEntries(ended.map((group) => [group, outage?.groupEnds[group] ?? horizon]));
}

function courseOf(
  incident: IncidentRecord,
  seen: OutageView,
  isOver: boolean,
  horizon: Instant,
  waits: Waits,
): OutageCourse['does'] {
  const { flapping, members, outage } = incident;
  if (!outage) return 'nothing';
  if (isOver && isSettled(incident, horizon, waits)) return 'end';
  const { resolution, resolvedAt } = incident;
  // What a person resolved speaks for nobody any more: what is lost there after the mute is another outage.
  if (resolution === 'manual' && resolvedAt !== null && horizon >= plus(resolvedAt, waits.manualMute)) return 'end';
  const ofRest = isOver || flapping ? null : courseOfRest(incident, seen, horizon, waits);
  if (ofRest) return ofRest;
  if (isRecoveryDue(incident) && isQuiet(outage, seen, horizon, waits)) return 'recover';
  const isNews = Math.abs(members.now - outage.announcedCount) >= Math.max(1, thresholds.darkAtEnd * members.peak);
  return isNews ? 'update' : 'nothing';
}

/** Whether an outage that is over has ended: a flapping one only when its place has not been dark for a while. */
function isSettled({ flapping, outage }: IncidentRecord, horizon: Instant, { spellsQuiet }: Waits): boolean {
  const litAt = outage?.spells.at(-1)?.litAt ?? null;
  return !flapping || (litAt !== null && msBetween(litAt, horizon) >= spellsQuiet);
}

/** What becomes of the rest of an outage whose place is back. Null: more cameras may come back. */
function courseOfRest(
  { announcedAt, outage }: IncidentRecord,
  seen: OutageView,
  horizon: Instant,
  waits: Waits,
): 'narrow' | 'split' | 'leave' | null {
  if (!outage || outage.backSince === null) return null;
  if (seen.rest.length > 0) {
    if (announcedAt === null) return 'narrow';
    return isQuiet(outage, seen, horizon, waits) ? 'split' : null;
  }
  const [quietMs, backMs] = [msBetween(outage.returnedAt, horizon), msBetween(outage.backSince, horizon)];
  return quietMs >= waits.outageSettle || backMs >= waits.outageLongest ? 'leave' : null;
}

/** Whether so long no camera has come back that those that are still dark, which report so often, would have. */
function isQuiet({ returnedAt }: OutageState, { periodMs }: OutageView, horizon: Instant, waits: Waits): boolean {
  return msBetween(returnedAt, horizon) >= Math.max(waits.outageRest, periodMs + waits.outageRestSlack);
}

/** Whether half of an outage is back that people know of, and they have not heard that yet. */
function isRecoveryDue({ announcedAt, flapping, members, outage }: IncidentRecord): boolean {
  if (announcedAt === null || flapping || outage?.isRecoveryTold) return false;
  return members.now > 0 && members.back >= members.peak / 2;
}

/** A flapping outage stays open while its place comes and goes. */
function spellsOf(spells: OutageState['spells'], isOver: boolean, isPlaceBack: boolean, horizon: Instant) {
  if (isOver) return withEnd(spells, horizon);
  const isLit = (spells.at(-1)?.litAt ?? null) !== null;
  return isLit && !isPlaceBack ? withSpell(spells, horizon) : spells;
}

/**
 * A member whose camera is back counts as back, although its alert may stay open because it comes and goes. As long as the place is dark as a whole, a
 * camera that was dark when the outage was found, and whose alert opens later, is not back.
 */
function membersOf(before: Members = { now: 0, peak: 0, back: 0 }, { open, dark, gone, total }: GroupView): Members {
  const expected = isBack({ total, dark }) ? open : Math.max(open, before.peak - gone);
  const now = Math.min(expected, dark);
  const peak = Math.max(before.peak, now);
  return { now, peak, back: Math.max(0, peak - now - gone) };
}

/** If a maintenance window silences the incident and members have joined, evaluates it again: the window may not cover the new ones. */
function keptQuiet(
  { maintenanceUntil, dueAt, members }: IncidentRecord,
  { peak }: Members,
  at: Instant,
): Pick<IncidentRecord, 'maintenanceUntil' | 'dueAt'> {
  const isAsked = maintenanceUntil !== null && peak > members.peak;
  return isAsked ? { maintenanceUntil: at, dueAt: at } : { maintenanceUntil, dueAt };
}
