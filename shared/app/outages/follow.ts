import { actorName } from '../../domain/alert/change.ts';
import { openingOf, withTeams } from '../../domain/change/incident-decision.ts';
import { groupKind } from '../../domain/device/places.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import { joinWords, memberAction } from '../../domain/incident/member-action.ts';
import { follow, type OutageCourse, type OutageView } from '../../domain/outage/look.ts';
import { endingOf, outageAt, outageEnded, outageOf, outageRest, type Remains } from '../../domain/outage/outage.ts';
import { isPlaced, placeIdOf, placeTitle, type SeenPlace } from '../../domain/outage/places.ts';
import { inferScopes, isBack, type OutageScope, type PlaceCount, shareOf } from '../../domain/outage/scopes.ts';
import { latest, plus } from '../../domain/time.ts';
import { type Decided, decideAndCommit, put } from '../commit/commit.ts';
import { givenAt, incidentFact } from '../incidents/incident-written.ts';
import { memberActionWrites } from '../incidents/members.ts';
import { setMembership } from '../incidents/membership.ts';
import type { Filter, Stored, World, Write } from '../ports.ts';
import { countDark, countPlaces, filtersAt, lossOf } from './load.ts';
import { endedWrites, extentOf, formerAt, type OutageLook, pointed, stateOf, unpointed } from './open.ts';

/** Members whose places are examined for what is left, cameras that an end names, and outages into which one falls apart. */
const mostLeft = 400;
const mostNamed = 3;
const mostRests = 5;
/** Members whose period is read: what reports rarely comes back rarely. */
const mostPeriods = 20;
/** Members whose cameras were moved to another group or deleted. */
const isGone: Filter<'alerts'> = { field: 'resolution', is: 'in', value: ['moved', 'deleted'] };
const nothing: Decided<Offshoot[]> = { writes: [], wakes: [], answer: [] };

const isLasting: Filter<'alerts'> = { field: 'isOpen', is: '==', value: true };

/** An outage of what is left of another, with the losses that join it. */
type Offshoot = { incident: IncidentRecord; alertIds: string[] };

/** What is left of an outage: its lost cameras, and the places among them that are dark by themselves. */
type Remainder = { members: Stored<'alerts'>[]; counts: PlaceCount[]; rest: OutageScope[]; periodMs: number };

/** Follows one open outage up to the horizon: progress, recovery in part, split, leftovers and end, in one commit. */
export async function followOutage(world: World, incidentId: string, look: OutageLook): Promise<void> {
  const rests = await decideAndCommit(world, async () => {
    const [stored = null] = await world.store.get('incidents', [incidentId]);
    if (!stored || stored.data.endedAt !== null) return nothing;
    if (look.horizon <= (stored.data.outage?.lookedAt ?? '')) return nothing;
    const { seen, left } = await seenOf(world, stored.data, look);
    const followed = follow(stored.data, seen, look.horizon, world.waits);
    return written(world, stored, followed, left, look);
  });
  for (const { incident, alertIds } of rests) {
    await setMembership(world, alertIds, incident, joinWords(incident));
  }
}

async function seenOf(
  world: World,
  incident: IncidentRecord,
  look: OutageLook,
): Promise<{ seen: OutageView; left: Remainder | null }> {
  const { scope, groups, outage, incidentId } = incident;
  const from = outage?.from ?? incident.timestamp;
  const inGroups = await Promise.all(
    groups.map(async (groupId) => {
      const place = { kind: scope.kind, id: scope.id, groups: [groupId] };
      const of: Filter<'alerts'>[] = [
        { field: 'incidentId', is: '==', value: incidentId },
        ...(groups.length > 1 ? [{ field: 'groupId', is: '==', value: groupId } as const] : []),
      ];
      const [all, before, until, open, gone] = await Promise.all([
        countDark(world, place, null),
        countDark(world, place, from),
        countDark(world, place, look.horizon),
        world.store.count({ in: 'alerts', where: [...of, isLasting] }),
        world.store.count({ in: 'alerts', where: [...of, isGone] }),
      ]);
      const dark = Math.max(0, until - before);
      // More members are open than cameras are dark: they are back, or were hung elsewhere.
      const here = open > dark ? await countOpenAt(world, place, of, open) : open;
      return { groupId, total: all - before, dark, open: here, gone, away: open - here, before };
    }),
  );
  const sum = (member: 'total' | 'dark' | 'before' | 'open') =>
    inGroups.reduce((total, each) => total + each[member], 0);
  const place = { total: sum('total'), dark: sum('dark'), before: sum('before') };
  const isLeft = isBack(place) && sum('open') > 0;
  const left = isLeft ? await leftOf(world, incident, look) : null;
  // Cameras may have come back since they were counted.
  const isWhole = left !== null && left.members.length < mostLeft;
  const isHere = (member: Stored<'alerts'>) => isPlaced(member.data, { ...scope, groups });
  const openIn = (groupId: string) => left?.members.filter(({ data }) => data.groupId === groupId) ?? [];
  const byGroup = Object.fromEntries(
    inGroups.map(({ groupId, gone, away, ...own }) => [
      groupId,
      isWhole ? { ...own, ...standingOf(gone, openIn(groupId), isHere) } : { ...own, gone: gone + away },
    ]),
  );
  return { seen: { ...place, byGroup, rest: left?.rest ?? [], periodMs: left?.periodMs ?? 0 }, left };
}

/** The members that are open at the place. Those whose cameras were hung elsewhere have left it, and are not back. */
function standingOf(gone: number, open: readonly Stored<'alerts'>[], isHere: (member: Stored<'alerts'>) => boolean) {
  const here = open.filter(isHere).length;
  return { open: here, gone: gone + open.length - here };
}

/** Looks at what is left when a place is no longer dark as a whole. */
async function leftOf(
  world: World,
  incident: IncidentRecord,
  { horizon, configuration }: OutageLook,
): Promise<Remainder> {
  const members = await openMembers(world, incident.incidentId, mostLeft);
  const losses = members.map(lossOf);
  const from = incident.outage?.from ?? incident.timestamp;
  const hasWindows = configuration.windows.length > 0;
  const counts = await countPlaces(world, losses, { horizon, hasWindows, from });
  const chains = losses.map(({ places }) => places);
  const scopeOf = inferScopes(chains, counts);
  const scopes = new Map(
    chains.flatMap((chain) => scopeOf(chain) ?? []).map((scope) => [placeIdOf(scope.counted.place), scope]),
  );
  const rest = [...scopes].flatMap(([placeId, scope]) => (placeId === incident.outage?.placeId ? [] : [scope]));
  const devices = await world.store.get(
    'devices',
    members.slice(0, mostPeriods).map(({ data }) => data.deviceId),
  );
  const periods = devices.map((device) => (device?.data.patience.periodSeconds ?? 60) * world.waits.settingsSecond);
  return { members, counts, rest: rest.slice(0, mostRests), periodMs: Math.max(0, ...periods) };
}

function openMembers({ store }: World, incidentId: string, limit: number): Promise<Stored<'alerts'>[]> {
  const where: Filter<'alerts'>[] = [{ field: 'incidentId', is: '==', value: incidentId }, isLasting];
  return store.find({ in: 'alerts', where, limit });
}

/** The open members of which the cameras hang at the place. A camera cannot be hung elsewhere in its group. */
async function countOpenAt(
  { store }: World,
  place: Pick<SeenPlace, 'kind' | 'id' | 'groups'>,
  of: readonly Filter<'alerts'>[],
  open: number,
): Promise<number> {
  if (place.kind === groupKind) return open;
  const counts = filtersAt<'alerts'>(place).map((at) => store.count({ in: 'alerts', where: [...of, isLasting, at] }));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

async function written(
  world: World,
  stored: Stored<'incidents'>,
  course: OutageCourse,
  left: Remainder | null,
  look: OutageLook,
): Promise<Decided<Offshoot[]>> {
  const { incident, does, parts } = course;
  switch (does) {
    case 'nothing':
      return withLacking(world, incident, { writes: [put('incidents', stored.id, incident, stored)], wakes: [] });
    case 'update':
    case 'recover':
    case 'widen': {
      const { now, peak, back } = incident.members;
      const why = does === 'recover' ? `${back} of ${peak} are back` : `${now} dark, ${back} back`;
      const members = (await openMembers(world, incident.incidentId, 50)).map(({ data }) => data);
      const beside = { members, parts };
      const { configuration } = look;
      const fact = { incident, stored, change: { kind: does, why }, configuration, at: world.now() };
      return withLacking(world, incident, incidentFact(world, fact, beside));
    }
    case 'end':
    case 'leave':
      return over(world, stored, course, left, look);
    case 'narrow':
    case 'split':
      return left ? split(world, stored, course, left, look) : nothing;
    default:
      return does satisfies never;
  }
}

/** Ends an outage: its place is free for another one, and the remaining members are judged by the next look. */
async function over(
  world: World,
  stored: Stored<'incidents'>,
  { incident, parts }: OutageCourse,
  left: Remainder | null,
  { configuration }: OutageLook,
): Promise<Decided<Offshoot[]>> {
  const members =
    left?.members ?? (incident.members.now > 0 ? await openMembers(world, incident.incidentId, mostNamed + 1) : []);
  const names = members
    .slice(0, Math.min(mostNamed, incident.members.now))
    .map(({ data }) => data.deviceName ?? data.deviceId);
  const others = incident.members.now > names.length ? ' and others' : '';
  const still = names.length === 0 ? null : `${names.join(', ')}${others}`;
  const remains = { still, ...(await goneOf(world, incident)) };
  const ended = outageEnded(incident, remains, await endOf(world, incident), world.waits);
  const change = { kind: 'end', resolution: endingOf(incident, remains), why: ended.message } as const;
  const { writes, wakes } = endedWrites(world, { incident: ended, stored, change, configuration }, { parts });
  return { ...nothing, writes: [...writes, ...(await unpointed(world, [stored]))], wakes };
}

/** Who moved or deleted its cameras. Customers who share a place do not hear who has moved a camera of another. */
async function goneOf(
  { store }: World,
  { incidentId, groups, members }: IncidentRecord,
): Promise<Omit<Remains, 'still'>> {
  const isAny = members.peak > members.now + members.back;
  const where: Filter<'alerts'>[] = [{ field: 'incidentId', is: '==', value: incidentId }, isGone];
  const found = isAny ? (await store.find({ in: 'alerts', where, limit: mostLeft })).map(({ data }) => data) : [];
  const names = [...new Set(found.flatMap(({ leftBy }) => leftBy ?? []))].map(actorName);
  const how = new Set(found.map(({ resolution }) => resolution));
  const gone = how.size > 1 ? 'moved or deleted' : how.has('deleted') ? 'deleted' : 'moved';
  return { who: groups.length > 1 ? [] : names.slice(0, mostNamed).toSorted(), gone };
}

/** When the last of the cameras that are back came back. */
async function endOf({ store, now }: World, { incidentId, timestamp }: IncidentRecord): Promise<string> {
  const found = await store.find({
    in: 'alerts',
    where: [{ field: 'incidentId', is: '==', value: incidentId }],
    orderBy: [['resolvedAt', 'desc']],
    limit: 1,
  });
  return latest(timestamp, found[0]?.data.resolvedAt ?? null) ?? now();
}

/** Ends an outage of which a part is still dark as a place, and opens that part in the same commit. */
async function split(
  world: World,
  stored: Stored<'incidents'>,
  { incident, parts, does }: OutageCourse,
  left: Remainder,
  look: OutageLook,
): Promise<Decided<Offshoot[]>> {
  const { configuration } = look;
  const { counts, rest } = left;
  const now = world.now();
  const [only] = rest;
  const places = await world.store.get(
    'outagePlaces',
    rest.map(({ counted }) => placeIdOf(counted.place)),
  );
  const free = rest.flatMap((scope, index) => {
    const place = places[index] ?? null;
    return (place?.data.openIncidentId ?? null) === null ? [{ scope, place }] : [];
  });
  const cleared = await unpointed(world, [stored]);
  if (does === 'narrow' && only && rest.length === 1 && free[0]) {
    const losses = lossesIn(left, only).map(lossOf);
    const moved = withTeams(outageAt(incident, await extentOf(world, only, losses, counts, look)), configuration, now);
    const change = { kind: 'update', why: `Narrowed: ${moved.title}` } as const;
    const fact = incidentFact(world, { incident: moved, stored, change, configuration, at: now });
    const pointer = pointed(placeIdOf(only.counted.place), free[0].place, stored.id);
    return { ...nothing, writes: [...fact.writes, pointer, ...cleared], wakes: fact.wakes };
  }
  const where = rest.map(({ counted, baseline }) => {
    const { dark, total } = shareOf(counted, baseline);
    return `${dark} of ${total} ${placeTitle(counted.place)}`;
  });
  const remains = { still: where.join(', '), ...(await goneOf(world, incident)) };
  const ended = outageEnded(incident, remains, await endOf(world, incident), world.waits);
  const change = { kind: 'end', resolution: 'automatic', why: ended.message } as const;
  const end = endedWrites(world, { incident: ended, stored, change, configuration }, { parts });
  const heard = end.writes.flatMap(heardOfBoth);
  const opened = await Promise.all(
    free.map((each) => restOf(world, each, { ended: end.incident, told: heard }, left, look)),
  );
  return {
    ...nothing,
    writes: [...end.writes, ...cleared, ...opened.flatMap(({ writes }) => writes)],
    wakes: [...end.wakes, ...opened.flatMap(({ wakes }) => wakes)],
    answer: opened,
  };
}

/** Whom a message of the end tells also what is left. An SMS has no room for that. */
function heardOfBoth(write: Write): string[] {
  if (write.kind !== 'create' || write.in !== 'deliveries' || write.data.channel === 'sms') return [];
  return write.data.slot ? [write.data.slot.targetId] : [];
}

/** The opening of what is left of an outage. Who was told of the first hears of its rest by that end, and knows of both. */
async function restOf(
  world: World,
  { scope, place }: { scope: OutageScope; place: Stored<'outagePlaces'> | null },
  { ended, told }: { ended: IncidentRecord; told: readonly string[] },
  left: Remainder,
  look: OutageLook,
): Promise<Offshoot & Pick<Decided<unknown>, 'writes' | 'wakes'>> {
  const { configuration } = look;
  const now = world.now();
  const lost = lossesIn(left, scope);
  const extent = await extentOf(world, scope, lost.map(lossOf), left.counts, look);
  const notifyAfter = ended.announcedAt === null ? plus(now, world.waits.placeGrace) : null;
  const rest = outageRest(outageOf(extent, place?.data ?? null, notifyAfter), ended);
  const former = await formerAt(world, place, extent.first.since);
  const isSame = ended.groups.join(' ') === rest.groups.join(' ');
  const state = stateOf([...former, ...(isSame ? [ended] : [])]);
  const own = withTeams({ ...rest, ...state.seeded }, configuration, now);
  const known = told.length > 0 ? { notifiedTargets: [...new Set(told)], notifiedVersions: [1] } : {};
  const change = openingOf(own, configuration, givenAt(world, now));
  const fact = { incident: { ...own, ...known }, stored: null, change, configuration, at: now };
  const { incident, writes, wakes } = incidentFact(world, fact, { except: new Set(told) }, state.act);
  const pointer = pointed(placeIdOf(scope.counted.place), place, incident.incidentId);
  return { incident, alertIds: lost.map(({ id }) => id), writes: [...writes, pointer], wakes };
}

function lossesIn({ members }: Remainder, { counted: { place } }: OutageScope): Stored<'alerts'>[] {
  return members.filter(({ data }) => isPlaced(data, place));
}

/** Repeats the action on an incident for members that joined after it, or that it did not reach. */
async function withLacking(
  world: World,
  incident: IncidentRecord,
  { writes, wakes }: Pick<Decided<Offshoot[]>, 'writes' | 'wakes'>,
): Promise<Decided<Offshoot[]>> {
  const { status, incidentId, snoozedUntil } = incident;
  const change =
    status === 'acknowledged' || status === 'resolved'
      ? { kind: status === 'resolved' ? ('resolve' as const) : ('acknowledge' as const) }
      : snoozedUntil === null
        ? null
        : { kind: 'snooze' as const, until: snoozedUntil };
  if (!change) return { ...nothing, writes, wakes };
  const where: Filter<'alerts'>[] = [
    { field: 'incidentId', is: '==', value: incidentId },
    { field: 'isOpen', is: '==', value: true },
    ...(status === 'resolved' ? [] : [{ field: 'status', is: '==', value: 'active' } as const]),
    ...(snoozedUntil === null ? [] : [{ field: 'isSnoozed', is: '==', value: false } as const]),
  ];
  const lacking = await world.store.find({ in: 'alerts', where, limit: 1 });
  if (lacking.length === 0) return { ...nothing, writes, wakes };
  const action = memberAction(incident, change, world.now());
  const repeated = memberActionWrites({ ...action, actionId: `${action.actionId}-${world.now()}` });
  return { ...nothing, writes: [...writes, ...repeated.writes], wakes: [...wakes, ...repeated.wakes] };
}
