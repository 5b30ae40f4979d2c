import { decideAlert, decideLife, entryIdOf } from '../../domain/alert/lifecycle.ts';
import { droppedFor } from '../../domain/delivery/decision.ts';
import { restoreIncident, restoreIncidentId } from '../../domain/incident/restored.ts';
import { type LostTime, lostReason, type RestoredRecord, restoredId } from '../../domain/restored/restored.ts';
import { allShards } from '../../domain/shards.ts';
import { newSight, sightAfterRestore, sightId } from '../../domain/sight/sight.ts';
import { put } from '../commit/commit.ts';
import { noticeOf } from '../commit/notice.ts';
import type { Stored, World, Write } from '../ports.ts';
import { revisionWrite } from '../settings/configuration.ts';
import { loadSight } from '../sight/sight.ts';

/** Records that one commit of the settling handles. An alert takes two writes. */
const atOnce = 150;

type StoredRestore = Stored<'platform'> & { data: RestoredRecord };

/** The record of the last restore. Null: there was none. */
export async function loadRestored({ store }: Pick<World, 'store'>): Promise<StoredRestore | null> {
  const [stored = null] = await store.get('platform', [restoredId]);
  return stored?.data.kind === 'restored' ? (stored as StoredRestore) : null;
}

/**
 * Says in a restored database, before anything resumes, what time it lost: one commit, by which the platform was blind then, nobody is notified of what
 * began before until what waited has arrived, and no configuration in memory is valid. A repeat before anything resumes, because the
 * restore was cut off, makes the lost time longer.
 * @param asOf the state to which the database came back
 */
export async function recordRestore(world: World, asOf: LostTime['asOf']): Promise<RestoredRecord> {
  const [before, sight] = await Promise.all([loadRestored(world), loadSight(world)]);
  const at = world.now();
  const seen = sightAfterRestore(sight?.data ?? newSight(at), { asOf, at }, world.waits);
  const quietUntil = seen.restored?.quietUntil ?? at;
  const data: RestoredRecord = {
    platformId: restoredId,
    kind: 'restored',
    asOf,
    at,
    quietUntil,
    dismissed: before?.data.asOf === asOf ? before.data.dismissed : 0,
    settled: { part: 0, after: null },
  };
  const [told = null] = await world.store.get('incidents', [restoreIncidentId(asOf)]);
  const { incident, entry } = restoreIncident({ asOf, at }, told?.data.version ?? 0);
  await world.store.commit([
    put('platform', restoredId, data, before),
    put('platform', sightId, seen, sight),
    put('incidents', incident.incidentId, incident, told),
    { kind: 'create', in: 'incidentAudit', id: entry.entryId, data: entry },
    await revisionWrite(world.store),
  ]);
  return data;
}

/** One page of a part: its writes, how many messages to people are not sent, and the last record. Null: there is no more. */
type SettledPage = { writes: Write[]; dismissed: number; after: unknown[] } | null;
type Part = (world: World, restored: RestoredRecord, after: unknown[] | null) => Promise<SettledPage>;

/**
 * Settles what waited when the state of the database was saved, page by page; where it is cut off, a later call goes on. Clocks of open alerts and
 * incidents stood still; messages to people that were due are dismissed and counted, and one notice says so. What endpoints and hand-offs are owed is
 * sent.
 */
export async function settleRestore(world: World): Promise<RestoredRecord> {
  for (;;) {
    const stored = await loadRestored(world);
    if (!stored) throw new Error('the database has no record of a restore');
    const { settled } = stored.data;
    const part = parts[settled.part];
    if (!part) return stored.data;
    const page = await part(world, stored.data, settled.after);
    const next: RestoredRecord = {
      ...stored.data,
      dismissed: stored.data.dismissed + (page?.dismissed ?? 0),
      settled: page ? { part: settled.part, after: page.after } : { part: settled.part + 1, after: null },
    };
    await world.store.commit([put('platform', restoredId, next, stored), ...(page?.writes ?? [])]);
  }
}

const why = 'The database was restored: the clock stood still in the time that is lost';

const alerts: Part = async ({ store, now }, restored, after) => {
  const where = [{ field: 'isOpen', is: '==', value: true } as const];
  const found = await store.find({ in: 'alerts', where, limit: atOnce, ...(after ? { after } : {}) });
  const writes = found.flatMap((stored): Write[] => {
    const outcome = decideAlert(stored.data, { kind: 'stand-still', why, lost: restored }, 'system', now());
    if (outcome.kind !== 'changed') return [];
    const { alert, entry } = outcome;
    return [put('alerts', stored.id, alert, stored), { kind: 'create', in: 'audit', id: entry.entryId, data: entry }];
  });
  return pageOf(found, writes, 0, ({ id }) => [id]);
};

const incidents: Part = async ({ store, now }, restored, after) => {
  const where = [{ field: 'isOpen', is: '==', value: true } as const];
  const found = await store.find({ in: 'incidents', where, limit: atOnce, ...(after ? { after } : {}) });
  const writes = found.flatMap((stored): Write[] => {
    const outcome = decideLife(stored.data, { kind: 'stand-still', why, lost: restored }, 'system', now());
    if (outcome.kind !== 'changed') return [];
    const { record, line } = outcome;
    const entryId = entryIdOf(stored.id, record.version);
    return [
      put('incidents', stored.id, record, stored),
      { kind: 'create', in: 'incidentAudit', id: entryId, data: { entryId, incidentId: stored.id, ...line } },
    ];
  });
  return pageOf(found, writes, 0, ({ id }) => [id]);
};

const deliveries: Part = async ({ store, now }, restored, after) => {
  const found = await store.find({
    in: 'deliveries',
    where: [
      { field: 'shard', is: 'in', value: allShards },
      { field: 'dueAt', is: '<=', value: restored.quietUntil },
    ],
    orderBy: [['dueAt', 'asc']],
    limit: atOnce,
    ...(after ? { after } : {}),
  });
  const toPeople = found.filter(
    ({ data }) => data.webhookId === null && data.target.kind !== 'handoff' && data.createdAt <= restored.asOf,
  );
  const writes = toPeople.map((stored) =>
    put('deliveries', stored.id, droppedFor(stored.data, lostReason, null, now()), stored),
  );
  return pageOf(found, writes, writes.length, ({ id, data }) => [data.dueAt, id]);
};

const guardianAlerts: Part = async ({ store }, { quietUntil }, after) => {
  const found = await store.find({
    in: 'guardianAlerts',
    where: [{ field: 'dueAt', is: '<=', value: quietUntil }],
    orderBy: [['dueAt', 'asc']],
    limit: atOnce,
    ...(after ? { after } : {}),
  });
  const writes = found.map((stored) => put('guardianAlerts', stored.id, { ...stored.data, dueAt: null }, stored));
  return pageOf(found, writes, writes.length, ({ id, data }) => [data.dueAt, id]);
};

const targets: Part = async ({ store }, { quietUntil }, after) => {
  const found = await store.find({
    in: 'targets',
    where: [{ field: 'dueAt', is: '<', value: quietUntil }],
    orderBy: [['dueAt', 'asc']],
    limit: atOnce,
    ...(after ? { after } : {}),
  });
  // A digest that was due says later what is still true.
  const writes = found.map((stored) => put('targets', stored.id, { ...stored.data, dueAt: quietUntil }, stored));
  return pageOf(found, writes, 0, ({ id, data }) => [data.dueAt, id]);
};

const notice: Part = async ({ store, now }, { asOf, at, dismissed }, after) => {
  const noticeId = `restored-${asOf}`;
  const [told = null] = await store.get('notices', [noticeId]);
  if (after || told) return null;
  const open = await store.count({ in: 'alerts', where: [{ field: 'isOpen', is: '==', value: true }] });
  const text =
    `WARNING: Watchpost was restored to its state of ${asOf}; what it recorded from then until ${at} is lost. ` +
    `${dismissed} messages to people that were due were not sent. ${open} alerts were open then: they end as their cameras report. ` +
    'Actions of people, changes of the configuration and erasures of that time must be repeated.';
  const { write } = noticeOf({ noticeId, kind: 'restored', text }, now());
  return { writes: [write], dismissed: 0, after: [at] };
};

const parts: readonly Part[] = [alerts, incidents, deliveries, guardianAlerts, targets, notice];

function pageOf<Found>(
  found: readonly Found[],
  writes: Write[],
  dismissed: number,
  positionOf: (last: Found) => unknown[],
): SettledPage {
  const last = found.at(-1);
  return last === undefined ? null : { writes, dismissed, after: positionOf(last) };
}
