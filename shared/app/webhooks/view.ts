import type { Attempt, Delivery } from '../../domain/delivery/delivery.ts';
import { signingSecrets, type Webhook } from '../../domain/delivery/webhook.ts';
import { hiddenValue, hidesValue } from '../../domain/delivery/webhook-headers.ts';
import type { Instant } from '../../domain/time.ts';
import type { DeliverySummary, Delivery as WireDelivery } from '../../schema/delivery/delivery.ts';
import type { Webhook as WireWebhook } from '../../schema/webhook/webhook.ts';
import type { SecretBox } from '../ports.ts';
import { headersOf } from './secrets.ts';

/** Characters of an answer that a list shows of each attempt. */
const listedExcerpt = 200;

/** The endpoint as the API shows it: no secret, and no value of a header that carries a credential. */
export function toWireWebhook(webhook: Webhook, box: SecretBox, now: Instant): WireWebhook {
  const { webhookId, url, method, events, filter, maxAttempts, timeoutSeconds, description } = webhook;
  const { nextSecret, disabledReason, createdAt, changedAt, isEnabled } = webhook;
  const headers = Object.entries(headersOf(box, webhook)).map(([name, value]) => [
    name,
    hidesValue(name) ? hiddenValue : value,
  ]);
  return {
    webhookId,
    url,
    method,
    headers: Object.fromEntries(headers),
    hasSecret: signingSecrets(webhook, now) !== null,
    secretPromotesAt: nextSecret && nextSecret.promoteAt > now ? nextSecret.promoteAt : null,
    events,
    filter,
    maxAttempts,
    timeoutSeconds,
    enabled: isEnabled,
    disabledReason,
    description,
    createdAt,
    changedAt,
  };
}

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
