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
  const records = { deliveries: ids, events: found.map(({ data }) => data.recordId) };
  const { deliveries, events } = await world.store.getMany(records);
  const detections = found.map(({ data }, index) => {
    const { sessionId, deviceId, groupId, detectedAt, receivedAt } = data;
    const event = events[index]?.data;
    const payload = event ? (JSON.parse(event.body) as Detection) : null;
    const objects = payload?.analysis.objects ?? null;
    const name = payload?.device.name ?? deviceId;
    const refusedBy: WebhookExplanation['detections'][number]['refusedBy'] = [
      ...(webhook.events.includes('detection')
        ? []
        : [{ member: 'events' as const, detail: 'the endpoint does not subscribe to detections' }]),
      ...refusalsOf(webhook.filter, { at: detectedAt, deviceId, groupId, objects }, settings),
    ];
    const delivery = deliveries[index]?.data ?? null;
    return {
      sessionId,
      deviceId,
      deviceName: name === deviceId ? null : name,
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
