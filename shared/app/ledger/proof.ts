import { reservedDeviceId } from '../../domain/ids.ts';
import { entryKey } from '../../domain/ledger/entry.ts';
import { subtreesToProve } from '../../domain/ledger/merkle.ts';
import { readCheckpoint } from '../../domain/ledger/note.ts';
import { AppError, notFound } from '../../errors.ts';
import type { ProofBundle, ProofQuery } from '../../schema/ledger/ledger.ts';
import { askedInstant } from '../asked-time.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import type { Stored, World } from '../ports.ts';
import { askForEntry } from './chains.ts';
import type { LogObjects } from './objects.ts';
import { readCheckpointNote } from './read.ts';
import { createTiles, hashOf } from './tree.ts';

/** Entries of one bundle: more than a year of a camera with daily entries. */
const mostEntries = 1000;

/**
 * What the log proves about one device between two instants: its entries with their keys, and the hashes up to the checkpoint. If its time is not
 * recorded that far, the next sweep records it.
 * @throws AppError `not-found`, `invalid-request`
 */
export async function proveDevice(
  world: Pick<World, 'store' | 'now' | 'newToken'>,
  objects: LogObjects,
  bearer: Bearer,
  query: ProofQuery,
): Promise<ProofBundle> {
  const { deviceId } = query;
  const [from, to] = [askedInstant(query.from, '?from'), askedInstant(query.to, '?to')];
  if (from >= to) throw refused('?to', 'must be later than `from`');
  const ids = { devices: [deviceId], tombstones: [deviceId], ledgerHeads: [deviceId] };
  const { devices, tombstones, ledgerHeads } = await world.store.getMany(ids);
  const [device = null, tombstone = null, head = null] = [devices[0], tombstones[0], ledgerHeads[0]];
  // The entries of a removed camera can still be proven.
  const known = device ?? tombstone;
  const isService = deviceId === reservedDeviceId;
  if (isService) requireService(bearer, head);
  else if (!known || !maySee(bearer, known.data.groupId)) throw notFound('device with this id');
  const isPending = (device !== null || isService) && (head === null || head.data.to < to);
  if (isPending) await askForEntry(world, head, device?.data ?? { deviceId, registeredAt: world.now() });
  const found = await world.store.find({
    in: 'ledgerEntries',
    where: [
      { field: 'deviceId', is: '==', value: deviceId },
      { field: 'to', is: '>', value: from },
    ],
    orderBy: [['to', 'asc']],
    limit: mostEntries,
  });
  const checkpoint = Buffer.from(await readCheckpointNote(objects)).toString('utf8');
  const { size } = readCheckpoint(checkpoint);
  if ((query.since ?? 0) > size) throw refused('?since', `is later than the ledger, which has ${size} leaves`);
  const shown = found.filter(({ data }) => data.from < to && data.index < size);
  const nodes = await nodesFor(
    objects,
    size,
    shown.map(({ data }) => data.index),
    query.since ?? 0,
  );
  const recordedTo = shown.at(-1)?.data.to ?? head?.data.to ?? from;
  return { version: 1, deviceId, from, to, isPending, recordedTo, checkpoint, entries: opened(shown, head), nodes };
}

/** The chain of the service itself concerns all groups and contains audit events. */
function requireService({ groups, scopes }: Bearer, head: Stored<'ledgerHeads'> | null): void {
  if (groups !== null || head === null) throw notFound('device with this id');
  if (scopes.has('audit:read')) return;
  throw new AppError('forbidden', 'The token lacks the scope audit:read.', { members: { scope: 'audit:read' } });
}

function refused(pointer: string, detail: string): AppError {
  return new AppError('invalid-request', `${pointer} ${detail}.`, { errors: [{ pointer, detail }] });
}

function opened(
  entries: readonly Stored<'ledgerEntries'>[],
  head: Stored<'ledgerHeads'> | null,
): ProofBundle['entries'] {
  if (!head) return [];
  return entries.map(({ data: { index, n, body } }) => {
    return { index, key: entryKey(head.data.key, n).toString('base64'), body };
  });
}

/** The hashes that a verifier cannot compute itself, by the leaves below each: `first-count`. */
async function nodesFor(
  objects: LogObjects,
  size: number,
  indexes: readonly number[],
  since: number,
): Promise<Record<string, string>> {
  const tiles = createTiles(objects);
  const nodes: Record<string, string> = {};
  const ranges = subtreesToProve(size, indexes, since > 0 && since < size ? [since] : []);
  await sideBySide(ranges, async (range) => {
    nodes[`${range.lo}-${range.count}`] = (await hashOf(tiles, range, size)).toString('base64');
  });
  return nodes;
}
