import type { Attempt, Delivery } from '../../domain/delivery/delivery.ts';
import type { DeliverySummary, Delivery as WireDelivery } from '../../schema/delivery/delivery.ts';

/** Characters of an answer that a list shows of each attempt. */
const listedExcerpt = 200;

/** The delivery as a list shows it. */
export function toDeliverySummary(delivery: Delivery): DeliverySummary {
  const short = ({ responseExcerpt, ...rest }: Attempt): Attempt => ({
    ...rest,
    responseExcerpt: responseExcerpt?.slice(0, listedExcerpt) ?? null,
  });
  return wireDelivery(delivery, delivery.attempts.map(short));
}

/** One delivery. What channels other than `webhook` send may name people and addresses, and is not shown. */
export function toWireDelivery(delivery: Delivery): WireDelivery {
  const payload = delivery.channel === 'webhook' ? delivery.body : null;
  return { ...wireDelivery(delivery, delivery.attempts), payload };
}

function wireDelivery(delivery: Delivery, attempts: Attempt[]): DeliverySummary {
  const { deliveryId, channel, targetName, webhookId, eventType, eventId, alertId, deviceId, groupId } = delivery;
  const { status, heldReason, attemptCount, maxAttempts, createdAt, finishedAt, dueAt, leasedUntil } = delivery;
  const state = { status, heldReason, attemptCount, maxAttempts, attempts, createdAt, finishedAt };
  const nextAttemptAt = leasedUntil === null ? dueAt : null;
  return {
    deliveryId,
    channel,
    target: targetName,
    webhookId,
    eventType,
    eventId,
    alertId,
    deviceId,
    groupId,
    ...state,
    nextAttemptAt,
  };
}
