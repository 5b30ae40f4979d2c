import type { Attempt, Delivery } from '../../domain/delivery/delivery.ts';
import type { DeliverySummary, Delivery as WireDelivery } from '../../schema/delivery/delivery.ts';
import { type Bearer, contactsFor } from '../bearer.ts';

/** Characters of an answer that a list shows for each attempt. */
const listedExcerpt = 200;

/** The delivery as a list shows it to a bearer. */
export function toDeliverySummary(delivery: Delivery, bearer: Bearer): DeliverySummary {
  const short = ({ responseExcerpt, ...rest }: Attempt): Attempt => ({
    ...rest,
    responseExcerpt: responseExcerpt?.slice(0, listedExcerpt) ?? null,
  });
  return wireDelivery(delivery, delivery.attempts.map(short), bearer);
}

/**
 * One delivery as the API shows it. The bodies of channels other than `webhook` may name people and addresses, and a challenge is secret to
 * its receiver, so both are omitted.
 */
export function toWireDelivery(delivery: Delivery, bearer: Bearer): WireDelivery {
  const payload = delivery.channel === 'webhook' && delivery.eventType !== 'challenge' ? delivery.body : null;
  return { ...wireDelivery(delivery, delivery.attempts, bearer), payload };
}

function wireDelivery(delivery: Delivery, made: Attempt[], bearer: Bearer): DeliverySummary {
  const { deliveryId, channel, targetName, webhookId, eventType, eventId, alertId, deviceId, groupId } = delivery;
  const { status, heldReason, attemptCount, maxAttempts, createdAt, finishedAt, dueAt, leasedUntil } = delivery;
  const dismissedReason = delivery.dismissedReason ?? null;
  // Mail servers and the like name whom they refuse.
  const shown = channel === 'webhook' ? (text: string) => text : contactsFor(bearer);
  const attempts = made.map((attempt) => ({
    ...attempt,
    detail: attempt.detail && shown(attempt.detail),
    responseExcerpt: attempt.responseExcerpt && shown(attempt.responseExcerpt),
  }));
  const state = { status, heldReason, dismissedReason, attemptCount, maxAttempts, attempts, createdAt, finishedAt };
  const nextAttemptAt = leasedUntil === null ? dueAt : null;
  return {
    deliveryId,
    channel,
    target: shown(targetName),
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
