import { placeOfKey } from '../../domain/device/places.ts';
import type { IncidentRecord } from '../../domain/incident/incident.ts';
import type { Waits } from '../../domain/limits.ts';
import type { CameraLoss } from '../../domain/outage/look.ts';
import { keysOfPlace, placeIdOf, type SeenPlace, seenPlace } from '../../domain/outage/places.ts';
import { type Baselines, groupPlace, groupsHit, type PlaceCount } from '../../domain/outage/scopes.ts';
import { placeIdOf as placeNameOf } from '../../domain/place/place.ts';
import { allShards } from '../../domain/shards.ts';
import { earlier, type Instant, latest, plus } from '../../domain/time.ts';
import type { Filter, Stored, World } from '../ports.ts';

type Counts = Pick<World, 'store' | 'waits'>;

/** Outages of one page, and losses that a look judges at a time. With more of them, the losses join their outages by a job. */
const mostOutages = 400;
export const mostLosses = 2000;

/** The outages that are open, and those that ended so shortly ago that they may return. */
export async function loadOutages({ store }: Pick<World, 'store'>, now: Instant): Promise<IncidentRecord[]> {
  const where: Filter<'incidents'>[] = [{ field: 'lookUntil', is: '>=', value: now }];
  const outages: IncidentRecord[] = [];
  for (let last: Stored<'incidents'> | null = null; ; ) {
    const after = last ? { after: [last.data.lookUntil, last.id] } : {};
    const found: Stored<'incidents'>[] = await store.find({
      in: 'incidents',
      where,
      orderBy: [['lookUntil', 'desc']],
      limit: mostOutages,
      ...after,
    });
    outages.push(...found.map(({ data }) => data));
    if (found.length < mostOutages) return outages;
    last = found.at(-1) ?? null;
  }
}

/** Losses that no look has judged yet. @param after the last one of the page before: some wait there for the end of a mute */
export function loadUnjudged(
  { store }: Pick<World, 'store'>,
  after: string | null = null,
): Promise<Stored<'alerts'>[]> {
  const where: Filter<'alerts'>[] = [{ field: 'isJudged', is: '==', value: false }];
  return store.find({ in: 'alerts', where, limit: mostLosses, ...(after === null ? {} : { after: [after] }) });
}

export function lossOf({ data }: Stored<'alerts'>): CameraLoss {
  const { alertId, groupId, places, timestamp, context } = data;
  const lostAt = data.lostAt ?? timestamp;
  const darkness = { since: context.lastConnected ?? lostAt, lastReportBy: context.lastReportBy ?? null };
  return { alertId, groupId, places, lostAt, darkness };
}

/** Where a camera was lost, and when. */
type LossPoint = Pick<CameraLoss, 'groupId' | 'places' | 'lostAt'>;

/** What the counts of places depend on: the horizon, whether maintenance windows exist, and since when an outage counts its cameras. */
export type Counting = { horizon: Instant; hasWindows: boolean; from?: Instant };

/** The counts of each place on which a lost camera hangs, once for each place, and of each group of which many places are hit. */
export async function countPlaces(
  world: Counts,
  losses: readonly LossPoint[],
  counting: Counting,
): Promise<PlaceCount[]> {
  const seen = await placesSeen(world, [...new Set(losses.flatMap(({ places }) => places))].toSorted());
  const counts = await Promise.all(
    seen.map((place) => {
      const keys = new Set(keysOfPlace(place));
      return countPlace(
        world,
        place,
        losses.filter(({ places }) => places.some((key) => keys.has(key))),
        counting,
      );
    }),
  );
  const groups = groupsHit(
    losses.map(({ places }) => places),
    counts,
  ).map((id) =>
    countPlace(
      world,
      groupPlace(id),
      losses.filter(({ groupId }) => groupId === id),
      counting,
    ),
  );
  return [...counts, ...(await Promise.all(groups))];
}

/** The instants before which darkness is unrelated to these losses. */
function baselinesOf(
  losses: readonly LossPoint[],
  { horizon, from }: Counting,
  { outageWindow, outageFar }: Waits,
): Baselines {
  if (from !== undefined) return { near: from, far: from };
  const newest = losses.reduce<Instant | null>((last, { lostAt }) => latest(last, lostAt), null) ?? horizon;
  const near = plus(newest, -outageWindow);
  return { near, far: earlier(near, plus(horizon, -outageFar)) };
}

async function countPlace(
  world: Counts,
  place: SeenPlace,
  losses: readonly LossPoint[],
  counting: Counting,
): Promise<PlaceCount> {
  const { horizon, hasWindows } = counting;
  const from = baselinesOf(losses, counting, world.waits);
  const [total, dark, nearBefore, farBefore, maintained] = await Promise.all([
    countDark(world, place, null),
    countDark(world, place, horizon),
    countDark(world, place, from.near),
    from.far === from.near ? null : countDark(world, place, from.far),
    hasWindows ? countMaintained(world, place) : 0,
  ]);
  // A loss that is declared although reports may be missing counts too; a camera that only seems overdue does not.
  const unseen = losses.filter(({ lostAt }) => lostAt > horizon).length;
  return {
    place,
    total,
    dark: dark + unseen,
    before: { near: nearBefore, far: farBefore ?? nearBefore },
    from,
    maintained,
  };
}

/** The cameras of one place write `darkAt` with each report. Without shards, one index range could take only 60,000 of them. */
const inAnyShard: Filter<'devices'> = { field: 'shard', is: 'in', value: allShards };

/** The cameras at a place, or those of them that became dark up to an instant. Counted by index, so that the cost does not grow with the place. */
export async function countDark(
  { store }: Pick<World, 'store'>,
  place: Pick<SeenPlace, 'kind' | 'id' | 'groups'>,
  until: Instant | null,
): Promise<number> {
  const dark: Filter<'devices'>[] = until === null ? [] : [inAnyShard, { field: 'darkAt', is: '<=', value: until }];
  const counts = filtersAt<'devices'>(place).map((at) => store.count({ in: 'devices', where: [...dark, at] }));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Losses that a maintenance window keeps quiet. */
const maintainedLosses: Filter<'alerts'>[] = [
  { field: 'code', is: '==', value: 'CONN_001' },
  { field: 'isOpen', is: '==', value: true },
  { field: 'isMaintained', is: '==', value: true },
];

async function countMaintained({ store }: Counts, place: SeenPlace): Promise<number> {
  const counts = filtersAt<'alerts'>(place).map((at) =>
    store.count({ in: 'alerts', where: [...maintainedLosses, at] }),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Losses in maintenance of which the ends of their windows are read. */
const mostMaintained = 100;

/** When the last of the windows ends that keep losses at a place quiet. */
export async function maintainedUntil({ store }: Counts, place: SeenPlace): Promise<Instant | null> {
  const found = await Promise.all(
    filtersAt<'alerts'>(place).map((at) =>
      store.find({ in: 'alerts', where: [...maintainedLosses, at], limit: mostMaintained }),
    ),
  );
  return found.flat().reduce<Instant | null>((last, { data }) => latest(last, data.maintenanceUntil), null);
}

/** The conditions under which a record belongs to a place, one for each of its groups. */
export function filtersAt<K extends 'devices' | 'alerts'>({
  kind,
  id,
  groups,
}: Pick<SeenPlace, 'kind' | 'id' | 'groups'>): Filter<K>[] {
  if (kind === 'group') return [{ field: 'groupId', is: '==', value: id } as Filter<K>];
  return keysOfPlace({ kind, id, groups }).map(
    (value) => ({ field: 'places', is: 'array-contains', value }) as Filter<K>,
  );
}

/** When the first and the last of the dark cameras at a place became dark. */
export async function darknessOf(
  { store }: Counts,
  place: SeenPlace,
  from: Instant,
  horizon: Instant,
): Promise<{ firstAt: Instant; lastAt: Instant } | null> {
  const ends = filtersAt<'devices'>(place).flatMap((at) =>
    (['asc', 'desc'] as const).map((direction) =>
      store.find({
        in: 'devices',
        where: [
          inAnyShard,
          at,
          { field: 'darkAt', is: '>', value: from },
          { field: 'darkAt', is: '<=', value: horizon },
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

/** Places as cameras of their groups see them, each once. */
async function placesSeen({ store }: Pick<World, 'store'>, keys: readonly string[]): Promise<SeenPlace[]> {
  if (keys.length === 0) return [];
  const places = keys.map(placeOfKey);
  const known = await store.get(
    'places',
    places.map(({ kind, id }) => placeNameOf(kind, id)),
  );
  const seen = places.map((place, index) => seenPlace(place, known[index]?.data ?? null));
  return [...new Map(seen.map((place) => [placeIdOf(place), place])).values()];
}
