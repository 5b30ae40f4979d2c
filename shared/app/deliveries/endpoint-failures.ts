import type { EndpointHealth, Webhook } from '../../domain/delivery/webhook.ts';
import { takesCritical } from '../../domain/delivery/webhook-filter.ts';
import { type EndpointFailure, mostEndpointFailures } from '../../schema/fleet/channel-failure.ts';
import type { Bearer } from '../bearer.ts';
import type { Reads, World } from '../ports.ts';
import { recentConfiguration } from '../settings/configuration.ts';
import { isWithinReach } from '../writes/may-write.ts';

/** The endpoints of which people were told and that have not worked since, by id. */
export async function toldEndpoints({ store }: Reads<'endpointHealth'>): Promise<Map<string, EndpointHealth>> {
  const where = [{ field: 'toldAt', is: '>', value: '' } as const];
  const found = await store.find({ in: 'endpointHealth', where, orderBy: [['toldAt', 'asc']], limit: mostTold });
  return new Map(found.map(({ id, data }) => [id, data]));
}

const mostTold = 1000;

/** The endpoints that take what is CRITICAL and fail now, or that the service disabled, as far as the bearer may see them; the oldest first. */
export async function failingEndpoints(world: World, bearer: Bearer): Promise<EndpointFailure[]> {
  if (!bearer.scopes.has('webhooks:read')) return [];
  const told = await toldEndpoints(world);
  if (told.size === 0) return [];
  const { webhooks } = await recentConfiguration(world);
  return webhooks
    .filter((webhook) => isWithinReach(bearer, 'webhooks', webhook) && takesCritical(webhook))
    .flatMap((webhook) => failureOf(webhook, told.get(webhook.webhookId)) ?? [])
    .toSorted((a, b) => (a.since < b.since ? -1 : 1))
    .slice(0, mostEndpointFailures);
}

/** Null: it works, or a person has disabled it. */
function failureOf(webhook: Webhook, health: EndpointHealth | undefined): EndpointFailure | null {
  const since = health?.failingSince ?? health?.toldAt ?? null;
  if (since === null || !isServed(webhook)) return null;
  const { webhookId, url, isEnabled, disabledReason } = webhook;
  const state = isEnabled ? 'failing' : 'disabled';
  return { webhookId, host: new URL(url).host, state, since, reason: isEnabled ? null : disabledReason };
}

/** Whether no person has disabled an endpoint. */
export function isServed({ isEnabled, disabledReason }: Webhook): boolean {
  return isEnabled || disabledReason !== null;
}
