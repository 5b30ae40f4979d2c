import type { Limits } from '../../shared/adapters/http/limits.ts';
import type { ChangeStream } from '../../shared/app/fleet/change-stream.ts';
import type { LogObjects } from '../../shared/app/ledger/objects.ts';
import type { PageTokens } from '../../shared/app/paging/paging.ts';
import type { Frames } from '../../shared/app/ports.ts';
import type { Handlers } from './handler.ts';
import { alertHandlers } from './handlers/alerts.ts';
import { auditHandlers } from './handlers/audit.ts';
import { deliveryHandlers, eventHandlers } from './handlers/deliveries.ts';
import { deviceHandlers } from './handlers/devices.ts';
import { bridgeHandlers, fleetHandlers } from './handlers/fleet.ts';
import { guardianHandlers } from './handlers/guardian.ts';
import { incidentHandlers } from './handlers/incidents.ts';
import { jobHandlers } from './handlers/jobs.ts';
import { maintenanceHandlers } from './handlers/maintenance.ts';
import { meHandlers } from './handlers/me.ts';
import { metricsHandlers } from './handlers/metrics.ts';
import { placeHandlers } from './handlers/places.ts';
import { quarantineHandlers } from './handlers/quarantine.ts';
import { settingsHandlers } from './handlers/settings.ts';
import { type WebhookEdge, webhookHandlers } from './handlers/webhooks.ts';
import { ledgerHandlers } from './ledger/handlers.ts';

type HandlerParts = {
  /** The fault of an address for messages. Null: it may be tried. */
  judgeUrl: (url: string) => string | null;
  stream: ChangeStream;
  webhooks: WebhookEdge;
  frames: Frames;
  limits: Limits;
  /** How often the event feed polls while a caller waits. */
  feedEveryMs: number;
  /** The log of the ledger. Null: none is configured. */
  ledger: LogObjects | null;
};

/** The handlers of all operations in the route table. */
export function createHandlers(
  tokens: PageTokens,
  { judgeUrl, stream, webhooks, frames, limits, feedEveryMs, ledger }: HandlerParts,
): Handlers {
  return {
    ...alertHandlers(tokens),
    ...deviceHandlers(tokens, frames, webhooks.parts.newId),
    ...placeHandlers(tokens),
    ...guardianHandlers(tokens),
    ...incidentHandlers(tokens),
    ...maintenanceHandlers(tokens),
    ...fleetHandlers(stream, limits),
    ...bridgeHandlers(),
    ...quarantineHandlers(tokens, frames, webhooks.parts.newId),
    ...jobHandlers(webhooks.parts.newId),
    ...settingsHandlers(tokens, { judgeUrl, box: webhooks.parts.box }),
    ...webhookHandlers(tokens, webhooks),
    ...deliveryHandlers(tokens),
    ...eventHandlers(limits, feedEveryMs),
    ...auditHandlers(tokens),
    ...ledgerHandlers(ledger),
    ...metricsHandlers(),
    ...meHandlers(),
    getOpenApi: async () => ({ body: await loadOpenApi() }),
  };
}

/** Loaded on the first request, because it is half a megabyte that few clients request. */
async function loadOpenApi(): Promise<object> {
  const loaded = await import('../../shared/schema/generated/openapi.json', { with: { type: 'json' } });
  return loaded.default;
}
