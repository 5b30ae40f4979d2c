import {
  completeParts,
  hashesIn,
  joinedHash,
  placeOf,
  type Range,
  rootOf,
  type Tile,
  tilePath,
  tileWidth,
} from '../../domain/ledger/merkle.ts';
import type { LogObjects } from './objects.ts';

/** The tiles of a log, each read at most once. */
export type Tiles = { hashesOf(tile: Tile): Promise<Buffer[]>; put(tile: Tile, hashes: readonly Buffer[]): void };

export function createTiles({ read }: Pick<LogObjects, 'read'>): Tiles {
  const known = new Map<string, Promise<Buffer[]>>();
  const load = async (tile: Tile): Promise<Buffer[]> => {
    const path = tilePath(tile);
    // A full tile replaces the partial ones, so a partial one may be gone.
    const found =
      (await read(path)) ?? (tile.width < tileWidth ? await read(tilePath({ ...tile, width: tileWidth })) : null);
    const hashes = found ? hashesIn(found.bytes) : [];
    if (hashes.length < tile.width) throw new Error(`The ledger lacks ${path}`);
    return hashes.slice(0, tile.width);
  };
  return {
    hashesOf(tile) {
      const path = tilePath(tile);
      const hashes = known.get(path) ?? load(tile);
      known.set(path, hashes);
      return hashes;
    },
    put(tile, hashes) {
      known.set(tilePath(tile), Promise.resolve([...hashes]));
    },
  };
}

/** The hash of a subtree of a log of `size`. */
export async function hashOf(tiles: Tiles, range: Range, size: number): Promise<Buffer> {
  const parts = completeParts(range).map(async (part) => {
    const { tile, from, to } = placeOf(part, size);
    return rootOf((await tiles.hashesOf(tile)).slice(from, to));
  });
  return parts.length === 0 ? rootOf([]) : joinedHash(await Promise.all(parts));
}
