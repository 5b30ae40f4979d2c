import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import { challengeWebhook, proveWebhook } from '../../../shared/app/webhooks/challenge.ts';
import { explainWebhook } from '../../../shared/app/webhooks/explain.ts';
import { createHealthList } from '../../../shared/app/webhooks/health.ts';
import { replayWebhook } from '../../../shared/app/webhooks/replay.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../../shared/app/webhooks/secret-rotation.ts';
import { testWebhook } from '../../../shared/app/webhooks/test.ts';
import { shownWebhook } from '../../../shared/app/webhooks/view.ts';
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  loadWebhook,
  updateWebhook,
  type VersionedRecord,
  type WebhookParts,
} from '../../../shared/app/webhooks/webhooks.ts';
import type { webhookRoutes } from '../../../shared/schema/webhook/routes.ts';
import type { EgressRanges } from '../../../shared/schema/webhook/webhook.ts';
import { created, type Handlers, versioned } from '../handler.ts';

/** What endpoints and deliveries need in addition to the records. */
export type WebhookEdge = { parts: WebhookParts; egressRanges: EgressRanges };

export function webhookHandlers(
  tokens: PageTokens,
  { parts, egressRanges }: WebhookEdge,
): Handlers<keyof typeof webhookRoutes> {
  const { box } = parts;
  const listHealth = createHealthList();
  return {
    listWebhooks: async ({ world, query, bearer }) => ({ body: await listWebhooks(world, box, bearer, query, tokens) }),
    listWebhookHealth: async ({ world, query, bearer }) => ({ body: await listHealth(world, bearer, query, tokens) }),
    createWebhook: async ({ world, bearer, body }) => {
      const { record, version } = await createWebhook(world, parts, bearer, body);
      return created(record, version, `/v1/webhooks/${record.webhookId}`);
    },
    getWebhook: async ({ world, params, bearer }) => {
      const { data } = await loadWebhook(world, bearer, params.webhookId);
      return versioned(await shownWebhook(world, box, data), data.version);
    },
    updateWebhook: async ({ world, params, bearer, body, ifVersion }) =>
      ofRecord(await updateWebhook(world, parts, bearer, params.webhookId, { ...body, ifVersion })),
    deleteWebhook: async ({ world, params, bearer, ifVersion }) => {
      await deleteWebhook(world, bearer, params.webhookId, ifVersion);
      return { body: null };
    },
    testWebhook: async ({ world, params, body, bearer }) => ({
      body: await testWebhook(world, bearer, { webhookId: params.webhookId, sampleOf: body.event }, parts.newId()),
    }),
    challengeWebhook: async ({ world, params, bearer, ifVersion }) => ({
      body: await challengeWebhook(world, parts, bearer, params.webhookId, ifVersion),
    }),
    proveWebhook: async ({ world, params, bearer, ifVersion }) =>
      ofRecord(await proveWebhook(world, parts, bearer, params.webhookId, ifVersion)),
    rotateWebhookSecret: async ({ world, params, bearer, body, ifVersion }) =>
      ofRecord(await rotateWebhookSecret(world, parts, bearer, params.webhookId, { ...body, ifVersion })),
    promoteWebhookSecret: async ({ world, params, bearer, ifVersion }) =>
      ofRecord(await promoteWebhookSecret(world, parts, bearer, params.webhookId, ifVersion)),
    explainWebhook: async ({ world, params, bearer, body }) => ({
      body: await explainWebhook(world, bearer, params.webhookId, body),
    }),
    replayWebhook: async ({ world, params, bearer, body }) => ({
      body: await replayWebhook(world, bearer, params.webhookId, body),
    }),
    getEgressRanges: async () => ({ body: egressRanges }),
  };
}

function ofRecord<T>({ record, version }: VersionedRecord<T>) {
  return versioned(record, version);
}
