import { type Beside, type IncidentAct, openingOf, withTeams } from '../../domain/change/incident-decision.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import { memberAction } from '../../domain/incident/member-action.ts';
import type { Configuration } from '../../domain/notify/configuration.ts';
import type { CameraLoss, Together } from '../../domain/outage/look.ts';
import {
  type Extent,
  graceOf,
  isFlappingOutage,
  outageAgain,
  outageAt,
  outageIdOf,
  outageJoined,
  outageOf,
  outageWidened,
  wentOn,
} from '../../domain/outage/outage.ts';
import { isPlaced, placeIdOf, type SeenPlace } from '../../domain/outage/places.ts';
import { type OutageScope, type PlaceCount, shareOf } from '../../domain/outage/scopes.ts';
import { spellClock } from '../../domain/settings/local-time.ts';
import type { Darkness } from '../../domain/sight/intervals.ts';
import { type Instant, later } from '../../domain/time.ts';
import { decideAndCommit, put } from '../commit/commit.ts';
import {
  givenAt,
  type IncidentFact,
  type IncidentWritten,
  incidentFact,
  type Work,
} from '../incidents/incident-written.ts';
import { memberActionWrites } from '../incidents/members.ts';
import type { Stored, World, Write } from '../ports.ts';
import { countDark, darknessOf, maintainedUntil } from './load.ts';

/** What one look decides by. */
export type OutageLook = { horizon: Instant; configuration: Configuration };

/** Narrower outages that one commit ends. The rest follow in further commits. */
const mostParts = 10;

/** What is known of a scope when an outage is opened, moved or continued there. `losses`: those of its cameras; `counts`: of all places that were counted. */
export async function extentOf(
  world: World,
  scope: OutageScope,
  losses: readonly CameraLoss[],
  counts: readonly PlaceCount[],
  { horizon, configuration }: OutageLook,
): Promise<Extent> {
  const { counted, baseline } = scope;
  const { place, from } = counted;
  const [until, darkness, byGroup] = await Promise.all([
    counted.maintained > 0 ? maintainedUntil(world, place) : null,
    darknessOf(world, place, from[baseline], horizon),
    place.groups.length === 1
      ? { [place.groups[0] ?? '']: shareOf(counted, baseline).dark }
      : darkByGroup(world, place, from[baseline], losses, horizon),
  ]);
  const instants = losses.map(({ lostAt }) => lostAt);
  const begun: Darkness[] = [
    ...losses.map((loss) => loss.darkness),
    { since: darkness?.firstAt ?? horizon, lastReportBy: null },
  ];
  const first = begun.reduce((one, other) => (other.since < one.since ? other : one));
  // Before the horizon has passed the last of them, nothing is known of their return.
  const seenAt = instants.reduce(later, horizon);
  const around = counts.filter((each) => losses.every((loss) => isPlaced(loss, each.place)));
  const clock = until && spellClock(until, world.now(), configuration.settings.timeZone);
  return { scope, first, seenAt, darkness, byGroup, around, maintainedUntil: clock };
}

async function darkByGroup(
  world: World,
  place: SeenPlace,
  from: Instant,
  losses: readonly Pick<CameraLoss, 'lostAt' | 'groupId'>[],
  horizon: Instant,
): Promise<Record<string, number>> {
  const counts = place.groups.map(async (groupId): Promise<[string, number]> => {
    const own = { ...place, groups: [groupId] };
    const [dark, before] = await Promise.all([countDark(world, own, horizon), countDark(world, own, from)]);
    const unseen = losses.filter((loss) => loss.groupId === groupId && loss.lostAt > horizon).length;
    return [groupId, Math.max(0, dark - before) + unseen];
  });
  return Object.fromEntries(await Promise.all(counts));
}

/**
 * Opens, widens or continues the outage of losses that belong together, in one commit with the precondition of its place. Outages of narrower places
 * that people were told of end with it.
 * @returns the outage that the losses join
 */
export async function openTogether(
  world: World,
  { scope, losses, again, parts }: Together & { scope: OutageScope },
  counts: readonly PlaceCount[],
  look: OutageLook,
): Promise<IncidentRecord | null> {
  const extent = await extentOf(world, scope, losses, counts, look);
  const placeId = placeIdOf(scope.counted.place);
  const narrower = parts.map(({ incidentId }) => incidentId);
  const opened = await decideAndCommit<IncidentRecord | null>(world, async () => {
    const [place = null] = await world.store.get('outagePlaces', [placeId]);
    const found = await openOf(world, [place?.data.openIncidentId ?? null, ...narrower.slice(0, mostParts)]);
    const standing = found.find(({ data }) => data.outage?.placeId === placeId);
    if (standing) return { writes: [], wakes: [], answer: standing.data };
    const told = found.filter(({ data }) => data.announcedAt !== null);
    const [first] = found;
    const made =
      again !== null
        ? await returned(world, again, extent, look)
        : first && told.length === 0
          ? moved(world, first, extent, look)
          : await begun(world, extent, place, told, look);
    if (made === null) return { writes: [], wakes: [], answer: null };
    const isWider = told.some(({ data }) => data.incidentId !== made.incident.incidentId);
    const ended = found.filter(({ id }) => id !== made.incident.incidentId);
    const work = ended.map((each) => joined(world, each, made.incident, isWider ? made.targets : [], look));
    const cleared = await unpointed(world, found);
    return {
      writes: [
        ...made.writes,
        ...work.flatMap(({ writes }) => writes),
        ...cleared,
        pointed(placeId, place, made.incident.incidentId),
      ],
      wakes: [...made.wakes, ...work.flatMap(({ wakes }) => wakes)],
      answer: made.incident,
    };
  });
  for (let from = mostParts; opened && from < narrower.length; from += mostParts) {
    await joinParts(world, narrower.slice(from, from + mostParts), opened, look);
  }
  return opened;
}

type OutageOpening = IncidentWritten & { targets: readonly string[] };

/** The last outage of a place, if it had become part of a wider one and its cameras have been dark ever since. */
export async function formerAt(
  { store }: World,
  place: Stored<'outagePlaces'> | null,
  firstAt: Instant,
): Promise<IncidentRecord[]> {
  const [last = null] = place ? await store.get('incidents', [outageIdOf(place.id, place.data.opened)]) : [];
  return last && wentOn(last.data, firstAt) ? [last.data] : [];
}

/** A new outage. One that is wider than people were told is told at once, and takes over what they have done where that is fair. */
async function begun(
  world: World,
  extent: Extent,
  place: Stored<'outagePlaces'> | null,
  told: readonly Stored<'incidents'>[],
  { configuration }: OutageLook,
): Promise<OutageOpening> {
  const now = world.now();
  const [first] = told;
  const former = first ? [] : await formerAt(world, place, extent.first.since);
  // What people know of is told at once.
  const grace = first || former.length > 0 ? null : graceOf(extent.first.since, now, world.waits);
  const seed = withTeams(outageOf(extent, place?.data ?? null, grace), configuration, now);
  const opening = openingOf(seed, configuration, givenAt(world, now));
  const fact = { stored: null, change: opening, configuration, at: now };
  if (!first) {
    const { seeded, act } = stateOf(former);
    const own = { ...seed, ...seeded };
    return withTargets(incidentFact(world, { ...fact, incident: own }, {}, act), own);
  }
  const state = sharedState(
    seed,
    extent,
    told.map(({ data }) => data),
  );
  const wider = outageWidened({ ...seed, ...state.seeded }, first.data);
  const written = incidentFact(world, { ...fact, incident: wider }, { occasion: 'updated' }, state.act);
  return withTargets(written, wider);
}

function withTargets(written: IncidentWritten, seed: IncidentRecord): OutageOpening {
  return { ...written, targets: written.incident.notifiedTargets ?? seed.notifiedTargets ?? [] };
}

type SharedState = { seeded: Partial<IncidentRecord>; act: IncidentAct | null };

/**
 * An acknowledgement or a snooze comes along only if the groups are the same and at most twice as many cameras are dark: what somebody took on was a part.
 */
function sharedState(seed: IncidentRecord, { scope }: Extent, parts: readonly IncidentRecord[]): SharedState {
  const before = parts.reduce((sum, { members }) => sum + members.now, 0);
  const isFair = parts.every(({ groups }) => groups.join(' ') === seed.groups.join(' '));
  const { dark } = shareOf(scope.counted, scope.baseline);
  return isFair && dark <= 2 * before ? stateOf(parts) : { seeded: {}, act: null };
}

/** What people have done about outages, for one that goes on with them: who has them, or until when they are snoozed. */
export function stateOf(outages: readonly IncidentRecord[]): SharedState {
  const taken = outages.find(({ acknowledgedBy }) => acknowledgedBy !== null);
  if (taken?.acknowledgedBy && taken.acknowledgedAt) {
    return {
      seeded: {},
      act: { change: { kind: 'acknowledge', since: taken.acknowledgedAt }, who: taken.acknowledgedBy },
    };
  }
  const snoozed = outages.find(({ snoozedUntil }) => snoozedUntil !== null);
  return { seeded: snoozed ? { snoozedUntil: snoozed.snoozedUntil, isSnoozed: true } : {}, act: null };
}

/** An outage that nobody was told of yet, at a wider place. */
function moved(
  world: World,
  stored: Stored<'incidents'>,
  extent: Extent,
  { configuration }: OutageLook,
): OutageOpening {
  const incident = withTeams(outageAt(stored.data, extent), configuration, world.now());
  const change = { kind: 'widen', why: `Widened: ${incident.title}` } as const;
  return withTargets(incidentFact(world, { incident, stored, change, configuration, at: world.now() }), incident);
}

/** An outage of which the place is dark again. */
async function returned(
  world: World,
  { incidentId }: IncidentRecord,
  extent: Extent,
  { horizon, configuration }: OutageLook,
): Promise<OutageOpening | null> {
  const [stored = null] = await world.store.get('incidents', [incidentId]);
  if (!stored || stored.data.endedAt === null) return null;
  const incident = outageAgain(stored.data, extent, horizon, world.waits);
  const flapping = isFlappingOutage(incident.outage?.spells ?? [], horizon, world.waits);
  const change = { kind: 'return', why: incident.message, flapping, notifyAfter: null } as const;
  return withTargets(incidentFact(world, { incident, stored, change, configuration, at: world.now() }), incident);
}

/** Ends an outage of which a wider one was found. Who was told of the wider one hears nothing of the end. */
function joined(
  world: World,
  stored: Stored<'incidents'>,
  wider: IncidentRecord,
  told: readonly string[],
  { configuration }: OutageLook,
): Work {
  const incident = outageJoined(stored.data, wider, world.now());
  const change = { kind: 'end', resolution: 'superseded', why: `Joined: ${wider.title}` } as const;
  return endedWrites(world, { incident, stored, change, configuration }, { except: new Set(told) });
}

/** The end of an outage, and the release of its members, which the next look judges. */
export function endedWrites(
  world: World,
  end: Omit<IncidentFact, 'at'> & { stored: Stored<'incidents'> },
  beside: Beside = {},
): Work & { incident: IncidentRecord } {
  const now = world.now();
  const { incident: ended, stored } = end;
  const fact = incidentFact(world, { ...end, at: ended.endedAt ?? now }, beside);
  // If a person has already resolved it, its end causes no notification.
  const writes = fact.writes.length > 0 ? fact.writes : [put('incidents', stored.id, ended, stored)];
  const release = memberActionWrites(memberAction(ended, { kind: 'release' }, now));
  return { incident: fact.incident, writes: [...writes, ...release.writes], wakes: [...fact.wakes, ...release.wakes] };
}

async function joinParts(world: World, ids: readonly string[], wider: IncidentRecord, look: OutageLook): Promise<void> {
  await decideAndCommit(world, async () => {
    const found = await openOf(world, ids);
    const work = found.map((each) => joined(world, each, wider, wider.notifiedTargets ?? [], look));
    return {
      writes: [...work.flatMap(({ writes }) => writes), ...(await unpointed(world, found))],
      wakes: work.flatMap(({ wakes }) => wakes),
      answer: undefined,
    };
  });
}

async function openOf({ store }: World, ids: readonly (string | null)[]): Promise<Stored<'incidents'>[]> {
  const named = [...new Set(ids.filter((id) => id !== null))];
  const found = named.length > 0 ? await store.get('incidents', named) : [];
  return found.flatMap((each) => (each && each.data.endedAt === null ? [each] : []));
}

/** The write that makes an incident the open one of a place. */
export function pointed(placeId: string, stored: Stored<'outagePlaces'> | null, openIncidentId: string): Write {
  const { opened, version } = stored?.data ?? { opened: 0, version: 0 };
  return put('outagePlaces', placeId, { placeId, openIncidentId, opened: opened + 1, version: version + 1 }, stored);
}

/** The writes that free the places of outages. */
export async function unpointed({ store }: World, outages: readonly Stored<'incidents'>[]): Promise<Write[]> {
  const ids = outages.flatMap(({ data }) => data.outage?.placeId ?? []);
  const found = ids.length > 0 ? await store.get('outagePlaces', ids) : [];
  const held = new Set(outages.map(({ id }) => id));
  return found.flatMap((stored) => {
    if (!stored?.data.openIncidentId || !held.has(stored.data.openIncidentId)) return [];
    return [
      put(
        'outagePlaces',
        stored.id,
        { ...stored.data, openIncidentId: null, version: stored.data.version + 1 },
        stored,
      ),
    ];
  });
}
