import {
  dismissDelivery,
  getDelivery,
  listDeliveries,
  redeliver,
  restoreDelivery,
} from '../../../shared/app/deliveries/deliveries.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import { explainWebhook } from '../../../shared/app/webhooks/explain.ts';
import { replayWebhook } from '../../../shared/app/webhooks/replay.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../../shared/app/webhooks/secret-rotation.ts';
import { type Pause, testWebhook } from '../../../shared/app/webhooks/test.ts';
import { toWireWebhook } from '../../../shared/app/webhooks/view.ts';
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  loadWebhook,
  updateWebhook,
  type Versioned,
  type WebhookParts,
} from '../../../shared/app/webhooks/webhooks.ts';
import type { webhookRoutes } from '../../../shared/schema/webhook/routes.ts';
import type {
  CreateWebhookRequest,
  EgressRanges,
  ExplainRequest,
  ReplayRequest,
  RotateSecretRequest,
  UpdateWebhookRequest,
} from '../../../shared/schema/webhook/webhook.ts';
import type { Answer, Call, Handlers } from '../router.ts';

/** What endpoints and deliveries need beside the records. */
export type WebhookEdge = { parts: WebhookParts; egressRanges: EgressRanges; pause: Pause };

export function webhookHandlers(
  world: World,
  tokens: PageTokens,
  { parts, egressRanges, pause }: WebhookEdge,
): Pick<Handlers, keyof typeof webhookRoutes> {
  const { box } = parts;
  return {
    listWebhooks: async ({ query, bearer }) => ({ body: await listWebhooks(world, box, bearer, query, tokens) }),
    createWebhook: async ({ bearer, body }) => {
      const created = await createWebhook(world, parts, bearer, body as CreateWebhookRequest);
      const { body: record, headers } = versioned(created);
      return { body: record, headers: { ...headers, Location: `/v1/webhooks/${created.record.webhookId}` } };
    },
    getWebhook: async (call) => {
      const { data } = await loadWebhook(world, call.bearer, idOf(call));
      return versioned({ record: toWireWebhook(data, box, world.now()), version: data.version });
    },
    updateWebhook: async (call) => {
      const request = { ...(call.body as UpdateWebhookRequest), ifVersion: call.ifVersion };
      return versioned(await updateWebhook(world, parts, call.bearer, idOf(call), request));
    },
    deleteWebhook: async (call) => {
      await deleteWebhook(world, call.bearer, idOf(call));
      return { body: null, status: 204 };
    },
    testWebhook: async (call) => ({ body: await testWebhook(world, pause, call.bearer, idOf(call), parts.newId()) }),
    rotateWebhookSecret: async (call) => {
      const request = { ...(call.body as RotateSecretRequest), ifVersion: call.ifVersion };
      return versioned(await rotateWebhookSecret(world, parts, call.bearer, idOf(call), request));
    },
    promoteWebhookSecret: async (call) =>
      versioned(await promoteWebhookSecret(world, parts, call.bearer, idOf(call), call.ifVersion)),
    explainWebhook: async (call) => ({
      body: await explainWebhook(world, call.bearer, idOf(call), call.body as ExplainRequest),
    }),
    replayWebhook: async (call) => ({
      body: await replayWebhook(world, call.bearer, idOf(call), call.body as ReplayRequest),
    }),
    listDeliveries: async ({ query, bearer }) => ({ body: await listDeliveries(world, bearer, query, tokens) }),
    getDelivery: async ({ params, bearer }) => ({
      body: await getDelivery(world, bearer, params['deliveryId'] ?? ''),
    }),
    redeliver: async ({ params, bearer }) => ({ body: await redeliver(world, bearer, params['deliveryId'] ?? '') }),
    dismissDelivery: async ({ params, bearer }) => ({
      body: await dismissDelivery(world, bearer, params['deliveryId'] ?? ''),
    }),
    restoreDelivery: async ({ params, bearer }) => ({
      body: await restoreDelivery(world, bearer, params['deliveryId'] ?? ''),
    }),
    getEgressRanges: async () => ({ body: egressRanges }),
  };
}

function idOf({ params }: Call): string {
  return params['webhookId'] ?? '';
}

function versioned<T>({ record, version }: Versioned<T>): Answer {
  return { body: record, headers: { ETag: `"${version}"` } };
}
