import { allShards } from '../../domain/shards.ts';
import { plus } from '../../domain/time.ts';
import type { Filter, World } from '../ports.ts';
import { handleDue } from './due.ts';
import { wakeOverdueDeliveries } from './sweep-deliveries.ts';
import { findAll, forEachOf, inTurn, pageSize } from './sweep-pages.ts';
import { sweepSilence } from './sweep-silence.ts';
import { type DueKind, dueTable } from './table.ts';

const kinds = Object.keys(dueTable) as DueKind[];
const dueParts = Object.fromEntries(kinds.map((kind) => [kind, (world: World) => sweepKind(world, kind)])) as Record<
  DueKind,
  (world: World) => Promise<number>
>;
const { devices, ...recordParts } = dueParts;
const parts = { devices, silent: sweepSilence, deliveries: wakeOverdueDeliveries, ...recordParts };

/** The sweep of each minute: finds what no wake found, and the devices that have fallen silent. */
export function sweep(world: World): Promise<Record<keyof typeof parts, number>> {
  return inTurn(world, parts);
}

/** Records of a kind that have been due for longer than the grace that a wake has. */
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
  await forEachOf(world, overdue, ({ id }) => handleDue(world, kind, id));
  if (overdue.length > 0) world.log.warn('sweep.found', { [kind]: overdue.length });
  return overdue.length;
}
