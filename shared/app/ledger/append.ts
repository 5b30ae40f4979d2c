import {
  batchIdOf,
  type LedgerState,
  ledgerStateId,
  nextEntry,
  nextLeafAt,
  packed,
} from '../../domain/ledger/entry.ts';
import { retention } from '../../domain/limits.ts';
import type { SightRecord } from '../../domain/sight/sight.ts';
import { type Instant, latest, plus } from '../../domain/time.ts';
import { Conflict, type Stored, type World, type Write } from '../ports.ts';
import { loadSight } from '../sight/sight.ts';
import { chainRegistered } from './chains.ts';
import { cosign } from './cosign.ts';
import type { Ledger } from './objects.ts';
import { publish, readStanding } from './publish.ts';
import { type ChainState, recordedOf } from './recorded.ts';

/** Devices per batch of entries, and batches per sweep. */
const atOnce = 100;
const mostBatches = 20;

/**
 * The ledger's part of a sweep: plans due entries in batches and writes planned batches to the log. A plan is one commit with the entries, the ends
 * of their chains, and the leaves for the log at exactly this size. Nothing is recorded twice or lost, wherever a run stops.
 * @returns how many entries were made
 */
export async function keepLedger(world: World, ledger: Ledger): Promise<number> {
  const before = await loadState(world, ledger);
  await chainRegistered(world, before);
  const first = await dueHeads(world);
  const { planned: toPublish, published } = before.data;
  if (published < toPublish || first.length > 0) await aligned(world, ledger, published);
  const sight = first.length > 0 ? await loadSight(world) : null;
  if (sight === null) return 0;
  let made = 0;
  for (let batches = 0; batches < mostBatches; batches += 1) {
    const state = await loadState(world, ledger);
    const due = await dueHeads(world);
    if (due.length === 0) break;
    const planned = await plan(world, state, due, sight.data);
    if (planned === null) break;
    made += planned;
  }
  if (made > 0) {
    await publish(world, ledger, published);
    await cosign(world, ledger);
  }
  return made;
}

/** Publishes planned batches. A store that was restored from a backup is behind the log, and continues from the log's present size. */
async function aligned(world: World, ledger: Ledger, published: number): Promise<void> {
  const size = await publish(world, ledger, published);
  const { id, data, revision } = await loadState(world, ledger);
  if (data.planned >= size) return;
  world.log.warn('ledger.behind', { planned: data.planned, size });
  const next = { ...data, planned: size, published: size };
  await world.store.commit([{ kind: 'replace', in: 'platform', id, data: next, revision }]);
}

type StoredState = Stored<'platform'> & { data: LedgerState };

/** The state of the ledger. Its initial size is that of the log, so that a restored store continues the same log. */
async function loadState(world: World, ledger: Ledger): Promise<StoredState> {
  const [stored = null] = await world.store.get('platform', [ledgerStateId]);
  if (stored?.data.kind === 'ledger') return stored as StoredState;
  const size = (await readStanding(ledger))?.checkpoint.size ?? 0;
  const first = {
    platformId: ledgerStateId,
    kind: 'ledger',
    planned: size,
    published: size,
    recordedAt: null,
  } as const;
  const data: LedgerState = { ...first, lookedAt: null, lookedTo: null, lookedBackOn: null };
  await world.store.commit([{ kind: 'create', in: 'platform', id: ledgerStateId, data }]);
  return loadState(world, ledger);
}

function dueHeads({ store, now }: World): Promise<Stored<'ledgerHeads'>[]> {
  return store.find({
    in: 'ledgerHeads',
    where: [{ field: 'leafAt', is: '<=', value: now() }],
    orderBy: [['leafAt', 'asc']],
    limit: atOnce,
  });
}

/** @returns the number of entries; null: another run was first */
async function plan(
  world: World,
  state: StoredState,
  heads: readonly Stored<'ledgerHeads'>[],
  { horizonAt: horizon, restored: lost }: Pick<SightRecord, 'horizonAt' | 'restored'>,
): Promise<number | null> {
  const now = latest(state.data.recordedAt, world.now()) ?? world.now();
  const known = await recordedOf(world, heads, horizon);
  const start = state.data.planned;
  const writes: Write[] = [];
  const hashes: Buffer[] = [];
  for (const { id, data, revision } of heads) {
    const given = known.get(id) ?? null;
    const { recorded, entered } = given ?? { recorded: null, entered: null };
    const head = { ...data, leafAt: leafAtOf(world, id, given, now), ...(entered ? { entered: entered.entered } : {}) };
    const made = recorded && nextEntry(head, { ...recorded, trail: entered?.trail, lost }, start + hashes.length, now);
    writes.push({ kind: 'replace', in: 'ledgerHeads', id, data: made ? made.head : head, revision });
    if (!made) continue;
    hashes.push(made.hash);
    writes.push({ kind: 'create', in: 'ledgerEntries', id: made.entry.entryId, data: made.entry });
  }
  if (hashes.length > 0) writes.push(...batchWrites(state, start, hashes, now));
  try {
    await world.store.commit(writes);
    return hashes.length;
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    return null;
  }
}

/** A chain whose device was removed, or has left its group, has no next entry until the device returns. */
const never: Instant = '9999-12-31T00:00:00.000Z';

function leafAtOf({ waits }: World, id: string, known: ChainState | null, now: Instant): Instant {
  if (!known || known.isOver) return never;
  if (known.isBehind) return now;
  return known.isMore ? plus(now, waits.ledgerHour) : nextLeafAt(id, now, waits.ledgerEvery, waits.ledgerHour);
}

function batchWrites({ id, data, revision }: StoredState, start: number, hashes: Buffer[], now: Instant): Write[] {
  const batchId = batchIdOf(start);
  const batch = { batchId, start, hashes: packed(hashes), recordedAt: now, expireAt: plus(now, retention.ledger) };
  return [
    { kind: 'create', in: 'ledgerBatches', id: batchId, data: batch },
    {
      kind: 'replace',
      in: 'platform',
      id,
      data: { ...data, planned: start + hashes.length, recordedAt: now },
      revision,
    },
  ];
}
