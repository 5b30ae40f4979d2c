import { tilePathPattern } from '../../domain/ledger/merkle.ts';
import { AppError, notFound } from '../../errors.ts';
import { checkpointName, type LogObject, type LogObjects } from './objects.ts';

/** The checkpoint as it was signed. @throws AppError `not-found` before the first */
export async function readCheckpointNote({ read }: Pick<LogObjects, 'read'>): Promise<Uint8Array> {
  const note = await read(checkpointName);
  if (!note) throw new AppError('not-found', 'The ledger has no checkpoint yet. The next sweep makes the first.');
  return note.bytes;
}

/** A tile by its path after `tile/`. @throws AppError `not-found` */
export async function readTile({ read }: Pick<LogObjects, 'read'>, path: string): Promise<LogObject> {
  const found = tilePathPattern.test(path) ? await read(`tile/${path}`) : null;
  if (!found) throw notFound('tile with this path');
  return found;
}
