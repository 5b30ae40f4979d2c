import { detectionDeliveryIdOf } from '../../domain/delivery/webhook-events.ts';
import { refusalsOf } from '../../domain/delivery/webhook-filter.ts';
import { toInstant } from '../../domain/time.ts';
import type { Detection } from '../../schema/detection/detection.ts';
import type { ExplainRequest, WebhookExplanation } from '../../schema/webhook/webhook.ts';
import type { Bearer } from '../bearer.ts';
import type { Filter, World } from '../ports.ts';
import { loadConfiguration } from '../settings/configuration.ts';
import { loadWebhook } from './webhooks.ts';

const defaultLimit = 20;

/** Compares recent detections with the present filter of an endpoint, and returns what happened to each. @throws AppError `not-found` */
export async function explainWebhook(
  world: World,
  bearer: Bearer,
  webhookId: string,
  { limit = defaultLimit, since }: ExplainRequest,
): Promise<WebhookExplanation> {
  const { data: webhook } = await loadWebhook(world, bearer, webhookId);
  if (bearer.groups?.length === 0) return { detections: [] };
  const { settings } = await loadConfiguration(world);
  const where: Filter<'detections'>[] = [
    ...(bearer.groups ? [{ field: 'groupId', is: 'in', value: bearer.groups } as const] : []),
    ...(since ? [{ field: 'receivedAt', is: '>=', value: toInstant(since) } as const] : []),
  ];
  const found = await world.store.find({ in: 'detections', where, orderBy: [['receivedAt', 'desc']], limit });
  const ids = found.map(({ data }) => detectionDeliveryIdOf(webhookId, data.deviceId, data.sessionId));
  const deliveries = await world.store.get('deliveries', ids);
  const detections = found.map(({ data }, index) => {
    const { sessionId, deviceId, groupId, detectedAt, receivedAt } = data;
    const { objects } = (JSON.parse(data.body) as Detection).analysis;
    const refusedBy: WebhookExplanation['detections'][number]['refusedBy'] = [
      ...(webhook.events.includes('detection')
        ? []
        : [{ member: 'events' as const, detail: 'the endpoint does not ask for detections' }]),
      ...refusalsOf(webhook.filter, { at: detectedAt, deviceId, groupId, objects }, settings),
    ];
    const delivery = deliveries[index]?.data ?? null;
    return {
      sessionId,
      deviceId,
      groupId,
      timestamp: detectedAt,
      receivedAt,
      wanted: refusedBy.length === 0,
      refusedBy,
      deliveryId: delivery?.deliveryId ?? null,
      deliveryStatus: delivery?.status ?? null,
    };
  });
  return { detections };
}
