import { openingOf } from '../../domain/change/incident-decision.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import { outageAt, outageOf } from '../../domain/incident/outage.ts';
import { keysOfPlace, placeIdOf, type SeenPlace } from '../../domain/incident/place.ts';
import { inferScope } from '../../domain/incident/scope.ts';
import { put } from '../commit/commit.ts';
import type { Stored, Wake, World, Write } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { type CountedPlace, darknessOf, type Span } from './count-places.ts';
import { givenAt, incidentFact } from './incident-written.ts';

/** The outage that is open at one of the places, and the writes that open or widen it. */
export type Found = { incidentId: string | null; writes: Write[]; wakes: Wake[] };

/**
 * Determines what went dark among the places of a lost device: opens an outage there, or widens the one that is open at a narrower place.
 */
export async function outageFor(world: World, counted: readonly CountedPlace[], span: Span): Promise<Found> {
  const scope = inferScope(counted);
  const open = await widestOpen(world, counted);
  const isCovered = open !== null && (scope === null || scope.total <= (open.data.outage?.size ?? 0));
  if (scope === null || isCovered || openAt(scope) !== null) {
    return { incidentId: (scope && openAt(scope)) ?? open?.id ?? null, writes: [], wakes: [] };
  }
  const seen = { ...scope, darkness: await darknessOf(world, scope.place, span) };
  const part = open ?? (await openWithin(world, scope.place));
  return part ? moved(world, part, seen, counted, 'Widened') : opened(world, seen, counted, span);
}

/** The widest of the outages that are open at the given places. */
async function widestOpen({ store }: World, counted: readonly CountedPlace[]): Promise<Stored<'incidents'> | null> {
  const ids = [...new Set(counted.flatMap((each) => openAt(each) ?? []))];
  const found = ids.length > 0 ? await store.get('incidents', ids) : [];
  const open = found.flatMap((stored) => (stored && stored.data.endedAt === null ? [stored] : []));
  return open.toSorted((a, b) => sizeOf(b.data) - sizeOf(a.data) || (a.id < b.id ? -1 : 1))[0] ?? null;
}

/** Members of outages inside a place that are examined to find the first of these outages. */
const mostWithin = 20;

/** The first of the outages that are open at parts of a place. The others join it at their next evaluation. */
async function openWithin({ store }: World, place: SeenPlace): Promise<Stored<'incidents'> | null> {
  const members = await Promise.all(
    keysOfPlace(place).map((key) =>
      store.find({
        in: 'alerts',
        where: [
          { field: 'places', is: 'array-contains', value: key },
          { field: 'isOpen', is: '==', value: true },
          { field: 'isMember', is: '==', value: true },
        ],
        limit: mostWithin,
      }),
    ),
  );
  const ids = [...new Set(members.flat().flatMap(({ data }) => data.incidentId ?? []))];
  const found = ids.length > 0 ? await store.get('incidents', ids) : [];
  const open = found.flatMap((stored) => (stored?.data.endedAt === null && stored.data.outage ? [stored] : []));
  return open.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))[0] ?? null;
}

function keyOf({ id, data }: Stored<'incidents'>): string {
  return `${data.timestamp} ${id}`;
}

function sizeOf({ outage }: IncidentRecord): number {
  return outage?.size ?? 0;
}

/** The next wider place. Its counts are evidence that it is not the extent of the outage. */
function around(scope: CountedPlace, counted: readonly CountedPlace[]): CountedPlace | null {
  return counted.filter(({ total }) => total > scope.total).toSorted((a, b) => a.total - b.total)[0] ?? null;
}

async function opened(
  world: World,
  scope: CountedPlace,
  counted: readonly CountedPlace[],
  { from }: Span,
): Promise<Found> {
  const now = world.now();
  const configuration = await loadConfiguration(world);
  const incident = outageOf(scope, around(scope, counted), from, now, world.waits.placeGrace);
  const { incidentId } = incident;
  const opening = openingOf(incident, configuration, givenAt(world, now));
  const { writes, wakes } = incidentFact(world, incident, null, opening, configuration, now);
  const pointer = pointed(scope, incidentId, 1);
  return { incidentId, writes: [...writes, pointer], wakes };
}

/** Moves an outage to a wider or narrower place, and the pointer from the place with it. */
export async function moved(
  world: World,
  stored: Stored<'incidents'>,
  scope: CountedPlace,
  counted: readonly CountedPlace[],
  how: 'Widened' | 'Narrowed',
): Promise<Found> {
  const now = world.now();
  const configuration = await loadConfiguration(world);
  const { incident, why } = outageAt(stored.data, scope, around(scope, counted), how);
  const kind = how === 'Widened' ? 'widen' : 'update';
  const { writes, wakes } = incidentFact(world, incident, stored, { kind, why }, configuration, now);
  const left = await unpointed(world, stored.data);
  return { incidentId: stored.id, writes: [...writes, pointed(scope, stored.id, 0), ...left], wakes };
}

/** The incident that is open at a place. */
export function openAt({ state }: Pick<CountedPlace, 'state'>): string | null {
  return state?.openIncidentId ?? null;
}

/** The write that makes an incident the open one of a place. */
function pointed({ place, stored }: CountedPlace, openIncidentId: string, more: number): Write {
  const placeId = placeIdOf(place);
  const { opened, version } = stored?.data ?? { opened: 0, version: 0 };
  return put('outagePlaces', placeId, { placeId, openIncidentId, opened: opened + more, version: version + 1 }, stored);
}

/** The write that removes an outage from its place. */
export async function unpointed({ store }: World, { incidentId, outage }: IncidentRecord): Promise<Write[]> {
  if (!outage) return [];
  const [stored = null] = await store.get('outagePlaces', [outage.placeId]);
  if (stored?.data.openIncidentId !== incidentId) return [];
  const data = { ...stored.data, openIncidentId: null, version: stored.data.version + 1 };
  return [put('outagePlaces', outage.placeId, data, stored)];
}
