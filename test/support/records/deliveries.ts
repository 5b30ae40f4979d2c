import { bodyOf } from '../../../shared/app/events/body.ts';
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
    membersOfIncidents: true,
    format: 'native',
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

/** Stores a delivery of a detection, and its endpoint if it is not stored yet. */
export async function storeDelivery(
  store: Store,
  eventId: string,
  webhook = endpoint(),
  now = startOfTests,
  recordId: string | null = null,
  deviceId = 'cam-1',
): Promise<Delivery> {
  const event = { eventType: 'detection', eventId, alertId: null, deviceId, groupId: 'north', body: '{}' };
  const delivery = webhookDelivery(webhook, { ...event, recordId }, now);
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

/** All deliveries with the body that is sent, which may be stored in the event instead of the delivery. */
export async function sentDeliveries(store: Store): Promise<Delivery[]> {
  const found = await store.find({ in: 'deliveries', limit: 100_000 });
  return Promise.all(found.map(async ({ data }) => ({ ...data, body: (await bodyOf({ store }, data)) ?? '' })));
}

let endpoints = 0;

/** Stores an endpoint, and invalidates cached configurations. */
export async function giveWebhook(world: World, given: Partial<Webhook> = {}): Promise<string> {
  endpoints += 1;
  const data = endpoint({ webhookId: uuidOf(800_000 + endpoints), ...given });
  await world.store.commit([
    { kind: 'create', in: 'webhooks', id: data.webhookId, data },
    await revisionWrite(world.store),
  ]);
  return data.webhookId;
}
