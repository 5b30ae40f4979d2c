import type { Device } from '../../domain/device/device.ts';
import { reservedDeviceId } from '../../domain/ids.ts';
import { headIdOf, type LedgerHead, type LedgerState, ledgerStateId, nextLeafAt } from '../../domain/ledger/entry.ts';
import { forgottenGroup, type Membership, membershipsOf } from '../../domain/registry/memberships.ts';
import { type Instant, msBetween, plus } from '../../domain/time.ts';
import { Conflict, type Stored, type World, type Write } from '../ports.ts';

/** Devices per sweep, and writes per commit. */
const mostNew = 200;
const mostWrites = 400;

/**
 * Creates a chain for each device that was registered, or came to another group, since the last search, an hour ago. Once a day the search goes back
 * one day: a first report that arrived late registers its device with its publication time.
 */
export async function chainRegistered(world: World, { data }: { data: LedgerState }): Promise<void> {
  const now = world.now();
  const { lookedAt, lookedTo } = data;
  if (lookedAt !== null && msBetween(lookedAt, now) < world.waits.ledgerHour) return;
  const lookedBackOn = now.slice(0, 10);
  const isNewDay = lookedTo !== null && lookedBackOn !== data.lookedBackOn;
  const after = isNewDay ? [plus(lookedTo[0], -world.waits.ledgerEvery), '0'] : lookedTo;
  const found = await world.store.find({
    in: 'devices',
    orderBy: [['groupSince', 'asc']],
    limit: mostNew,
    ...(after ? { after } : {}),
  });
  const chains = found.flatMap(({ id, data: device }) => chainsOf(device).map((chain) => ({ deviceId: id, ...chain })));
  const [service = null, ...heads] = await world.store.get('ledgerHeads', [
    reservedDeviceId,
    ...chains.map(({ deviceId, groupId }) => headIdOf(deviceId, groupId)),
  ]);
  const writes = chains.flatMap((chain, index): Write[] => {
    const { deviceId, to: left } = chain;
    const head = heads[index] ?? null;
    const next = nextLeafAt(deviceId, now, world.waits.ledgerEvery, world.waits.ledgerHour);
    // The device has left the group: the rest of its time there is recorded now.
    const leafAt = left === null ? next : now;
    if (head === null) return [created(newHead(world, chain, leafAt))];
    const isBehind = left === null ? head.data.leafAt > plus(now, 2 * world.waits.ledgerEvery) : head.data.to < left;
    return isBehind && head.data.leafAt > leafAt ? [dueBy(head, leafAt)] : [];
  });
  // The chain of the service itself: its own blindness, and changes of the configuration.
  if (service === null) {
    const id = reservedDeviceId;
    const leafAt = nextLeafAt(id, now, world.waits.ledgerEvery, world.waits.ledgerHour);
    writes.push(created(newHead(world, { deviceId: id, groupId: null, from: now }, leafAt)));
  }
  const last = found.at(-1);
  const set: Partial<LedgerState> = {
    lookedTo: last ? [last.data.groupSince, last.id] : lookedTo,
    lookedBackOn,
    // If there are more, the next sweep continues here.
    ...(found.length < mostNew ? { lookedAt: now } : {}),
  };
  for (let first = 0; first + mostWrites < writes.length; first += mostWrites)
    await world.store.commit(writes.slice(first, first + mostWrites));
  const rest = writes.slice(Math.max(0, Math.ceil(writes.length / mostWrites) - 1) * mostWrites);
  await world.store.commit([...rest, { kind: 'patch', in: 'platform', id: ledgerStateId, set }]);
}

/** The groups that a device has belonged to, each once, with when it first came and last left. `to` null: it is there. */
export function chainsOf(device: Device): Membership[] {
  const known = membershipsOf(device).filter(({ groupId }) => groupId !== forgottenGroup);
  const groups = Map.groupBy(known, ({ groupId }) => groupId);
  return [...groups.values()].flatMap((own) => {
    const [first, last] = [own[0], own.at(-1)];
    return first && last ? [{ ...first, to: last.to }] : [];
  });
}

function created(data: LedgerHead): Write {
  return { kind: 'create', in: 'ledgerHeads', id: headIdOf(data.deviceId, data.groupId), data };
}

/** A new chain, from when its device came to the group. */
function newHead(
  { newToken }: Pick<World, 'newToken'>,
  { deviceId, groupId, from }: ChainStart,
  leafAt: Instant,
): LedgerHead {
  return { deviceId, groupId, key: newToken() + newToken(), n: 0, last: '', to: from, leafAt };
}

/** The chain of a device in a group, or of the service itself. `from`: when it begins. */
type ChainStart = { deviceId: string; groupId: string | null; from: Instant };

function dueBy({ id }: Stored<'ledgerHeads'>, leafAt: Instant): Write {
  return { kind: 'patch', in: 'ledgerHeads', id, set: { leafAt } };
}

/** Makes the next entry of a device's chain due now, so that the next sweep records it. Creates the chain if it is missing. */
export async function askForEntry(
  world: Pick<World, 'store' | 'now' | 'newToken'>,
  head: Stored<'ledgerHeads'> | null,
  chain: ChainStart,
): Promise<void> {
  const { store } = world;
  const at = world.now();
  if (head !== null && head.data.leafAt <= at) return;
  try {
    await store.commit([head === null ? created(newHead(world, chain, at)) : dueBy(head, at)]);
  } catch (error) {
    // Another call has just requested the entry.
    if (!(error instanceof Conflict)) throw error;
  }
}
