import { reservedDeviceId } from '../../domain/ids.ts';
import { entryKey } from '../../domain/ledger/entry.ts';
import { subtreesToProve } from '../../domain/ledger/merkle.ts';
import { readCheckpoint } from '../../domain/ledger/note.ts';
import type { Membership } from '../../domain/registry/memberships.ts';
import { earlier } from '../../domain/time.ts';
import { AppError, notFound } from '../../errors.ts';
import type { ProofBundle, ProofQuery } from '../../schema/ledger/ledger.ts';
import { askedInstant } from '../asked-time.ts';
import { type Bearer, maySee } from '../bearer.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import type { Stored, World } from '../ports.ts';
import { askForEntry, chainsOf } from './chains.ts';
import type { LogObjects } from './objects.ts';
import { readCheckpointNote } from './read.ts';
import { createTiles, hashOf } from './tree.ts';

/** Entries of one bundle: more than a year of a camera with daily entries. */
const mostEntries = 1000;

/**
 * What the log proves about one device in one group between two instants: the entries with their keys, and the hashes up to the checkpoint. If its
 * time is not recorded that far, the next sweep records it. A former group of the device proves its own time still, and sees nothing of the time
 * after it, nor a new one of the time before.
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
  const { head, chain } = await chainFor(world, bearer, query);
  const isPending = chain !== null && (head === null || head.data.to < earlier(to, chain.to ?? to));
  if (isPending) await askForEntry(world, head, { deviceId, ...chain });
  const found = await world.store.find({
    in: 'ledgerEntries',
    where: [
      { field: 'deviceId', is: '==', value: deviceId },
      { field: 'groupId', is: '==', value: head?.data.groupId ?? chain?.groupId ?? null },
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

/** `chain`: the time of a device in a group, as the device remembers it. Null: it does not, or no longer exists. */
type GroupChain = {
  head: Stored<'ledgerHeads'> | null;
  chain: (Omit<Membership, 'groupId'> & { groupId: string | null }) | null;
};

/** Groups of one device. Each needs somebody who may move it there. */
const mostGroups = 1000;

/**
 * The chain that a query asks for: of the group that it names, else of the device's present group, else of the last of the bearer's groups that it
 * belonged to.
 * @throws AppError `not-found`, also for a group of others
 */
async function chainFor(
  world: Pick<World, 'store' | 'now'>,
  bearer: Bearer,
  { deviceId, groupId: asked }: ProofQuery,
): Promise<GroupChain> {
  const [{ devices, tombstones }, heads] = await Promise.all([
    world.store.getMany({ devices: [deviceId], tombstones: [deviceId] }),
    world.store.find({
      in: 'ledgerHeads',
      where: [{ field: 'deviceId', is: '==', value: deviceId }],
      limit: mostGroups,
    }),
  ]);
  if (deviceId === reservedDeviceId) {
    const head = heads[0] ?? null;
    requireService(bearer, head);
    return { head, chain: { groupId: null, from: world.now(), to: null } };
  }
  const isShown = (groupId: string | null) =>
    groupId !== null && maySee(bearer, groupId) && (asked === undefined || asked === groupId);
  const chains = (devices[0] ? chainsOf(devices[0].data) : []).filter(({ groupId }) => isShown(groupId));
  const shown = heads.filter(({ data }) => isShown(data.groupId));
  const last = shown.toSorted((a, b) => (a.data.to < b.data.to ? 1 : -1))[0]?.data.groupId;
  const groupId = chains.find(({ to }) => to === null)?.groupId ?? last ?? chains.at(-1)?.groupId;
  // A camera that was erased is still known to those who saw it, and nothing of it can be proven.
  const isErased = groupId === undefined && isShown(tombstones[0]?.data.groupId ?? null);
  if (groupId === undefined && !isErased) throw notFound('device with this id');
  return {
    head: shown.find(({ data }) => data.groupId === groupId) ?? null,
    chain: chains.find((chain) => chain.groupId === groupId) ?? null,
  };
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
