import type { Sample } from '../../domain/metrics/exposition.ts';
import { msBetween, plus } from '../../domain/time.ts';
import { deliveryChannels } from '../../schema/channels.ts';
import { type DeliveryStatus, deliveryStatuses } from '../../schema/vocabulary.ts';
import type { Filter, World } from '../ports.ts';

const hourMs = 60 * 60_000;
const waiting = ['pending', 'held', 'failed'] as const satisfies readonly DeliveryStatus[];

/** The groups that a bearer is limited to, as a filter. */
export type GroupFilter = { field: 'groupId'; is: 'in'; value: readonly string[] }[];

/** Deliveries of the last hour by channel and status. */
export function lastHourSamples(world: World, groups: GroupFilter): Promise<Sample[]> {
  const since: Filter<'deliveries'> = { field: 'createdAt', is: '>=', value: plus(world.now(), -hourMs) };
  return perChannel(world, deliveryStatuses, [...groups, since], 'outcome');
}

/** Deliveries of any age that wait for an attempt or for a person. */
export function waitingSamples(world: World, groups: GroupFilter): Promise<Sample[]> {
  return perChannel(world, waiting, groups, 'status');
}

function perChannel(
  { store }: World,
  statuses: readonly DeliveryStatus[],
  where: Filter<'deliveries'>[],
  label: 'outcome' | 'status',
): Promise<Sample[]> {
  const kinds = deliveryChannels.flatMap((channel) => statuses.map((status) => ({ channel, status })));
  return Promise.all(
    kinds.map(async ({ channel, status }) => ({
      labels: { channel, [label]: status },
      value: await store.count({
        in: 'deliveries',
        where: [...where, { field: 'channel', is: '==', value: channel }, { field: 'status', is: '==', value: status }],
      }),
    })),
  );
}

/** Age of the oldest delivery that waits for an attempt, seconds. */
export async function oldestPendingSeconds({ store, now }: World, groups: GroupFilter): Promise<number> {
  const [oldest] = await store.find({
    in: 'deliveries',
    where: [...groups, { field: 'status', is: '==', value: 'pending' }],
    orderBy: [['createdAt', 'asc']],
    limit: 1,
  });
  return oldest ? Math.max(0, msBetween(oldest.data.createdAt, now()) / 1000) : 0;
}
