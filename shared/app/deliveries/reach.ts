import { dismissed, redelivered, restored } from '../../domain/delivery/decision.ts';
import type { Delivery } from '../../domain/delivery/delivery.ts';
import type { Webhook } from '../../domain/delivery/webhook.ts';
import { isWithinGroups } from '../../domain/delivery/webhook-filter.ts';
import type { Instant } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import { type DeliveryAction, deliveryActions } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import type { Reads } from '../ports.ts';

/** The endpoints of some deliveries, for a bearer to whom it matters who made them. */
export type Endpoints = ReadonlyMap<string, Webhook>;

/**
 * Why a bearer may not send these deliveries again, dismiss or restore them. Null: it may. A message to people reaches everybody's contacts and uses
 * up budgets that all groups share; an event for an endpoint concerns only the groups of the endpoint.
 */
export function faultOfReview(
  { scopes, groups }: Bearer,
  { channel, webhookId }: Delivery,
  endpoints: Endpoints,
): AppError | null {
  const scope = channel === 'webhook' ? 'webhooks:write' : 'settings:write';
  if (!scopes.has(scope)) return new AppError('forbidden', `The token lacks the scope ${scope}.`, { members: { scope } });
  if (groups === null) return null;
  if (channel !== 'webhook')
    return new AppError('limited-to-groups', 'Messages to people are sent again or dismissed by a token of all groups.');
  const endpoint = endpoints.get(webhookId ?? '');
  // Nothing is sent to an endpoint that no longer exists.
  if (!endpoint || (endpoint.isMadeByLimited && isWithinGroups(endpoint.filter, groups))) return null;
  return new AppError('limited-to-groups', 'The endpoint is not one of your groups alone, made by a token limited to them.');
}

/** Reads the endpoints that `faultOfReview` needs: none for a bearer that is not limited to groups. */
export async function endpointsOf(
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
export function actionsOf(bearer: Bearer, delivery: Delivery, endpoints: Endpoints, now: Instant): DeliveryAction[] {
  if (faultOfReview(bearer, delivery, endpoints)) return [];
  const { subject } = bearer;
  const outcomes: Record<DeliveryAction, Delivery | null> = {
    redeliver: redelivered(delivery, subject, now),
    dismiss: dismissed(delivery, subject, now),
    restore: restored(delivery, subject, now),
  };
  return deliveryActions.filter((action) => outcomes[action] !== null);
}
