import { recentAttempts } from '../../domain/delivery/endpoint-health.ts';
import type { Instant } from '../../domain/time.ts';
import { plus } from '../../domain/time.ts';
import type { Filter, World } from '../ports.ts';

const dayMs = 24 * 60 * 60_000;
/** Days over which the deliveries to an endpoint are counted. */
export const longDays = 28;

/** Outcomes of deliveries: accepted by the receiver, or failed finally. */
export type OutcomeCounts = { delivered: number; failed: number };
type OutcomeReads = Pick<World, 'store' | 'now'>;

/**
 * Counts the outcomes of deliveries to an endpoint that were created in the last days, up to `untilDays` ago. Counts on request, because a counter would cost every delivery
 * another write.
 */
export async function endedOf(
  { store, now }: OutcomeReads,
  webhookId: string,
  days: number,
  untilDays = 0,
): Promise<OutcomeCounts> {
  const within: Filter<'deliveries'>[] = [
    { field: 'createdAt', is: '>=', value: plus(now(), -days * dayMs) },
    ...(untilDays > 0 ? [{ field: 'createdAt', is: '<', value: plus(now(), -untilDays * dayMs) } as const] : []),
  ];
  const count = (status: keyof OutcomeCounts) =>
    store.count({ in: 'deliveries', where: [...toEndpoint(webhookId, status), ...within] });
  const [delivered, failed] = await Promise.all([count('delivered'), count('failed')]);
  return { delivered, failed };
}

/** Deliveries that are on their way to an endpoint, and the newest attempts of its newest deliveries, newest first. */
export async function attemptsOf({ store }: Pick<World, 'store'>, webhookId: string) {
  const own: Filter<'deliveries'> = { field: 'webhookId', is: '==', value: webhookId };
  const [waiting, newest] = await Promise.all([
    store.count({ in: 'deliveries', where: [own, { field: 'status', is: '==', value: 'pending' }] }),
    store.find({ in: 'deliveries', where: [own], orderBy: [['createdAt', 'desc']], limit: recentAttempts }),
  ]);
  const attempts = newest.flatMap(({ data }) => data.attempts).toSorted((a, b) => (a.at > b.at ? -1 : 1));
  return { waiting, attempts: attempts.slice(0, recentAttempts) };
}

/** When an endpoint last accepted a delivery. Null: never, among the deliveries that are still stored. */
export async function lastSuccessOf({ store }: Pick<World, 'store'>, webhookId: string): Promise<Instant | null> {
  const [latest] = await store.find({
    in: 'deliveries',
    where: toEndpoint(webhookId, 'delivered'),
    orderBy: [['createdAt', 'desc']],
    limit: 1,
  });
  return latest?.data.finishedAt ?? null;
}

function toEndpoint(webhookId: string, status: keyof OutcomeCounts): Filter<'deliveries'>[] {
  return [
    { field: 'webhookId', is: '==', value: webhookId },
    { field: 'status', is: '==', value: status },
  ];
}
