import { reasonToWait } from '../../domain/delivery/webhook.ts';
import { toInstant } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import type { DeliveryStatus } from '../../schema/vocabulary.ts';
import type { ReplayAnswer, ReplayRequest } from '../../schema/webhook/webhook.ts';
import type { Bearer } from '../bearer.ts';
import { wakeAll } from '../commit/commit.ts';
import { sendAgain } from '../deliveries/challenge.ts';
import { deliveryWakes } from '../deliveries/wakes.ts';
import type { Filter, World } from '../ports.ts';
import { loadWebhook } from './webhooks.ts';

/** Deliveries that one call sends again. The answer has the number of the remaining ones. */
const maxReplayed = 1000;
const batchSize = 100;

/**
 * Sends the failed and held deliveries of an endpoint since a time again, oldest first, each with its id. `dryRun` only counts them.
 * @throws AppError `not-found`; `invalid-transition` where the endpoint gets nothing now, so that they would be held again
 */
export async function replayWebhook(
  world: World,
  bearer: Bearer,
  webhookId: string,
  request: ReplayRequest,
): Promise<ReplayAnswer> {
  const { data: webhook } = await loadWebhook(world, bearer, webhookId);
  const where = filtersOf(webhookId, request, bearer);
  const count = (filters: Filter<'deliveries'>[]) => world.store.count({ in: 'deliveries', where: filters });
  const { status: _, ...sameTime } = request;
  const onTheirWay = filtersOf(webhookId, sameTime, bearer, ['pending']);
  const [matched, waiting] = await Promise.all([count(where), count(onTheirWay)]);
  if (request.dryRun) return { matched, waiting, replayed: 0, remaining: matched };
  const reason = reasonToWait(webhook);
  if (reason !== null)
    throw new AppError('invalid-transition', `${reason} Its deliveries cannot be replayed until then.`);
  let replayed = 0;
  // Those that cannot be sent again stay where they are, so the next query continues after them.
  let after: { after?: unknown[] } = {};
  while (replayed < maxReplayed) {
    const found = await world.store.find({
      in: 'deliveries',
      where,
      orderBy: [['createdAt', 'asc']],
      limit: Math.min(batchSize, maxReplayed - replayed),
      ...after,
    });
    const sent = await Promise.all(found.map((stored) => sendAgain(world, stored, bearer.subject)));
    const woken = sent.flatMap((delivery) => delivery ?? []);
    await wakeAll(world, deliveryWakes(woken));
    replayed += woken.length;
    const last = found.at(-1);
    if (!last || found.length < batchSize) break;
    after = { after: [last.data.createdAt, last.id] };
  }
  world.log.info('webhook.replayed', { webhookId, matched, replayed });
  return { matched, waiting, replayed, remaining: Math.max(0, matched - replayed) };
}

/** Deliveries from before an endpoint's filter was narrowed may be about groups that the bearer does not have. */
function filtersOf(
  webhookId: string,
  { since, until, status, eventType }: ReplayRequest,
  { groups }: Bearer,
  usual: readonly DeliveryStatus[] = ['failed', 'held'],
): Filter<'deliveries'>[] {
  return [
    { field: 'webhookId', is: '==', value: webhookId },
    { field: 'status', is: 'in', value: status ?? usual },
    ...(groups ? [{ field: 'groupId', is: 'in', value: groups } as const] : []),
    ...(eventType ? [{ field: 'eventType', is: '==', value: eventType } as const] : []),
    { field: 'createdAt', is: '>=', value: toInstant(since) },
    ...(until ? [{ field: 'createdAt', is: '<', value: toInstant(until) } as const] : []),
  ];
}
