import { circuitOf, soundHealth, stateOfEndpoint } from '../../domain/delivery/endpoint-health.ts';
import type { WebhookHealth } from '../../schema/webhook/health.ts';
import type { Bearer } from '../bearer.ts';
import { sideBySide } from '../commit/side-by-side.ts';
import { createKept, type Page, type PageTokens } from '../paging/paging.ts';

import type { World } from '../ports.ts';
import { attemptsOf, endedOf, lastSuccessOf, longDays, type OutcomeCounts } from './ended.ts';
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
    const [last24h, before, lastSuccessAt, { waiting, attempts }] = await Promise.all([
      day(webhookId, now, () => endedOf(world, webhookId, 1)),
      long(webhookId, now, () => endedOf(world, webhookId, longDays, 1)),
      lastSuccessOf(world, webhookId),
      attemptsOf(world, webhookId),
    ]);
    // Of two counts that are kept for different times, the longer one is the sum: it is never below the shorter one.
    const last28d = { delivered: before.delivered + last24h.delivered, failed: before.failed + last24h.failed };
    return { attempts, counts: { waiting, last24h, last28d, lastSuccessAt } };
  };
  return async (world, bearer, query, tokens) => {
    const { items, next } = await pageOfEndpoints(world, bearer, 'webhook-health', query, tokens);
    const ids = items.map(({ webhookId }) => webhookId);
    const stored = ids.length > 0 ? await world.store.get('endpointHealth', ids) : [];
    const rows = new Map<string, WebhookHealth>();
    await sideBySide(items, async (webhook) => {
      const { webhookId } = webhook;
      const health = stored.find((each) => each?.id === webhookId)?.data ?? soundHealth(webhookId);
      const { failuresInRow, failingSince, openUntil } = health;
      const circuit = circuitOf(health, world.now());
      const breaker = { circuit, failuresInRow, failingSince, pausedUntil: circuit === 'open' ? openUntil : null };
      const { attempts, counts } = await counted(world, webhookId);
      const state = stateOfEndpoint(webhook, health, attempts, world.now());
      const failed = attempts.filter(({ errorClass }) => errorClass !== null).length;
      const recent = { failed, of: attempts.length, since: attempts.at(-1)?.at ?? null };
      rows.set(webhookId, { webhookId, state, recent, ...breaker, ...counts });
    });
    return { health: ids.flatMap((id) => rows.get(id) ?? []), ...next };
  };
}
