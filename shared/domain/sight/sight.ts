import { type SightState, type WayName, type WayState, wayNames } from '../../schema/vocabulary.ts';
import { thresholds, type Waits } from '../limits.ts';
import type { LostTime } from '../restored/restored.ts';
import { earlier, earliest, type Instant, latest, msBetween, plus } from '../time.ts';
import type { CanaryEvidence } from './canary.ts';
import type { DrillView } from './drill-view.ts';

/** A period in which messages could not arrive, or in which nothing shows that they did: canaries were missing, or no sweep ran. */
type Gap = {
  /** All that was published before this had arrived. */
  from: Instant;
  /** What waited has arrived by this time. Null: canaries are still missing. */
  until: Instant | null;
};

/** What one try of a message takes at most: it waits in its own back-off, and then for its acknowledgement. */
const retryLongest = (waits: Waits): number => waits.headBackoff + waits.ackDeadline;

/**
 * The gaps after a period without a sweep. If the store was away, reports are queued, but no canaries are queued with them.
 * A message of the gap before it may have failed again, so that gap lasts longer too. But this happens only once: where one sweep in a few is missed,
 * a single gap that grows would never end, and nothing would be declared lost.
 * @param from the horizon of the last sweep, without the gaps before
 */
export function gapsAfterSleep([first, second]: readonly Gap[], from: Instant, until: Instant): Gap[] {
  if (first === undefined) return [{ from, until }];
  if (second !== undefined) return [first, { ...second, until: latest(second.until, until) }];
  const longer = { ...first, until: latest(first.until, until) };
  return first.until === null ? [longer] : [longer, { from, until }];
}

/** While canaries are missing nothing arrives, so that all gaps are one and it has no end yet. */
export function gapsWhileMissing([first]: readonly Gap[], from: Instant): Gap[] {
  return [{ from: first?.from ?? from, until: null }];
}

/** The gaps that are not over, where no canary is missing. */
export function gapsThatLast(gaps: readonly Gap[], now: Instant, waits: Waits): Gap[] {
  const ending = gaps.map(({ from, until }) => ({ from, until: until ?? plus(now, retryLongest(waits)) }));
  return ending.filter(({ until }) => now < until);
}

/** The beginning of the gaps. Null: there is none. */
export function gapsBegin(gaps: readonly Gap[]): Instant | null {
  return earliest(gaps.map(({ from }) => from));
}

/** What is known of one path by which reports arrive. */
export type WaySight = {
  state: WayState;
  since: Instant;
  /** No report that was published before this is missing. */
  horizonAt: Instant;
  lastHandledAt: Instant | null;
  /** Canaries that were sent and had not arrived at the last sweep, oldest first. */
  waiting: Instant[];
  /** The newest canary that had arrived, and how many sweeps in a row found a newer one. */
  newestAt: Instant | null;
  inARow: number;
  /** Since when reports show that the path works although an earlier canary is missing. */
  openSince: Instant | null;
  /** Since when reports show that the path works while canaries do not arrive: the canary itself is broken. */
  brokenSince: Instant | null;
  /** The horizon stays at the beginning of the first of these, oldest first. */
  gaps: Gap[];
  /** What the horizon would be without the gaps. */
  apparentAt: Instant;
  /** Mass silence that began before this is accepted as real, because it lasted. */
  believedAt: Instant | null;
};

/** What the sweep knows of the platform's own sight. Each sweep rewrites this one record. */
export type SightRecord = {
  platformId: string;
  kind: 'sight';
  sweptAt: Instant;
  state: SightState;
  since: Instant;
  horizonAt: Instant;
  /** When the horizon last went on after it had stood still. Absent: it never stood still. */
  clearSince?: Instant;
  lastReportAt: Instant | null;
  /** The last restore of the database. Absent: there was none. */
  restored?: LostTime & { quietUntil: Instant };
  ways: Record<WayName, WaySight>;
  /** The incident that is open while the platform is blind. */
  incidentId: string | null;
  /** What the standing drill showed at the last sweep. Null: nothing yet. */
  drill: DrillView | null;
};

export const sightId = 'sight';

/** What one sweep observes of a path. Canaries null: none are sent on it, and only reports show its state. */
export type WayEvidence = {
  canaries: (CanaryEvidence & { isSent: boolean }) | null;
  /** The time up to which reports show that the path works. */
  reportsShow: Instant | null;
  /** Where many devices fell silent together: the instant before the first of them was due. */
  massSilentAt: Instant | null;
};

/** The state of a path on which no canary was sent. */
const noCanaries = {
  waiting: [],
  newestAt: null,
  inARow: 0,
  openSince: null,
  brokenSince: null,
} satisfies Partial<WaySight>;

/** The record before the first sweep. Canaries count as missing from now on. */
export function newSight(now: Instant): SightRecord {
  const way: WaySight = {
    state: 'sees',
    since: now,
    horizonAt: now,
    lastHandledAt: null,
    ...noCanaries,
    gaps: [],
    apparentAt: now,
    believedAt: null,
  };
  return {
    platformId: sightId,
    kind: 'sight',
    sweptAt: now,
    state: 'sees',
    since: now,
    horizonAt: now,
    lastReportAt: null,
    ways: { broker: way, ingest: way },
    incidentId: null,
    drill: null,
  };
}

/** Decides whether the devices or the platform fails: evaluates what one sweep observed, path by path. The incident is opened elsewhere. */
export function judgeSight(
  before: SightRecord,
  looked: Record<WayName, WayEvidence>,
  lastReportAt: Instant | null,
  now: Instant,
  waits: Waits,
): SightRecord {
  const asleepMs = msBetween(before.sweptAt, now);
  const judge = (name: WayName) => {
    const { canaries } = looked[name];
    const way = asleepMs > waits.sweepGap ? afterSleep(before.ways[name], asleepMs, now, waits) : before.ways[name];
    const { massSilentAt, reportsShow } = looked[name];
    if (canaries === null) return judgeByReports(way, massSilentAt, lastReportAt, now, waits);
    return isUnproven(way, canaries, now, waits)
      ? judgeUnproven(way, canaries, judgeByReports(way, massSilentAt, lastReportAt, now, waits), now)
      : judgeByCanaries(way, canaries, reportsShow, now, waits);
  };
  const ways = { broker: judge('broker'), ingest: judge('ingest') };
  const states = wayNames.map((name) => ways[name].state);
  const horizonAt = earliest(wayNames.map((name) => ways[name].horizonAt)) ?? now;
  const stoodStill = msBetween(before.horizonAt, horizonAt) > waits.canaryBlind;
  const state = states.includes('blind') ? 'blind' : states.includes('lags') ? 'lags' : 'sees';
  return {
    ...before,
    sweptAt: now,
    state,
    since: state === before.state ? before.since : now,
    horizonAt,
    ...(stoodStill ? { clearSince: now } : {}),
    lastReportAt: latest(before.lastReportAt, lastReportAt),
    ways,
  };
}

/** No sweep ran for a while: what waits in the queue comes first. */
function afterSleep(way: WaySight, asleepMs: number, now: Instant, waits: Waits): WaySight {
  const catchUpMs = Math.min(asleepMs / thresholds.catchUpSpeed, waits.catchUpLongest);
  const until = plus(now, retryLongest(waits) + catchUpMs);
  return { ...way, gaps: gapsAfterSleep(way.gaps, way.apparentAt, until) };
}

/**
 * The sight after the database was restored: both paths were blind in the lost time, and what waited comes first. Nothing is judged by what stayed away
 * meanwhile.
 */
export function sightAfterRestore(before: SightRecord, lost: LostTime, waits: Waits): SightRecord {
  const from = earlier(before.horizonAt, lost.asOf);
  const asleep = wayNames.map((name) => {
    const way = { ...before.ways[name], state: 'lags' as const, since: lost.at, horizonAt: from, apparentAt: from };
    return [name, afterSleep({ ...way, waiting: [], gaps: [] }, msBetween(from, lost.at), lost.at, waits)] as const;
  });
  const ways = Object.fromEntries(asleep) as SightRecord['ways'];
  const quietUntil = latest(ways.broker.gaps[0]?.until ?? null, lost.at) ?? lost.at;
  const state = before.state === 'blind' ? 'blind' : 'lags';
  return {
    ...before,
    sweptAt: lost.at,
    state,
    since: lost.at,
    horizonAt: from,
    ways,
    restored: { ...lost, quietUntil },
  };
}

/** Missing canaries that are kept: the first decides about blindness, the last ones show when it is over. */
const mostWaiting = 8;

function kept(sent: Instant[]): Instant[] {
  return sent.length > mostWaiting ? sent.toSpliced(1, sent.length - mostWaiting) : sent;
}

/** Whether a canary has been missing since the previous sweep, so that other evidence is needed. */
export function isMissing(way: WaySight, shown: CanaryEvidence, now: Instant, waits: Waits): boolean {
  const [first] = missingOf(way, shown);
  return first !== undefined && msBetween(first, now) >= waits.canaryLate;
}

/** Whether canaries are sent on a path and none ever came: it may be that nobody forwards them. */
export function isUnproven(way: WaySight, seen: CanaryEvidence, now: Instant, waits: Waits): boolean {
  return way.newestAt === null && seen.newestAt === null && isMissing(way, seen, now, waits);
}

/**
 * A path that no canary ever came through is judged by the reports of the fleet, as one without canaries: what was never there shows no blindness, and
 * holds nothing back. It is not said to see.
 */
function judgeUnproven(before: WaySight, { isSent }: { isSent: boolean }, byReports: WaySight, now: Instant): WaySight {
  const state = byReports.state === 'sees' ? 'unproven' : byReports.state;
  const waiting = kept(isSent ? [...before.waiting, now] : before.waiting);
  const { since } = stateOf(before, state, now);
  return { ...byReports, state, since, lastHandledAt: null, waiting };
}

function judgeByCanaries(
  before: WaySight,
  shown: CanaryEvidence & { isSent: boolean },
  reportsShow: Instant | null,
  now: Instant,
  waits: Waits,
): WaySight {
  const missing = missingOf(before, shown);
  const seen = withCanaries(before, shown, now, waits);
  const surelyAt = shown.knownAt ?? before.horizonAt;
  // A missing canary is one piece of evidence; reports that arrive after it are evidence against it.
  const [first] = missing;
  const isOpen = first !== undefined && reportsShow !== null && reportsShow > first;
  if (!isOpen) return judgeByArrival(before, seen, shown, now, waits);
  // A canary from before the path worked again is not broken, so a later one must be missing too.
  const openSince = before.openSince ?? now;
  const isBroken = missing.some((at) => at >= openSince && msBetween(at, now) >= waits.canaryLate);
  if (!isBroken) return { ...judgeByArrival(before, seen, shown, now, waits), openSince };
  const brokenSince = before.brokenSince ?? now;
  // A report shows that the path works, but not that all earlier ones have arrived: one that is not late yet may still be on its way.
  const inTime = plus(now, -waits.canaryLate);
  const horizonAt = latest(earliest([reportsShow, inTime]), surelyAt) ?? surelyAt;
  return { ...stateOf(seen, 'sees', now), openSince, brokenSince, horizonAt, apparentAt: horizonAt };
}

/** Canaries that were sent and have not arrived, although they may only be late. */
function missingOf({ waiting }: WaySight, { newestAt }: CanaryEvidence): Instant[] {
  return waiting.filter((sentAt) => newestAt === null || sentAt > newestAt);
}

/** A path with the canaries that this sweep observed, before it is judged by them. */
function withCanaries(
  before: WaySight,
  shown: CanaryEvidence & { isSent: boolean },
  now: Instant,
  waits: Waits,
): WaySight & { gaps: Gap[] } {
  const { newestAt, handledAt, isSent } = shown;
  const isFresh = msBetween(newestAt ?? before.horizonAt, now) <= waits.canaryLags;
  const isNewer = newestAt !== null && (before.newestAt === null || newestAt > before.newestAt);
  const missing = missingOf(before, shown);
  const sent = isSent ? [...missing, now] : missing;
  return {
    ...before,
    lastHandledAt: latest(before.lastHandledAt, handledAt),
    waiting: kept(sent),
    newestAt,
    inARow: isFresh ? Math.min(before.inARow + (isNewer ? 1 : 0), thresholds.canariesInARow) : 0,
    openSince: null,
    brokenSince: null,
    gaps: [],
  };
}

/** Judges a path by when its canaries arrived. */
function judgeByArrival(before: WaySight, seen: WaySight, shown: CanaryEvidence, now: Instant, waits: Waits): WaySight {
  const { newestAt, knownAt, heldFrom } = shown;
  const shownAt = newestAt ?? before.horizonAt;
  const surelyAt = knownAt ?? before.horizonAt;
  const [first] = missingOf(before, shown);
  const waited = first === undefined ? 0 : msBetween(first, now);
  // One that is missing at the next sweep is late, although a newer one may overtake it: devices that return need the same time.
  const isLate = waited >= waits.canaryMissing;
  const had = before.gaps;
  const gaps = isLate ? gapsWhileMissing(had, surelyAt) : gapsThatLast(had, now, waits);
  const apparentAt = earliest([surelyAt, shownAt, heldFrom]) ?? surelyAt;
  const provenAt = earliest([shownAt, heldFrom, gapsBegin(gaps)]) ?? shownAt;
  const horizonAt = earliest([surelyAt, provenAt]) ?? surelyAt;
  const isBlind =
    before.state === 'blind'
      ? seen.inARow < thresholds.canariesInARow
      : msBetween(shownAt, now) > waits.canaryBlind && waited >= waits.canaryBlind;
  const lags = msBetween(provenAt, now) > waits.canaryLags;
  const state = isBlind ? 'blind' : lags ? 'lags' : 'sees';
  return { ...stateOf(seen, state, now), gaps, horizonAt, apparentAt };
}

/**
 * Without canaries, the fleet's reports are the evidence. Mass silence means blindness until the silent devices are back. If they do not return
 * although others kept reporting, their silence was real.
 */
function judgeByReports(
  before: WaySight,
  massSilentAt: Instant | null,
  lastReportAt: Instant | null,
  now: Instant,
  waits: Waits,
): WaySight {
  const isBlind = before.state === 'blind';
  const openSince =
    isBlind && massSilentAt !== null && isHeard(lastReportAt, now, waits) ? (before.openSince ?? now) : null;
  const seen = { ...before, lastHandledAt: lastReportAt, ...noCanaries, openSince };
  if (massSilentAt !== null && !(isBlind && isBelieved(seen, now, waits))) {
    const horizonAt = earliest([massSilentAt, before.horizonAt]) ?? massSilentAt;
    return { ...stateOf(seen, 'blind', now), horizonAt, apparentAt: horizonAt, gaps: [] };
  }
  const sees = { ...seen, apparentAt: now };
  if (massSilentAt !== null) return { ...stateOf(sees, 'sees', now), horizonAt: now, gaps: [], believedAt: now };
  const had = isBlind ? [{ from: before.horizonAt, until: null }] : before.gaps;
  const gaps = gapsThatLast(had, now, waits);
  const horizonAt = gapsBegin(gaps) ?? now;
  return { ...stateOf(sees, gaps.length > 0 ? 'lags' : 'sees', now), gaps, horizonAt };
}

function isHeard(lastReportAt: Instant | null, now: Instant, waits: Waits): boolean {
  return lastReportAt !== null && msBetween(lastReportAt, now) <= waits.ingestIdle + waits.lastSeenCoarse;
}

/** Whether mass silence counts as real: it lasted, and others reported for as long as devices need to return to a broker that was away. */
function isBelieved({ since, openSince }: WaySight, now: Instant, waits: Waits): boolean {
  if (openSince === null || msBetween(openSince, now) < retryLongest(waits)) return false;
  return msBetween(since, now) >= waits.connectionLost + 3 * waits.reportPeriod;
}

/** The paths that no canary ever came through, and since when. */
export function unprovenWays({ ways }: Pick<SightRecord, 'ways'>): { way: WayName; since: Instant }[] {
  return wayNames.flatMap((way) => (ways[way].state === 'unproven' ? [{ way, since: ways[way].since }] : []));
}

function stateOf(way: WaySight, state: WayState, now: Instant): WaySight {
  return { ...way, state, since: state === way.state ? way.since : now };
}

/** What is known of the platform's sight between two sweeps. */
export type SightView = {
  state: SightState;
  /** Null: no sweep has run yet. */
  since: Instant | null;
  isSwept: boolean;
  record: SightRecord | null;
  drill: DrillView | null;
};

/** The present view. If the sweep has stopped, its last result is no longer valid and the platform counts as blind. */
export function viewOfSight(record: SightRecord | null, now: Instant, waits: Waits): SightView {
  if (!record) return { state: 'blind', since: null, isSwept: false, record, drill: null };
  const isSwept = msBetween(record.sweptAt, now) <= waits.canaryBlind;
  return isSwept
    ? { state: record.state, since: record.since, isSwept, record, drill: record.drill }
    : { state: 'blind', since: record.sweptAt, isSwept, record, drill: withoutSweep(record) };
}

/** Without sweeps no drill starts. */
/** Whether the sweep of each minute has stopped. */
export function isSweepDead(record: Pick<SightRecord, 'sweptAt'> | null, now: Instant, { sweepDead }: Waits): boolean {
  return record !== null && msBetween(record.sweptAt, now) > sweepDead;
}

/** The wakes of a minute in which a camera was lost. */
export function sweepWakes(now: Instant, { settingsSecond, sweepAgain, sweepLast }: Waits) {
  const minute = Math.floor(Date.parse(now) / (60 * settingsSecond));
  return [sweepAgain, sweepLast].map(
    (ms) => ({ in: 'sweeps', id: `${minute}`, version: ms, dueAt: plus(now, ms) }) as const,
  );
}

function withoutSweep({ drill = null, sweptAt: since }: SightRecord): DrillView | null {
  return drill && { state: 'broken', hop: 'sweep', since, lastPassedAt: drill.lastPassedAt };
}
