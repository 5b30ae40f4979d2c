import { type ChangeFeed, createChangeStream } from '../../shared/app/fleet/change-stream.ts';
import type { PageTokens } from '../../shared/app/paging/paging.ts';
import type { Frames, World } from '../../shared/app/ports.ts';
import { answerEventStream } from './event-stream.ts';
import { alertHandlers } from './handlers/alerts.ts';
import { configurationHandlers } from './handlers/configuration.ts';
import { deviceHandlers } from './handlers/devices.ts';
import { fleetHandlers } from './handlers/fleet.ts';
import { quarantineHandlers } from './handlers/quarantine.ts';
import { type WebhookEdge, webhookHandlers } from './handlers/webhooks.ts';
import type { Handlers } from './router.ts';

type Parts = {
  /** What is wrong with an address that messages shall go to; null: it may be tried. */
  judgeUrl: (url: string) => string | null;
  feed: ChangeFeed;
  webhooks: WebhookEdge;
  frames: Frames;
};

/** What every operation of the route table does. */
export function createHandlers(
  world: World,
  tokens: PageTokens,
  { judgeUrl, feed, webhooks, frames }: Parts,
): Handlers {
  const stream = createChangeStream(world, feed);
  return {
    ...alertHandlers(world, tokens),
    ...configurationHandlers(world, tokens, { judgeUrl, box: webhooks.parts.box }),
    ...deviceHandlers(world, tokens),
    ...fleetHandlers(world),
    ...quarantineHandlers(world, tokens, frames),
    ...webhookHandlers(world, tokens, webhooks),
    streamChanges: (call) => answerEventStream(stream, call),
    getOpenApi: async () => ({ body: await loadOpenApi() }),
  };
}

/** Half a megabyte that few ask for. */
async function loadOpenApi(): Promise<unknown> {
  const loaded = await import('../../shared/schema/generated/openapi.json', { with: { type: 'json' } });
  return loaded.default;
}
