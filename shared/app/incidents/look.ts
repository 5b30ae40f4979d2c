import { type Place, placeOfKey } from '../../domain/device/places.ts';
import type { IncidentRecord, Members } from '../../domain/incident/incident.ts';
import { isWider, type Looked, lookAtOutage } from '../../domain/incident/look.ts';
import { memberAction } from '../../domain/incident/member-action.ts';
import { outageEnded, outageJoined } from '../../domain/incident/outage.ts';
import { keysOfPlace } from '../../domain/incident/place.ts';
import { inferScope } from '../../domain/incident/scope.ts';
import type { Instant } from '../../domain/time.ts';
import { type Decided, decideAndCommit, put } from '../commit/commit.ts';

import { sideBySide } from '../commit/side-by-side.ts';
import { countPlace, countPlaces, placesSeen } from '../outages/count-places.ts';
import { incidentFact } from '../outages/incident-written.ts';
import { moved, openAt, unpointed } from '../outages/open-outage.ts';
import type { Filter, Stored, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { memberActionWrites, setMembership } from './members.ts';

/** Outages that one sweep evaluates, and losses that it adds to one of them as members. */
const mostOutages = 400;
const mostAdopted = 400;
/** Dark members whose places are compared after part of a place is back. */
const mostSamples = 3;
const nothing: Decided<undefined> = { writes: [], wakes: [], answer: undefined };

/** Evaluates each open outage up to the horizon, each minute. @returns how many there are */
export async function lookAtOutages(world: World, horizon: Instant): Promise<number> {
  const open = await world.store.find({
    in: 'incidents',
    where: [
      { field: 'kind', is: '==', value: 'outage' },
      { field: 'endedAt', is: '==', value: null },
    ],
    limit: mostOutages,
  });
  for (const { id } of open) {
    try {
      await lookAt(world, id, horizon);
    } catch (error) {
      world.log.error('incident.failed', { incidentId: id, error: String(error) });
    }
  }
  return open.length;
}

async function lookAt(world: World, incidentId: string, horizon: Instant): Promise<void> {
  const stored = await openOutage(world, incidentId);
  if (!stored) return;
  await adopt(world, stored.data);
  await decideAndCommit(world, async () => {
    const now = await openOutage(world, incidentId);
    return now ? decideLook(world, now, horizon) : nothing;
  });
}

async function openOutage({ store }: World, incidentId: string): Promise<Stored<'incidents'> | null> {
  const [stored = null] = await store.get('incidents', [incidentId]);
  return stored?.data.endedAt === null ? stored : null;
}

/** The place of an outage. */
function placeOf({ scope, groups }: IncidentRecord) {
  return { kind: scope.kind, id: scope.id, groups };
}

/** Adds losses at its place that were opened as single alerts. */
async function adopt(world: World, incident: IncidentRecord): Promise<void> {
  const from = incident.outage?.from ?? incident.timestamp;
  const found = await Promise.all(
    keysOfPlace(placeOf(incident)).map((key) =>
      world.store.find({
        in: 'alerts',
        where: [
          { field: 'places', is: 'array-contains', value: key },
          { field: 'code', is: '==', value: 'CONN_001' },
          { field: 'isOpen', is: '==', value: true },
          { field: 'isMember', is: '==', value: false },
        ],
        limit: mostAdopted,
      }),
    ),
  );
  const alone = found.flat().filter(({ data }) => data.timestamp > from);
  await sideBySide(alone, ({ id }) => setMembership(world, id, incident, `It is part of: ${incident.title}`));
}

async function decideLook(world: World, stored: Stored<'incidents'>, horizon: Instant): Promise<Decided<undefined>> {
  const before = stored.data;
  const samples = await openMembers(world, before.incidentId, mostSamples);
  const wider = await widerThan(world, before, samples);
  if (wider) return over(world, stored, outageJoined(before, wider, world.now()), `Joined: ${wider.title}`);
  const looked = await looksLike(world, before, horizon);
  const { incident, isBack, isOver, isNews } = lookAtOutage(before, looked, horizon, world.waits);
  if (isBack) {
    const narrower = await narrowed(world, { ...stored, data: incident }, samples, looked.dark, horizon);
    if (narrower) return narrower;
  }
  if (isOver) {
    // Read after the counts: cameras may have come back since the first samples.
    const still = await openMembers(world, before.incidentId, mostSamples);
    const names = still.map(({ data }) => data.deviceName ?? data.deviceId);
    const ended = outageEnded(incident, names.slice(0, incident.members.now), world.now());
    return over(world, stored, ended, ended.message);
  }
  const lacking = await lackingAction(world, incident);
  if (isNews) {
    const { now, back } = incident.members;
    const why = `${now} dark, ${back} back`;
    const change = { kind: 'update', why } as const;
    const configuration = await loadConfiguration(world);
    const members = (await openMembers(world, before.incidentId, 50)).map(({ data }) => data);
    const fact = incidentFact(world, incident, stored, change, configuration, world.now(), { members });
    return { ...nothing, writes: [...fact.writes, ...lacking.writes], wakes: [...fact.wakes, ...lacking.wakes] };
  }
  const isSame = JSON.stringify(incident) === JSON.stringify(before);
  const kept = isSame ? [] : [put('incidents', stored.id, incident, stored)];
  return { ...nothing, writes: [...kept, ...lacking.writes], wakes: lacking.wakes };
}

/** Ends an outage: its place is free for another one, and the remaining members are released one by one. */
async function over(
  world: World,
  stored: Stored<'incidents'>,
  ended: IncidentRecord,
  why: string,
): Promise<Decided<undefined>> {
  const now = world.now();
  const configuration = await loadConfiguration(world);
  const resolution = ended.joinedTo === null ? 'automatic' : 'superseded';
  const fact = incidentFact(world, ended, stored, { kind: 'end', resolution, why }, configuration, now);
  // If a person has already resolved it, its end causes no notification.
  const writes = fact.writes.length > 0 ? fact.writes : [put('incidents', stored.id, ended, stored)];
  const release = memberActionWrites(memberAction(ended, { kind: 'release' }, now));
  const place = await unpointed(world, stored.data);
  return { ...nothing, writes: [...writes, ...release.writes, ...place], wakes: [...fact.wakes, ...release.wakes] };
}

function openMembers({ store }: World, incidentId: string, limit: number): Promise<Stored<'alerts'>[]> {
  const where: Filter<'alerts'>[] = [
    { field: 'incidentId', is: '==', value: incidentId },
    { field: 'isOpen', is: '==', value: true },
  ];
  return store.find({ in: 'alerts', where, limit });
}

function placesOfMember({ data }: Stored<'alerts'>): Place[] {
  return data.places.map(placeOfKey);
}

/** A wider outage that is open at the places of its members. */
async function widerThan(
  world: World,
  incident: IncidentRecord,
  [member]: readonly Stored<'alerts'>[],
): Promise<IncidentRecord | null> {
  if (!member) return null;
  const seen = await placesSeen(world, placesOfMember(member));
  const ids = seen.flatMap((each) => openAt(each) ?? []).filter((id) => id !== incident.incidentId);
  const others = ids.length > 0 ? await world.store.get('incidents', ids) : [];
  const open = others.flatMap((other) => (other && other.data.endedAt === null ? [other.data] : []));
  return open.find((other) => isWider(other, incident)) ?? null;
}

async function looksLike(world: World, incident: IncidentRecord, until: Instant): Promise<Looked> {
  const from = incident.outage?.from ?? incident.timestamp;
  const count = (where: Filter<'alerts'>[]) =>
    world.store.count({
      in: 'alerts',
      where: [{ field: 'incidentId', is: '==', value: incident.incidentId }, ...where],
    });
  const groups = incident.groups.map(async (groupId): Promise<[string, Members]> => {
    const own: Filter<'alerts'>[] = incident.groups.length > 1 ? [{ field: 'groupId', is: '==', value: groupId }] : [];
    const [peak, now] = await Promise.all([count(own), count([...own, { field: 'isOpen', is: '==', value: true }])]);
    return [groupId, { now, peak, back: peak - now }];
  });
  const [{ total, dark }, byGroup] = await Promise.all([
    countPlace(world, placeOf(incident), { from, until }),
    Promise.all(groups),
  ]);
  return { total, dark, byGroup: Object.fromEntries(byGroup) };
}

/** The outage moved to the narrower place that contains nearly all devices that are still dark. */
async function narrowed(
  world: World,
  stored: Stored<'incidents'>,
  samples: readonly Stored<'alerts'>[],
  dark: number,
  until: Instant,
): Promise<Decided<undefined> | null> {
  const from = stored.data.outage?.from ?? stored.data.timestamp;
  for (const sample of samples) {
    const counted = await countPlaces(world, placesOfMember(sample), { from, until });
    const scope = inferScope(counted);
    if (!scope || openAt(scope) !== null || scope.dark < 0.9 * dark) continue;
    const { writes, wakes } = await moved(world, stored, scope, counted, 'Narrowed');
    return { ...nothing, writes, wakes };
  }
  return null;
}

/** Repeats the action on an incident for members that joined after it, or that it did not reach. */
async function lackingAction(world: World, incident: IncidentRecord) {
  const { status, incidentId, snoozedUntil } = incident;
  const change =
    status === 'acknowledged' || status === 'resolved'
      ? { kind: status === 'resolved' ? ('resolve' as const) : ('acknowledge' as const) }
      : snoozedUntil === null
        ? null
        : { kind: 'snooze' as const, until: snoozedUntil };
  if (!change) return { writes: [], wakes: [] };
  const where: Filter<'alerts'>[] = [
    { field: 'incidentId', is: '==', value: incidentId },
    { field: 'isOpen', is: '==', value: true },
    ...(status === 'resolved' ? [] : [{ field: 'status', is: '==', value: 'active' } as const]),
    ...(snoozedUntil === null ? [] : [{ field: 'isSnoozed', is: '==', value: false } as const]),
  ];
  const lacking = await world.store.find({ in: 'alerts', where, limit: 1 });
  if (lacking.length === 0) return { writes: [], wakes: [] };
  const action = memberAction(incident, change, world.now());
  return memberActionWrites({ ...action, actionId: `${action.actionId}-${world.now()}` });
}
