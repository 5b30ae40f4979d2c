import type { Store, World } from '../../../shared/app/ports.ts';
import { revisionWrite } from '../../../shared/app/settings/configuration.ts';
import type { Delivery, SendOutcome } from '../../../shared/domain/delivery/delivery.ts';
import type { Webhook } from '../../../shared/domain/delivery/webhook.ts';
import { webhookDelivery } from '../../../shared/domain/delivery/webhook-events.ts';
import { startOfTests } from '../world/world.ts';
import { uuidOf } from './alerts.ts';

export function endpoint(given: Partial<Webhook> = {}): Webhook {
  return {
    webhookId: '11111111-1111-4111-8111-111111111111',
    url: 'https://hooks.example.com/',
    method: 'POST',
    sealedHeaders: null,
    secret: null,
    nextSecret: null,
    events: ['detection', 'alert', 'guardian'],
    filter: null,
    maxAttempts: 5,
    timeoutSeconds: 10,
    isEnabled: true,
    disabledReason: null,
    isMadeByLimited: false,
    challenge: null,
    description: null,
    createdAt: startOfTests,
    changedAt: startOfTests,
    version: 1,
    ...given,
  };
}

/** A delivery of an event of the given id, stored with its endpoint. */
export async function storeDelivery(
  store: Store,
  eventId: string,
  webhook = endpoint(),
  now = startOfTests,
): Promise<Delivery> {
  const event = { eventType: 'detection', eventId, alertId: null, deviceId: 'cam-1', groupId: 'north', body: '{}' };
  const delivery = webhookDelivery(webhook, event, now);
  const { webhookId, ...rest } = webhook;
  const [known] = await store.get('webhooks', [webhookId]);
  await store.commit([
    ...(known ? [] : [{ kind: 'create', in: 'webhooks', id: webhookId, data: { webhookId, ...rest } } as const]),
    { kind: 'create', in: 'deliveries', id: delivery.deliveryId, data: delivery },
  ]);
  return delivery;
}

export const success: SendOutcome = {
  statusCode: 200,
  errorClass: null,
  detail: null,
  responseExcerpt: 'ok',
  isRetryable: false,
  retryAfterMs: null,
  isGone: false,
};
export const failure: SendOutcome = {
  ...success,
  statusCode: 500,
  errorClass: 'http_status',
  detail: 'It answered 500.',
  isRetryable: true,
};

let endpoints = 0;

/** An endpoint that is stored, and makes cached configurations stale. */
export async function giveWebhook(world: World, given: Partial<Webhook> = {}): Promise<string> {
  endpoints += 1;
  const data = endpoint({ webhookId: uuidOf(800_000 + endpoints), ...given });
  await world.store.commit([
    { kind: 'create', in: 'webhooks', id: data.webhookId, data },
    await revisionWrite(world.store),
  ]);
  return data.webhookId;
}
