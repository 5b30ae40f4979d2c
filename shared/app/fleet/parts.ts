import { toWireAlert } from '../../domain/alert/alert.ts';
import { mostRecent } from '../../domain/fleet/summary.ts';
import { wholeFleet } from '../../domain/fleet/trends.ts';
import { allShards } from '../../domain/shards.ts';
import type { Alert } from '../../schema/alert/alert.ts';
import type { Filter, World } from '../ports.ts';

/** The newest alerts of a group or of the whole fleet. */
export async function recentOf({ store }: Pick<World, 'store'>, groupId: string): Promise<Alert[]> {
  const where: Filter<'alerts'>[] = groupId === wholeFleet ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const found = await store.find({ in: 'alerts', where, orderBy: [['timestamp', 'desc']], limit: mostRecent });
  return found.map(({ data }) => toWireAlert(data));
}

/** Counts devices that are overdue. While the platform is blind, nobody knows whether they are online. */
export function countOverdue({ store, now }: Pick<World, 'store' | 'now'>, groupId: string): Promise<number> {
  const inGroup: Filter<'devices'>[] = groupId === wholeFleet ? [] : [{ field: 'groupId', is: '==', value: groupId }];
  const where: Filter<'devices'>[] = [
    ...inGroup,
    { field: 'shard', is: 'in', value: allShards },
    { field: 'silentAt', is: '<=', value: now() },
  ];
  return store.count({ in: 'devices', where });
}
