import { addCheckpointText, cosignaturesOf, withLines } from '../../domain/ledger/cosignature.ts';
import { consistencyProof } from '../../domain/ledger/merkle.ts';
import { openNote } from '../../domain/ledger/note.ts';
import type { World } from '../ports.ts';
import { checkpointName, type Ledger, type LogObjects, type LogWitness } from './objects.ts';
import { createTiles, hashOf } from './tree.ts';

/**
 * Asks the witnesses that have not cosigned the present checkpoint, and adds their cosignatures. A witness that does not answer or refuses delays
 * nothing: it is asked again with the next checkpoint.
 */
export async function cosign({ log }: Pick<World, 'log'>, ledger: Ledger): Promise<void> {
  const { objects, keys, witnesses = [] } = ledger;
  if (witnesses.length === 0) return;
  const found = await objects.read(checkpointName);
  if (!found) return;
  const note = Buffer.from(found.bytes).toString('utf8');
  const { size } = openNote(note, keys);
  const lacking = witnesses.filter(({ key }) => cosignaturesOf(note, note, key).length === 0);
  const lines = await Promise.all(
    lacking.map(async ({ key, add }) => {
      try {
        const answer = await ask(objects, add, note, size);
        const own = answer.status === 200 ? cosignaturesOf(note, answer.text, key) : [];
        if (own.length === 0) log.warn('ledger.unwitnessed', { witness: key.name, size, ...answer });
        return own.slice(0, 1);
      } catch (error) {
        log.warn('ledger.unwitnessed', { witness: key.name, size, error: String(error) });
        return [];
      }
    }),
  );
  const made = lines.flat();
  if (made.length === 0) return;
  // If a newer checkpoint was written meanwhile, it stays, and its own run collects its cosignatures.
  const isShown = await objects.write(checkpointName, Buffer.from(withLines(note, made)), found.generation);
  log.info('ledger.witnessed', { size, cosignatures: made.length, isShown });
}

const conflict = 409;
const shownText = 200;

/**
 * Submits the checkpoint as if the witness knew none. If it knows an older one, its answer (409) names that size, and it is asked again with a proof
 * from there.
 */
async function ask(
  objects: LogObjects,
  add: LogWitness['add'],
  note: string,
  size: number,
): Promise<{ status: number; text: string }> {
  const first = await add(addCheckpointText(0, [], note));
  const older = /^(0|[1-9]\d{0,15})\n?$/.exec(first.text)?.[1];
  const isBehind = first.status === conflict && older !== undefined && Number(older) > 0 && Number(older) <= size;
  // A witness that knows a larger log has seen a different log: a person must investigate.
  if (!isBehind) return { ...first, text: first.status === 200 ? first.text : first.text.slice(0, shownText) };
  const tiles = createTiles(objects);
  const ranges = consistencyProof(Number(older), size);
  const proof = await Promise.all(ranges.map((range) => hashOf(tiles, range, size)));
  return add(addCheckpointText(Number(older), proof, note));
}
