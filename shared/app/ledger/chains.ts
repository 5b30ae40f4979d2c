import { reservedDeviceId } from '../../domain/ids.ts';
import { type LedgerHead, type LedgerState, ledgerStateId, nextLeafAt } from '../../domain/ledger/entry.ts';
import { type Instant, msBetween, plus } from '../../domain/time.ts';
import { Conflict, type Stored, type World, type Write } from '../ports.ts';

/** New chains per sweep. */
const mostNew = 200;

/**
 * Creates a chain for each device that was registered since the last search, an hour ago. Once a day the search goes back one day: a first report
 * that arrived late registers its device with its publication time.
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
    orderBy: [['registeredAt', 'asc']],
    limit: mostNew,
    ...(after ? { after } : {}),
  });
  const [service = null, ...heads] = await world.store.get('ledgerHeads', [
    reservedDeviceId,
    ...found.map(({ id }) => id),
  ]);
  const writes = found.flatMap(({ id, data: { registeredAt } }, index): Write[] => {
    const head = heads[index] ?? null;
    const leafAt = nextLeafAt(id, now, world.waits.ledgerEvery, world.waits.ledgerHour);
    if (head === null)
      return [{ kind: 'create', in: 'ledgerHeads', id, data: newHead(world, id, registeredAt, leafAt) }];
    // The device was removed and has returned.
    return head.data.leafAt > plus(now, 2 * world.waits.ledgerEvery) ? [dueBy(head, leafAt)] : [];
  });
  // The chain of the service itself: its own blindness, and changes of the configuration.
  if (service === null) {
    const id = reservedDeviceId;
    const leafAt = nextLeafAt(id, now, world.waits.ledgerEvery, world.waits.ledgerHour);
    writes.push({ kind: 'create', in: 'ledgerHeads', id, data: newHead(world, id, now, leafAt) });
  }
  const last = found.at(-1);
  const set: Partial<LedgerState> = {
    lookedTo: last ? [last.data.registeredAt, last.id] : lookedTo,
    lookedBackOn,
    // If there are more, the next sweep continues here.
    ...(found.length < mostNew ? { lookedAt: now } : {}),
  };
  await world.store.commit([...writes, { kind: 'patch', in: 'platform', id: ledgerStateId, set }]);
}

/** A new chain, from the registration of its device on. */
function newHead(
  { newToken }: Pick<World, 'newToken'>,
  deviceId: string,
  registeredAt: Instant,
  leafAt: Instant,
): LedgerHead {
  return { deviceId, key: newToken() + newToken(), n: 0, last: '', to: registeredAt, leafAt };
}

function dueBy({ id }: Stored<'ledgerHeads'>, leafAt: Instant): Write {
  return { kind: 'patch', in: 'ledgerHeads', id, set: { leafAt } };
}

/** Makes the next entry of a device's chain due now, so that the next sweep records it. Creates the chain if it is missing. */
export async function askForEntry(
  world: Pick<World, 'store' | 'now' | 'newToken'>,
  head: Stored<'ledgerHeads'> | null,
  { deviceId, registeredAt }: { deviceId: string; registeredAt: Instant },
): Promise<void> {
  const { store } = world;
  const at = world.now();
  if (head !== null && head.data.leafAt <= at) return;
  const first = {
    kind: 'create',
    in: 'ledgerHeads',
    id: deviceId,
    data: newHead(world, deviceId, registeredAt, at),
  } as const;
  try {
    await store.commit([head === null ? first : dueBy(head, at)]);
  } catch (error) {
    // Another call has just requested the entry.
    if (!(error instanceof Conflict)) throw error;
  }
}
