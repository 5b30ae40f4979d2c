import { payloadVersion, webhookDelivery } from '../../domain/delivery/webhook-events.ts';
import type { Delivery } from '../../schema/delivery/delivery.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { DeliveryDesk } from '../deliveries/deliver.ts';
import { getDelivery } from '../deliveries/deliveries.ts';
import { toWireDelivery } from '../deliveries/view.ts';
import type { World } from '../ports.ts';
import { loadWebhook } from './webhooks.ts';

/** Sends a test event now, once, and says what came of it; it stands in the list of deliveries like any other. @throws AppError `not-found` */
export async function testWebhook(
  world: World,
  desk: DeliveryDesk,
  bearer: Bearer,
  webhookId: string,
  testId: string,
): Promise<Delivery> {
  const { data: webhook } = await loadWebhook(world, bearer, webhookId);
  const now = world.now();
  const message = 'This is a test of your webhook endpoint.';
  const event = {
    eventType: 'test',
    eventId: testId,
    alertId: null,
    deviceId: null,
    groupId: bearer.groups?.[0] ?? null,
    body: JSON.stringify({ eventType: 'test', version: payloadVersion, timestamp: now, webhookId, message }),
  };
  const delivery = webhookDelivery({ ...webhook, isEnabled: true, maxAttempts: 1 }, event, now);
  const { deliveryId } = delivery;
  await decideAndCommit(world, async () => ({
    writes: [{ kind: 'create', in: 'deliveries', id: deliveryId, data: delivery }],
    wakes: [],
    answer: undefined,
  }));
  const result = await desk.attempt(deliveryId, webhookId);
  if (result === 'idle') return toWireDelivery(delivery, bearer);
  return getDelivery(world, bearer, deliveryId);
}
