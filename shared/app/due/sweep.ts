import { allShards } from '../../domain/shards.ts';
import { plus } from '../../domain/time.ts';
import { beginDrill } from '../drill/begin-drill.ts';
import { rollUpTrends } from '../fleet/trends.ts';
import { keepLedger } from '../ledger/append.ts';
import type { Ledger } from '../ledger/objects.ts';
import type { DueKind, Filter, World } from '../ports.ts';
import { type Canaries, noCanaries } from '../sight/send-canaries.ts';
import { handleDue } from './due.ts';
import { wakeOverdueDeliveries } from './sweep-deliveries.ts';
import { findAll, forEachOf, inTurn, pageSize } from './sweep-pages.ts';
import { sweepSight } from './sweep-sight.ts';
import { dueTable } from './table.ts';

const kinds = Object.keys(dueTable) as DueKind[];
const dueParts = Object.fromEntries(kinds.map((kind) => [kind, (world: World) => sweepKind(world, kind)])) as Record<
  DueKind,
  (world: World) => Promise<number>
>;

/**
 * The sweep of each minute: first evaluates what the platform itself can see, then finds records whose wake was lost.
 * @param canaries how canaries are sent; without them only the fleet's reports show the state
 * @param ledger the log to keep; null: none is kept
 */
export function sweep(
  world: World,
  canaries: Canaries = noCanaries,
  ledger: Ledger | null = null,
): Promise<Record<'absent' | 'deliveries' | 'drill' | 'trends' | 'ledger' | DueKind, number>> {
  const absent = () => sweepSight(world, canaries);
  const drill = () => beginDrill(world, canaries);
  const record = async () => (ledger ? keepLedger(world, ledger) : 0);
  const { devices, ...others } = dueParts;
  return inTurn(world, {
    absent,
    devices,
    deliveries: wakeOverdueDeliveries,
    ...others,
    drill,
    trends: rollUpTrends,
    ledger: record,
  });
}

/**
 * Handles the records of a kind that have been due for longer than the grace of a wake.
 * @returns how many of them a wake should have handled; records that wait for the horizon are found and left alone
 */
async function sweepKind<K extends DueKind>(world: World, kind: K): Promise<number> {
  const { grace, isSharded, sweepLimit } = dueTable[kind];
  const until = plus(world.now(), -world.waits[grace]);
  const inShards: Filter<DueKind>[] = isSharded ? [{ field: 'shard' as 'dueAt', is: 'in', value: allShards }] : [];
  const overdue = await findAll<K>(sweepLimit, (after) =>
    world.store.find<K>({
      in: kind,
      where: [...inShards, { field: 'dueAt', is: '<=', value: until }] as Filter<K>[],
      orderBy: [['dueAt', 'asc']],
      limit: pageSize,
      ...(after ? { after: [after.data.dueAt, after.id] } : {}),
    }),
  );
  let done = 0;
  await forEachOf(world, overdue, async ({ id }) => {
    if (await handleDue(world, kind, id)) done += 1;
  });
  if (done > 0) world.log.warn('sweep.found', { [kind]: done });
  return done;
}
