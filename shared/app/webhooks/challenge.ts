import { challengeDeliveryId, isUnproven } from '../../domain/delivery/challenge.ts';
import { AppError } from '../../errors.ts';
import type { Delivery } from '../../schema/delivery/delivery.ts';
import type { Webhook } from '../../schema/webhook/webhook.ts';
import type { Bearer } from '../bearer.ts';
import { releaseHeld } from '../deliveries/challenge.ts';
import type { World } from '../ports.ts';
import { settledDelivery } from './test.ts';
import { shownWebhook } from './view.ts';
import { changeWebhook, loadWritable, type VersionedRecord, type WebhookParts } from './webhooks.ts';

/**
 * Sends a new challenge to a pending endpoint, and returns the result.
 * @throws AppError `not-found`, `limited-to-groups`, `precondition-failed`; `invalid-transition` where it has nothing to prove
 */
export async function challengeWebhook(
  world: World,
  { box, newChallenge }: WebhookParts,
  bearer: Bearer,
  webhookId: string,
  ifVersion: number | null,
): Promise<Delivery> {
  const { version } = await changeWebhook(world, box, bearer, { webhookId, ifVersion }, (webhook) => {
    if (isUnproven(webhook)) return { ...webhook, challenge: newChallenge() };
    throw new AppError('invalid-transition', 'The endpoint has nothing to prove: it is not pending.');
  });
  return settledDelivery(world, bearer, challengeDeliveryId(webhookId, version));
}

/** Marks an endpoint as proven. @throws AppError `not-found`, `precondition-failed`; `limited-to-groups` for a token with such limits */
export async function proveWebhook(
  world: World,
  { box }: WebhookParts,
  bearer: Bearer,
  webhookId: string,
  ifVersion: number | null,
): Promise<VersionedRecord<Webhook>> {
  const { data } = await loadWritable(world, bearer, webhookId);
  if (!isUnproven(data)) return { record: await shownWebhook(world, box, data), version: data.version };
  const proven = await changeWebhook(world, box, bearer, { webhookId, ifVersion }, (webhook) => ({
    ...webhook,
    challenge: null,
  }));
  await releaseHeld(world, webhookId);
  return proven;
}
