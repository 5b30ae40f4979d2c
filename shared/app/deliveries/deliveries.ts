import { dismissed, isSpent, redelivered, restored } from '../../domain/delivery/decision.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { Webhook } from '../../domain/delivery/webhook.ts';
import { isWithinGroups } from '../../domain/delivery/webhook-filter.ts';
import { isUuid } from '../../domain/ids.ts';
import { type Instant, toInstant } from '../../domain/time.ts';
import { undoUntilOf } from '../../domain/undo.ts';
import { AppError, notFound } from '../../errors.ts';
import type { DeliveriesQuery, DeliverySummary, Delivery as WireDelivery } from '../../schema/delivery/delivery.ts';
import { type DeliveryAction, deliveryActions } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { bodyOf } from '../events/body.ts';
import { listKey, namesFor, type PageTokens, pageOfQuery } from '../paging/paging.ts';

import type { Filter, Reads, Stored, World } from '../ports.ts';
import { refusalOfWrite } from '../writes/may-write.ts';
import { toDeliverySummary, toWireDelivery } from './view.ts';
import { deliveryWakes } from './wakes.ts';

/** Lists deliveries of all channels, newest first. @throws AppError `invalid-request` for the page token of another list */
export async function listDeliveries(
  world: Reads<'deliveries' | 'devices' | 'webhooks'> & Pick<World, 'now'>,
  bearer: Bearer,
  query: DeliveriesQuery,
  tokens: PageTokens,
): Promise<{ deliveries: DeliverySummary[]; nextPageToken?: string }> {
  const key = listKey('deliveries', query, bearer.groups);
  const { status, webhookId, channel, since } = query;
  const where: Filter<'deliveries'>[] = [
    ...(status ? [{ field: 'status', is: 'in', value: status } as const] : []),
    ...(webhookId ? [{ field: 'webhookId', is: '==', value: webhookId } as const] : []),
    ...(channel ? [{ field: 'channel', is: '==', value: channel } as const] : []),
    ...(bearer.groups ? [{ field: 'groupId', is: 'in', value: bearer.groups } as const] : []),
    ...(since ? [{ field: 'createdAt', is: '>=', value: toInstant(since) } as const] : []),
  ];
  const { items, next } = await pageOfQuery(
    world,
    { tokens, key, page: query },
    bearer.groups?.length === 0 ? null : { in: 'deliveries', where, orderBy: [['createdAt', 'desc']] },
  );
  const shown = items.map(({ data }) => data);
  const ids = shown.map(({ deviceId }) => deviceId);
  const [named, endpoints] = await Promise.all([namesFor(world, bearer, ids), endpointsOf(world, bearer, shown)]);
  const summaries = shown.map((data) =>
    toDeliverySummary(data, bearer, named(data.deviceId), actionsOf(bearer, data, endpoints, world.now())),
  );
  return { deliveries: summaries, ...next };
}

/** @throws AppError `not-found`, also for a delivery about a group outside the bearer's */
export async function getDelivery(
  world: Reads<'deliveries' | 'devices' | 'events' | 'webhooks'> & Pick<World, 'now'>,
  bearer: Bearer,
  deliveryId: string,
): Promise<WireDelivery> {
  const { data } = await loadDelivery(world, bearer, deliveryId);
  const [besides, endpoints] = await Promise.all([besidesOf(world, bearer, data), endpointsOf(world, bearer, [data])]);
  return toWireDelivery(data, bearer, { ...besides, actions: actionsOf(bearer, data, endpoints, world.now()) });
}

/**
 * Sends a delivery again: a further round of attempts beside the earlier ones.
 * @throws AppError `not-found`, `forbidden`, `limited-to-groups`; `invalid-transition` while the present round is not over, or after the last one
 */
export async function redeliver(world: World, bearer: Bearer, deliveryId: string): Promise<WireDelivery> {
  return change(world, bearer, deliveryId, 'sent again', (delivery) => {
    if (isSpent(delivery)) {
      const detail = `The delivery has been sent ${delivery.round.number} times, the maximum.`;
      throw new AppError('invalid-transition', detail, { members: { deliveryStatus: delivery.status } });
    }
    return redelivered(delivery, bearer.subject, world.now());
  });
}

/** Removes a failed or held delivery from the list for review. @throws AppError `not-found`, `forbidden`, `limited-to-groups`, `invalid-transition` */
export async function dismissDelivery(world: World, bearer: Bearer, deliveryId: string): Promise<WireDelivery> {
  return change(world, bearer, deliveryId, 'dismissed', (delivery) =>
    delivery.status === 'dismissed' || delivery.undo ? 'same' : dismissed(delivery, bearer.subject, world.now()),
  );
}

/**
 * Undoes a dismissal.
 * @throws AppError `not-found`, `forbidden`, `limited-to-groups`; `invalid-transition` for another person's dismissal, or after a minute
 */
export async function restoreDelivery(world: World, bearer: Bearer, deliveryId: string): Promise<WireDelivery> {
  return change(
    world,
    bearer,
    deliveryId,
    'restored: only the person who dismissed it can do that, for 60 s',
    (delivery) =>
      delivery.status === 'failed' || delivery.status === 'held'
        ? 'same'
        : restored(delivery, bearer.subject, world.now()),
  );
}

async function change(
  world: World,
  bearer: Bearer,
  deliveryId: string,
  what: string,
  decide: (delivery: Delivery) => Delivery | 'same' | null,
): Promise<WireDelivery> {
  return decideAndCommit(world, async () => {
    const { id, data, revision } = await loadDelivery(world, bearer, deliveryId);
    const endpoints = await endpointsOf(world, bearer, [data]);
    const fault = faultOfReview(bearer, data, endpoints);
    if (fault) throw fault;
    const next = decide(data);
    if (next === null) {
      throw new AppError('invalid-transition', `A delivery that is ${data.status} cannot be ${what}.`, {
        members: { deliveryStatus: data.status },
      });
    }
    const besides = await besidesOf(world, bearer, data);
    const answer = (delivery: Delivery) => ({
      ...toWireDelivery(delivery, bearer, { ...besides, actions: actionsOf(bearer, delivery, endpoints, world.now()) }),
      ...undoUntilOf(delivery.undo, bearer.subject, world.now()),
    });
    if (next === 'same') return { writes: [], wakes: [], answer: answer(data) };
    return {
      writes: [{ kind: 'replace', in: 'deliveries', id, data: next, revision }],
      wakes: deliveryWakes([next]),
      answer: answer(next),
    };
  });
}

/** The records that are needed to show one delivery. */
async function besidesOf(world: Reads<'devices' | 'events'>, bearer: Bearer, delivery: Delivery) {
  const { deviceId } = delivery;
  const [body, named] = await Promise.all([bodyOf(world, delivery), namesFor(world, bearer, [deviceId])]);
  return { body, named: named(deviceId) };
}

async function loadDelivery(
  { store }: Reads<'deliveries'>,
  { groups }: Bearer,
  deliveryId: string,
): Promise<Stored<'deliveries'>> {
  const [stored = null] = isUuid(deliveryId) ? await store.get('deliveries', [deliveryId]) : [];
  const isVisible = stored && (groups === null || groups.includes(stored.data.groupId ?? ''));
  if (!stored || !isVisible) throw notFound(`delivery ${deliveryId}`);
  return stored;
}

/** The endpoints of some deliveries, for a bearer to whom it matters who made them. */
type Endpoints = ReadonlyMap<string, Webhook>;

/**
 * Why a bearer may not send these deliveries again, dismiss or restore them. Null: it may. A message to people reaches everybody's contacts and uses
 * up budgets that all groups share; an event for an endpoint concerns only the groups of the endpoint.
 */
function faultOfReview(bearer: Bearer, delivery: Delivery, endpoints: Endpoints): AppError | null {
  const { channel, webhookId } = delivery;
  const { groups, scopes } = bearer;
  const refusal = refusalOfWrite(bearer, 'deliveries', delivery, delivery);
  if (refusal || channel !== 'webhook') return refusal;
  const scope = 'webhooks:write';
  if (!scopes.has(scope))
    return new AppError('forbidden', `The token lacks the scope ${scope}.`, { members: { scope } });
  if (groups === null) return null;
  const endpoint = endpoints.get(webhookId ?? '');
  // Nothing is sent to an endpoint that no longer exists.
  if (!endpoint || (endpoint.isMadeByLimited && isWithinGroups(endpoint.filter, groups))) return null;
  return new AppError(
    'limited-to-groups',
    'The endpoint is not one of your groups alone, made by a token limited to them.',
  );
}

/** Reads the endpoints that `faultOfReview` needs: none for a bearer that is not limited to groups. */
async function endpointsOf(
  { store }: Reads<'webhooks'>,
  { groups, scopes }: Bearer,
  deliveries: readonly Delivery[],
): Promise<Endpoints> {
  const ids = [...new Set(deliveries.flatMap(({ webhookId }) => webhookId ?? []))];
  if (groups === null || !scopes.has('webhooks:write') || ids.length === 0) return new Map();
  const found = await store.get('webhooks', ids);
  return new Map(found.flatMap((endpoint) => (endpoint ? [[endpoint.id, endpoint.data] as const] : [])));
}

/** What a bearer may do with a delivery now. */
function actionsOf(bearer: Bearer, delivery: Delivery, endpoints: Endpoints, now: Instant): DeliveryAction[] {
  if (faultOfReview(bearer, delivery, endpoints)) return [];
  const { subject } = bearer;
  const outcomes: Record<DeliveryAction, Delivery | null> = {
    redeliver: redelivered(delivery, subject, now),
    dismiss: dismissed(delivery, subject, now),
    restore: restored(delivery, subject, now),
  };
  return deliveryActions.filter((action) => outcomes[action] !== null);
}
