import { type PlaceRecord, placeIdOf, toWirePlace } from '../../domain/place/place.ts';
import { notFound } from '../../errors.ts';
import type { Place, PlaceContent } from '../../schema/place/place.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { decideAndCommit, put, requireVersion } from '../commit/commit.ts';

import type { Reads, Stored, World } from '../ports.ts';

type PlaceName = { kind: string; id: string };
export type VersionedPlace = { place: Place; version: number };

/** Reads a place. @throws AppError `not-found`, also where the bearer has none of its groups */
export async function getPlace(world: Reads<'places'>, bearer: Bearer, name: PlaceName): Promise<VersionedPlace> {
  const stored = await load(world, name);
  if (!stored?.data.groups.some((group) => maySee(bearer, group))) throw unknownPlace(name);
  return { place: toWirePlace(stored.data, bearer.groups), version: stored.data.version };
}

/** Sets the name of a place and the groups that share it. @throws AppError `precondition-failed` */
export async function putPlace(
  world: World,
  { kind, id }: PlaceName,
  { name, groups, shared }: PlaceContent,
  ifVersion: number | null,
): Promise<VersionedPlace> {
  return decideAndCommit(world, async () => {
    const stored = await load(world, { kind, id });
    const before = stored?.data.version ?? 0;
    requireVersion('place', before, ifVersion);
    const version = before + 1;
    const placeId = placeIdOf(kind, id);
    const data: PlaceRecord = { placeId, kind, id, name, groups, shared, changedAt: world.now(), version };
    return {
      writes: [put('places', placeId, data, stored)],
      wakes: [],
      answer: { place: toWirePlace(data, null), version },
    };
  });
}

/** @throws AppError `not-found`; `precondition-failed` */
export async function deletePlace(world: World, name: PlaceName, ifVersion: number | null): Promise<void> {
  await decideAndCommit(world, async () => {
    const stored = await load(world, name);
    if (!stored) throw unknownPlace(name);
    requireVersion('place', stored.data.version, ifVersion);
    return {
      writes: [{ kind: 'delete', in: 'places', id: stored.id, revision: stored.revision }],
      wakes: [],
      answer: undefined,
    };
  });
}

async function load({ store }: Reads<'places'>, { kind, id }: PlaceName): Promise<Stored<'places'> | null> {
  const [stored = null] = await store.get('places', [placeIdOf(kind, id)]);
  return stored;
}

function unknownPlace({ kind, id }: PlaceName) {
  return notFound(`place ${kind} ${id}`);
}
