import type { Webhook, WebhookEventType } from '../../domain/delivery/webhook.ts';
import { payloadVersion, webhookDelivery } from '../../domain/delivery/webhook-events.ts';
import type { Instant } from '../../domain/time.ts';
import type { Delivery } from '../../schema/delivery/delivery.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import { getDelivery } from '../deliveries/deliveries.ts';
import { deliveryWakes } from '../deliveries/wakes.ts';
import { pause, type World } from '../ports.ts';
import { exampleFor } from './template.ts';
import { loadWebhook } from './webhooks.ts';

/** How long an answer waits for the attempt: the longest timeout of an endpoint (30 s) and the time in the queue. */
const longestWaitMs = 40_000;
const firstPauseMs = 200;
const longestPauseMs = 2000;

/**
 * Sends a test event now, once, and returns its result: a sample of an event if one is named. The list of deliveries shows it like any other. `deliver` makes the attempt,
 * because customers' firewalls allow only the address of that function. @throws AppError `not-found`
 */
export async function testWebhook(
  world: World,
  bearer: Bearer,
  { webhookId, sampleOf }: { webhookId: string; sampleOf?: WebhookEventType | undefined },
  testId: string,
): Promise<Delivery> {
  const { data: webhook } = await loadWebhook(world, bearer, webhookId);
  const now = world.now();
  const event = {
    eventType: 'test',
    eventId: testId,
    alertId: null,
    deviceId: null,
    groupId: bearer.groups?.[0] ?? null,
    body: testBody(webhook, sampleOf, now),
  };
  const plain = webhookDelivery({ ...webhook, isEnabled: true, maxAttempts: 1 }, event, now);
  const delivery = sampleOf === undefined ? plain : { ...plain, sampleOf };
  const { deliveryId } = delivery;
  await decideAndCommit(world, async () => ({
    writes: [{ kind: 'create', in: 'deliveries', id: deliveryId, data: delivery }],
    wakes: deliveryWakes([delivery]),
    answer: undefined,
  }));
  return settledDelivery(world, bearer, deliveryId);
}

/** A template has no place for a test: it is filled with an example of what the endpoint gets. */
function testBody(
  { webhookId, template, events }: Webhook,
  sampleOf: WebhookEventType | undefined,
  now: Instant,
): string {
  if (sampleOf !== undefined) return exampleFor([sampleOf], now);
  if (template) return exampleFor(events, now);
  const message = 'This is a test of your webhook endpoint.';
  return JSON.stringify({ eventType: 'test', version: payloadVersion, timestamp: now, webhookId, message });
}

/** The delivery after its attempt, or its present state where that takes too long. @throws AppError `not-found` */
export async function settledDelivery(world: World, bearer: Bearer, deliveryId: string): Promise<Delivery> {
  for (let waited = 0, next = firstPauseMs; waited < longestWaitMs; next = Math.min(2 * next, longestPauseMs)) {
    await pause(world, next);
    waited += next;
    const seen = await getDelivery(world, bearer, deliveryId);
    if (seen.status !== 'pending') return seen;
  }
  return getDelivery(world, bearer, deliveryId);
}
