import { batchIdOf, ledgerStateId } from '../../domain/ledger/entry.ts';
import { hashesIn, rootOf, type Tile, tilePath, tileWidth } from '../../domain/ledger/merkle.ts';
import { type Checkpoint, openNote, signedNote } from '../../domain/ledger/note.ts';
import type { World } from '../ports.ts';
import { checkpointName, type Ledger, type LogObjects } from './objects.ts';
import { createTiles, hashOf, type Tiles } from './tree.ts';

/** The checkpoint in the log, and its generation when it was read. */
export type PublishedCheckpoint = { checkpoint: Checkpoint; generation: string } | null;

export async function readStanding({ objects, keys }: Ledger): Promise<PublishedCheckpoint> {
  const found = await objects.read(checkpointName);
  if (!found) return null;
  return { checkpoint: openNote(Buffer.from(found.bytes).toString('utf8'), keys), generation: found.generation };
}

/**
 * Writes planned batches to the log. The size in the checkpoint determines the next batch, and there is exactly one batch per size: an interrupted
 * run is continued by the next one, and two concurrent runs write the same.
 * @param published the size of the log at the last look; the log never shrinks
 * @returns its size
 */
export async function publish(world: World, ledger: Ledger, published: number): Promise<number> {
  for (;;) {
    const standing = await readStanding(ledger);
    const size = standing?.checkpoint.size ?? 0;
    if (size < published) throw new Error(`The end of the ledger is missing: ${size} of ${published} leaves`);
    const [batch = null] = await world.store.get('ledgerBatches', [batchIdOf(size)]);
    if (!batch) return size;
    const leaves = hashesIn(Buffer.from(batch.data.hashes, 'base64'));
    const tiles = createTiles(ledger.objects);
    await extend(ledger.objects, tiles, size, leaves);
    const next = size + leaves.length;
    const root = await hashOf(tiles, { lo: 0, count: next }, next);
    const note = signedNote({ origin: ledger.origin, size: next, root, at: batch.data.recordedAt }, ledger.keys);
    const isMine = await ledger.objects.write(checkpointName, Buffer.from(note), standing?.generation ?? null);
    if (!isMine) continue;
    await world.store.commit([{ kind: 'patch', in: 'platform', id: ledgerStateId, set: { published: next } }]);
    world.log.info('ledger.published', { size: next, leaves: leaves.length });
  }
}

/** Writes the tiles that change when leaves are added to a log of `size`, level by level. */
async function extend(objects: LogObjects, tiles: Tiles, size: number, leaves: readonly Buffer[]): Promise<void> {
  let before = size;
  let added = leaves;
  for (let level = 0; added.length > 0; level += 1) {
    const roots: Buffer[] = [];
    let index = Math.floor(before / tileWidth);
    const width = before % tileWidth;
    const known = width > 0 ? await tiles.hashesOf({ level, index, width }) : [];
    for (let rest = [...known, ...added]; rest.length > 0; rest = rest.slice(tileWidth), index += 1) {
      const hashes = rest.slice(0, tileWidth);
      await writeTile(objects, tiles, { level, index, width: hashes.length }, hashes);
      if (hashes.length === tileWidth) roots.push(rootOf(hashes));
    }
    before = Math.floor(before / tileWidth);
    added = roots;
  }
}

/** A tile never changes: an existing one must have the same content. */
async function writeTile(objects: LogObjects, tiles: Tiles, tile: Tile, hashes: readonly Buffer[]): Promise<void> {
  const bytes = Buffer.concat(hashes);
  const path = tilePath(tile);
  tiles.put(tile, hashes);
  if (await objects.write(path, bytes, null)) return;
  const found = await objects.read(path);
  if (!found || !bytes.equals(found.bytes))
    throw new Error(`The ledger contains a different ${path}: refused, because the ledger would fork`);
}
