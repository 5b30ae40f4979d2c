import type { PageTokens } from '../../shared/app/paging.ts';
import type { World } from '../../shared/app/ports.ts';
import openApi from '../../shared/schema/generated/openapi.json' with { type: 'json' };
import { alertHandlers } from './handlers/alerts.ts';
import { deviceHandlers } from './handlers/devices.ts';
import { fleetHandlers } from './handlers/fleet.ts';
import { quarantineHandlers } from './handlers/quarantine.ts';
import { type WebhookEdge, webhookHandlers } from './handlers/webhooks.ts';
import type { Handlers } from './router.ts';

/** What every operation of the route table does. */
export function createHandlers(world: World, tokens: PageTokens, webhooks: WebhookEdge): Handlers {
  return {
    ...alertHandlers(world, tokens),
    ...deviceHandlers(world, tokens),
    ...fleetHandlers(world),
    ...quarantineHandlers(world, tokens),
    ...webhookHandlers(world, tokens, webhooks),
    getOpenApi: async () => ({ body: openApi }),
  };
}
