import { createHash } from 'node:crypto';

/** Merkle trees as in RFC 6962, kept as tiles (C2SP tlog-tiles): 256 hashes of a level in each. */

export const hashBytes = 32;
/** Hashes per tile. */
export const tileWidth = 256;
const tileLevels = 8;

/** Hash of a leaf (RFC 6962, section 2.1). */
export function leafHash(leaf: Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(leaf).digest();
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
}

/** Hash of a list of hashes of leaves or of complete subtrees of one size. */
export function rootOf(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes;
  if (only === undefined) return createHash('sha256').digest();
  if (hashes.length === 1) return only;
  const left = largestPowerBelow(hashes.length);
  return nodeHash(rootOf(hashes.slice(0, left)), rootOf(hashes.slice(left)));
}

/** The largest power of two that is smaller than a number above 1. */
function largestPowerBelow(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1));
}

/** A subtree of the log: `count` leaves from `lo` on. */
export type Range = { lo: number; count: number };

/** The two subtrees of a subtree. */
function halvesOf({ lo, count }: Range): [Range, Range] {
  const left = largestPowerBelow(count);
  return [
    { lo, count: left },
    { lo: lo + left, count: count - left },
  ];
}

/** The complete subtrees, largest first, that together are a subtree. */
export function completeParts(range: Range): Range[] {
  if (range.count === 0 || Number.isInteger(Math.log2(range.count))) return range.count === 0 ? [] : [range];
  return halvesOf(range).flatMap(completeParts);
}

/** The hash of a subtree from those of its complete parts. */
export function joinedHash(parts: readonly Buffer[]): Buffer {
  return parts.reduceRight((right, left) => nodeHash(left, right));
}

/**
 * The subtrees whose hashes, together with the leaves at `indexes`, prove the root of a tree of `size` and that each of the `older` trees is its
 * prefix. A subtree that contains no such leaf and no such boundary is one hash.
 */
export function subtreesToProve(size: number, indexes: readonly number[], older: readonly number[]): Range[] {
  const walk = (range: Range): Range[] => {
    const { lo, count } = range;
    const isWanted = indexes.some((index) => index >= lo && index < lo + count);
    const isCut = older.some((end) => end > lo && end < lo + count);
    if (!isWanted && !isCut) return [range];
    return count === 1 ? [] : halvesOf(range).flatMap(walk);
  };
  return size === 0 ? [] : walk({ lo: 0, count: size });
}

/** The subtrees, in order, whose hashes prove that the tree of `older` leaves is a prefix of the tree of `size` leaves (RFC 6962, section 2.1.2). */
export function consistencyProof(older: number, size: number): Range[] {
  const proof = (count: number, range: Range, isWhole: boolean): Range[] => {
    if (count === range.count) return isWhole ? [] : [range];
    const [left, right] = halvesOf(range) as [Range, Range];
    return count <= left.count
      ? [...proof(count, left, isWhole), right]
      : [...proof(count - left.count, right, false), left];
  };
  return older === 0 || older === size ? [] : proof(older, { lo: 0, count: size }, true);
}

/** A tile by its level and number, with the hashes that it holds in a log of some size. */
export type Tile = { level: number; index: number; width: number };

/** Where the hash of a complete subtree is found: a range of hashes in a tile of a log of `size`. */
export function placeOf({ lo, count }: Range, size: number): { tile: Tile; from: number; to: number } {
  const height = Math.log2(count);
  const level = Math.floor(height / tileLevels);
  const perHash = tileWidth ** level;
  const first = lo / perHash;
  const index = Math.floor(first / tileWidth);
  const from = first - index * tileWidth;
  const width = Math.min(tileWidth, Math.floor(size / perHash) - index * tileWidth);
  return { tile: { level, index, width }, from, to: from + count / perHash };
}

/** The path of a tile, with groups of three digits: `tile/0/x001/x234/067`, `tile/0/000.p/17`. */
export function tilePath({ level, index, width }: Tile): string {
  const groups: string[] = [];
  for (let rest = index; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`${groups.length === 0 ? '' : 'x'}${String(rest % 1000).padStart(3, '0')}`);
  }
  return `tile/${level}/${groups.join('/')}${width < tileWidth ? `.p/${width}` : ''}`;
}

/** What C2SP tlog-tiles allows in the path of a tile, after `tile/`. */
export const tilePathPattern =
  /^(?:[0-9]|[1-5][0-9]|6[0-3])\/(?:x\d{3}\/)*\d{3}(?:\.p\/(?:[1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-5]))?$/;

export function hashesIn(bytes: Uint8Array): Buffer[] {
  return Array.from({ length: Math.floor(bytes.length / hashBytes) }, (_unused, index) =>
    Buffer.from(bytes.subarray(index * hashBytes, (index + 1) * hashBytes)),
  );
}
