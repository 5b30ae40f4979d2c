import type { Device } from '../../domain/device/device.ts';
import {
  batchIdOf,
  type LedgerHead,
  type LedgerState,
  ledgerStateId,
  longestEntryMs,
  nextEntry,
  nextLeafAt,
  packed,
} from '../../domain/ledger/entry.ts';
import { derive } from '../../domain/ledger/intervals.ts';
import { explained } from '../../domain/ledger/planned.ts';
import { retention } from '../../domain/limits.ts';
import { rememberedOf } from '../../domain/sight/sightings.ts';
import { earliest, type Instant, latest, plus } from '../../domain/time.ts';
import { Conflict, type Stored, type World, type Write } from '../ports.ts';
import { loadHorizon } from '../sight/sight.ts';
import { chainRegistered } from './chains.ts';
import { type Explanations, loadExplanations } from './explanations.ts';
import type { Ledger } from './objects.ts';
import { publish, readStanding } from './publish.ts';

/** Devices whose entries are one batch, and batches of one sweep. */
const atOnce = 100;
const mostBatches = 20;

/**
 * The ledger's part of a sweep: plans what is due, batch by batch, and writes to the log what is planned. A plan is one commit: the entries,
 * the chains that they continue, and the leaves that follow in the log at exactly this size. So nothing is entered twice or left out,
 * wherever a run stops.
 * @returns how many entries were made
 */
export async function keepLedger(world: World, ledger: Ledger): Promise<number> {
  const before = await loadState(world, ledger);
  await chainRegistered(world, before);
  const first = await dueHeads(world);
  const { planned: toPublish, published } = before.data;
  if (published < toPublish || first.length > 0) await aligned(world, ledger, published);
  const horizon = first.length > 0 ? await loadHorizon(world) : null;
  if (horizon === null) return 0;
  let made = 0;
  for (let batches = 0; batches < mostBatches; batches += 1) {
    const state = await loadState(world, ledger);
    const due = await dueHeads(world);
    if (due.length === 0) break;
    const planned = await plan(world, state, due, horizon);
    if (planned === null) break;
    made += planned;
  }
  if (made > 0) await publish(world, ledger, published);
  return made;
}

/** Publishes what is planned. A store that was restored is behind the log, and goes on from where that stands. */
async function aligned(world: World, ledger: Ledger, published: number): Promise<void> {
  const size = await publish(world, ledger, published);
  const { id, data, revision } = await loadState(world, ledger);
  if (data.planned >= size) return;
  world.log.warn('ledger.behind', { planned: data.planned, size });
  const next = { ...data, planned: size, published: size };
  await world.store.commit([{ kind: 'replace', in: 'platform', id, data: next, revision }]);
}

type StoredState = Stored<'platform'> & { data: LedgerState };

/** The state of the ledger. It begins where the log stands, so that a store that was restored does not begin it anew. */
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

/** @returns how many entries; null: another run was first */
async function plan(
  world: World,
  state: StoredState,
  heads: readonly Stored<'ledgerHeads'>[],
  horizon: Instant,
): Promise<number | null> {
  const now = latest(state.data.recordedAt, world.now()) ?? world.now();
  const devices = await world.store.get(
    'devices',
    heads.map(({ id }) => id),
  );
  const explanations = await loadExplanations(world, heads, horizon);
  const start = state.data.planned;
  const writes: Write[] = [];
  const hashes: Buffer[] = [];
  for (const [position, { id, data: head, revision }] of heads.entries()) {
    const device = devices[position]?.data ?? null;
    const until = earliest([horizon, plus(head.to, longestEntryMs)]) ?? horizon;
    const next = until < horizon ? now : nextLeafAt(id, now, world.waits.ledgerEvery, world.waits.ledgerHour);
    const leafAt = device ? next : never;
    const recorded = device && recordedOf(world, head, device, until, explanations);
    const made = recorded && nextEntry(head, recorded, start + hashes.length, now, leafAt);
    writes.push({ kind: 'replace', in: 'ledgerHeads', id, data: made ? made.head : { ...head, leafAt }, revision });
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

/** A chain whose device was removed has no next entry, until the device returns. */
const never: Instant = '9999-12-31T00:00:00.000Z';

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

function recordedOf(world: World, head: LedgerHead, device: Device, horizon: Instant, given: Explanations) {
  const recorded = derive({ ...device, sightings: rememberedOf(device) }, head.to, horizon, world.waits);
  if (!recorded) return null;
  return { ...recorded, intervals: explained(recorded.intervals, device, given, horizon) };
}
