import type { Instant } from '../time.ts';
import type { Delivery, SendOutcome } from './delivery.ts';
import type { Webhook } from './webhook.ts';
import { deliveryIdOf, payloadVersion, webhookDelivery } from './webhook-events.ts';

/** Whether an endpoint must still prove that it wants events. Its deliveries are held until then. */
export function isUnproven({ challenge }: Pick<Webhook, 'challenge'>): boolean {
  return challenge !== null;
}

/** The delivery that asks an endpoint, in its present version, to prove that it wants events. Null: no proof is needed. */
export function challengeDelivery(webhook: Webhook, now: Instant): Delivery | null {
  const { webhookId, challenge, version, filter } = webhook;
  if (!challenge) return null;
  const event = {
    eventType: 'challenge',
    eventId: challengeEventId(webhookId, version),
    alertId: null,
    deviceId: null,
    groupId: filter?.groups?.[0] ?? null,
    body: JSON.stringify({ eventType: 'challenge', version: payloadVersion, timestamp: now, webhookId, challenge }),
  };
  return webhookDelivery({ ...webhook, isEnabled: true, challenge: null, maxAttempts: 1 }, event, now);
}

/** The id of the delivery that challenges one version of an endpoint. */
export function challengeDeliveryId(webhookId: string, version: number): string {
  return deliveryIdOf(webhookId, 'challenge', challengeEventId(webhookId, version));
}

function challengeEventId(webhookId: string, version: number): string {
  return `${webhookId}:${version}`;
}

export function challengeOf({ body }: Pick<Delivery, 'body'>): string {
  return (JSON.parse(body) as { challenge: string }).challenge;
}

/**
 * Whether an answer echoes a challenge: it is the challenge itself, plain or as a JSON string, or a JSON object whose only member is `challenge` with
 * that value. An address that echoes everything it receives did not understand the question and proves nothing.
 */
export function echoes(answer: string | null, challenge: string): boolean {
  const text = (answer ?? '').trim();
  if (text === challenge) return true;
  try {
    const said: unknown = JSON.parse(text);
    if (said === challenge) return true;
    const entries = typeof said === 'object' && said !== null && !Array.isArray(said) ? Object.entries(said) : [];
    return entries.length === 1 && entries[0]?.[0] === 'challenge' && entries[0][1] === challenge;
  } catch {
    return false;
  }
}

/**
 * The outcome of a challenge. The answer is not kept: otherwise a user could read the answers of a third party's server through this
 * service.
 */
export function challengeOutcome(outcome: SendOutcome, isProven: boolean): SendOutcome {
  const unread = { ...outcome, responseExcerpt: null };
  if (outcome.errorClass !== null || isProven) return unread;
  const detail = `It answered ${outcome.statusCode}, but not with the challenge that the endpoint has now.`;
  return { ...unread, errorClass: 'not_echoed', detail, isRetryable: false };
}
