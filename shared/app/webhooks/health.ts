import { circuitOf, soundHealth } from '../../domain/delivery/endpoint-health.ts';
import type { WebhookHealth } from '../../schema/webhook/health.ts';
import type { Bearer } from '../bearer.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { createKept, type Page, type PageTokens } from '../paging/paging.ts';

import type { World } from '../ports.ts';
import { endedOf, lastSuccessOf, longDays, type OutcomeCounts } from './ended.ts';
import { pageOfEndpoints } from './webhooks.ts';

/** How long counts are cached, milliseconds; those of 28 days are expensive. */
const dayKeptMs = 60_000;
const longKeptMs = 5 * 60_000;
const mostEndpoints = 1000;

/** Lists the health of endpoints, in the order of their list. */
export type ListHealth = (
  world: World,
  bearer: Bearer,
  query: Page,
  tokens: PageTokens,
) => Promise<{ health: WebhookHealth[]; nextPageToken?: string }>;

export function createHealthList(): ListHealth {
  const day = createKept<OutcomeCounts>(dayKeptMs, mostEndpoints);
  const long = createKept<OutcomeCounts>(longKeptMs, mostEndpoints);
  const counted = async (world: World, webhookId: string) => {
    const now = world.now();
    const [last24h, last28d, lastSuccessAt] = await Promise.all([
      day(webhookId, now, () => endedOf(world, webhookId, 1)),
      long(webhookId, now, () => endedOf(world, webhookId, longDays)),
      lastSuccessOf(world, webhookId),
    ]);
    return { last24h, last28d, lastSuccessAt };
  };
  return async (world, bearer, query, tokens) => {
    const { items, next } = await pageOfEndpoints(world, bearer, 'webhook-health', query, tokens);
    const ids = items.map(({ webhookId }) => webhookId);
    const stored = ids.length > 0 ? await world.store.get('endpointHealth', ids) : [];
    const rows = new Map<string, WebhookHealth>();
    await sideBySide(ids, async (webhookId) => {
      const health = stored.find((each) => each?.id === webhookId)?.data ?? soundHealth(webhookId);
      const { failuresInRow, failingSince, openUntil } = health;
      const circuit = circuitOf(health, world.now());
      const state = { circuit, failuresInRow, failingSince, pausedUntil: circuit === 'open' ? openUntil : null };
      rows.set(webhookId, { webhookId, ...state, ...(await counted(world, webhookId)) });
    });
    return { health: ids.flatMap((id) => rows.get(id) ?? []), ...next };
  };
}
