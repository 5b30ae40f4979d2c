import type { Place } from '../../domain/device/places.ts';
import type { Counted } from '../../domain/incident/outage.ts';
import { keysOfPlace, placeIdOf, type SeenPlace, seenPlace } from '../../domain/incident/place.ts';
import { placeIdOf as placeNameOf } from '../../domain/place/place.ts';
import { allShards } from '../../domain/shards.ts';
import type { Instant } from '../../domain/time.ts';
import type { Filter, Stored, World } from '../ports.ts';

/** A counted place with the record of its incidents as it was read. */
export type CountedPlace = Counted & { stored: Stored<'outagePlaces'> | null };

type Counts = Pick<World, 'store'>;
type PlaceToCount = Pick<SeenPlace, 'kind' | 'id' | 'groups'>;

/**
 * The devices that are counted: those that became dark after `from` and not after `until`. Devices that were dark before are unrelated and
 * not counted at all.
 */
export type Span = { from: Instant; until: Instant };

/** Counts places at a horizon by index, so that the cost does not grow with their size. */
export async function countPlaces(world: Counts, places: readonly Place[], span: Span): Promise<CountedPlace[]> {
  const seen = await placesSeen(world, places);
  return Promise.all(seen.map(async (each) => ({ ...each, ...(await countPlace(world, each.place, span)) })));
}

/** How many devices of a place can be judged, and how many of them are dark. */
export async function countPlace(
  world: Counts,
  place: PlaceToCount,
  span: Span,
): Promise<Pick<Counted, 'kind' | 'total' | 'dark' | 'darkness'>> {
  const counts = await Promise.all(keysOfPlace(place).map((key) => countKey(world, key, span)));
  const sum = (member: 'total' | 'dark') => counts.reduce((all, each) => all + each[member], 0);
  return { kind: place.kind, total: sum('total'), dark: sum('dark'), darkness: null };
}

/** The cameras of one place write `darkAt` with each report. Without shards, one index range could take only 60,000 of them. */
const inAnyShard: Filter<'devices'> = { field: 'shard', is: 'in', value: allShards };

async function countKey({ store }: Counts, key: string, { from, until }: Span) {
  const here: Filter<'devices'> = { field: 'places', is: 'array-contains', value: key };
  const darkUpTo = (at: Instant) =>
    store.count({ in: 'devices', where: [inAnyShard, here, { field: 'darkAt', is: '<=', value: at }] });
  const [all, before, now] = await Promise.all([
    store.count({ in: 'devices', where: [here] }),
    darkUpTo(from),
    darkUpTo(until),
  ]);
  return { total: all - before, dark: now - before };
}

/** When the first and the last of the dark devices at a place became dark. */
export async function darknessOf(
  { store }: Counts,
  place: PlaceToCount,
  { from, until }: Span,
): Promise<Counted['darkness']> {
  const ends = keysOfPlace(place).flatMap((key) =>
    (['asc', 'desc'] as const).map((direction) =>
      store.find({
        in: 'devices',
        where: [
          inAnyShard,
          { field: 'places', is: 'array-contains', value: key },
          { field: 'darkAt', is: '>', value: from },
          { field: 'darkAt', is: '<=', value: until },
        ],
        orderBy: [['darkAt', direction]],
        limit: 1,
      }),
    ),
  );
  const found = (await Promise.all(ends)).flat().flatMap(({ data }) => data.darkAt ?? []);
  const [firstAt, lastAt] = [found.toSorted()[0], found.toSorted().at(-1)];
  return firstAt && lastAt ? { firstAt, lastAt } : null;
}

/** Places as devices of their groups see them, with the incident that is open there. */
export async function placesSeen(
  { store }: Counts,
  places: readonly Place[],
): Promise<Pick<CountedPlace, 'place' | 'state' | 'stored'>[]> {
  const names = places.map(({ kind, id }) => placeNameOf(kind, id));
  const known = names.length > 0 ? await store.get('places', names) : [];
  const seen = places.map((place, index) => seenPlace(place, known[index]?.data ?? null));
  const states = seen.length > 0 ? await store.get('outagePlaces', seen.map(placeIdOf)) : [];
  return seen.map((place, index) => {
    const stored = states[index] ?? null;
    return { place, state: stored?.data ?? null, stored };
  });
}
