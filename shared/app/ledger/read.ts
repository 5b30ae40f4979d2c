import { tilePathPattern } from '../../domain/ledger/merkle.ts';
import { AppError, notFound } from '../../errors.ts';
import { checkpointName, type LogObject, type LogObjects } from './objects.ts';

/**
 * The signed checkpoint.
 * @throws AppError `not-found` before the first one
 */
export async function readCheckpointNote({ read }: Pick<LogObjects, 'read'>): Promise<Uint8Array> {
  const note = await read(checkpointName);
  if (!note) throw new AppError('not-found', 'The ledger has no checkpoint yet. The next sweep makes the first.');
  return note.bytes;
}

/** The same as text for a report. Null: no log is kept, it has no checkpoint yet, or it cannot be read now. */
export async function checkpointText(log: Pick<LogObjects, 'read'> | null): Promise<string | null> {
  const note = log && (await readCheckpointNote(log).catch(() => null));
  return note && Buffer.from(note).toString('utf8');
}

/** A tile by its path after `tile/`. @throws AppError `not-found` */
export async function readTile({ read }: Pick<LogObjects, 'read'>, path: string): Promise<LogObject> {
  const found = tilePathPattern.test(path) ? await read(`tile/${path}`) : null;
  if (!found) throw notFound('tile with this path');
  return found;
}
