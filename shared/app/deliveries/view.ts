import type { Attempt, Delivery } from '../../domain/delivery/delivery.ts';
import type { DeliverySummary, Delivery as WireDelivery } from '../../schema/delivery/delivery.ts';
import type { DeliveryAction } from '../../schema/vocabulary.ts';
import { type Bearer, contactsFor } from '../bearer.ts';
import type { DeviceLabel } from '../paging/paging.ts';

/** Characters of an answer that a list shows for each attempt. */
const listedExcerpt = 200;

/**
 * The delivery as a list shows it to a bearer.
 * @param named name and site of its camera, if the bearer may know them
 * @param actions what the bearer may do with it
 */
export function toDeliverySummary(
  delivery: Delivery,
  bearer: Bearer,
  named: DeviceLabel,
  actions: DeliveryAction[],
): DeliverySummary {
  const short = ({ responseExcerpt, ...rest }: Attempt): Attempt => ({
    ...rest,
    responseExcerpt: responseExcerpt?.slice(0, listedExcerpt) ?? null,
  });
  return { ...wireDelivery(delivery, delivery.attempts.map(short), bearer, actions), ...named };
}

/**
 * One delivery as the API shows it. Bodies of channels other than `webhook` may contain people and addresses, and a challenge is secret to its
 * receiver, so both are omitted.
 * @param body null: it has expired
 */
export function toWireDelivery(
  delivery: Delivery,
  bearer: Bearer,
  { body, named, actions }: { body: string | null; named: DeviceLabel; actions: DeliveryAction[] },
): WireDelivery {
  const payload = delivery.channel === 'webhook' && delivery.eventType !== 'challenge' ? body : null;
  return { ...wireDelivery(delivery, delivery.attempts, bearer, actions), ...named, payload };
}

function wireDelivery(
  delivery: Delivery,
  made: Attempt[],
  bearer: Bearer,
  availableActions: DeliveryAction[],
): Omit<DeliverySummary, keyof DeviceLabel> {
  const { deliveryId, channel, targetName, webhookId, eventType, eventId, alertId, deviceId, groupId } = delivery;
  const { status, heldReason, attemptCount, maxAttempts, createdAt, finishedAt, dueAt, leasedUntil } = delivery;
  const dismissedReason = delivery.dismissedReason ?? null;
  // Answers of mail servers and other gateways may contain the address.
  const shown = channel === 'webhook' ? (text: string) => text : contactsFor(bearer);
  const attempts = made.map((attempt) => ({
    ...attempt,
    detail: attempt.detail && shown(attempt.detail),
    responseExcerpt: attempt.responseExcerpt && shown(attempt.responseExcerpt),
  }));
  const state = { status, heldReason, dismissedReason, attemptCount, maxAttempts, attempts, createdAt, finishedAt };
  const rounds = delivery.outcomes.map(({ number, ...outcome }) => ({ round: number, ...outcome }));
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
    ...(delivery.sequence === undefined ? {} : { sequence: delivery.sequence }),
    ...state,
    ...{ round: delivery.round.number, rounds, nextAttemptAt, availableActions },
  };
}
