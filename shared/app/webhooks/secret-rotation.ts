import { promoteSecret, rotateSecret, versionsAfter } from '../../domain/delivery/webhook.ts';
import type { RotateSecretRequest, Webhook, WebhookWithSecret } from '../../schema/webhook/webhook.ts';
import type { Bearer } from '../bearer.ts';
import type { World } from '../ports.ts';
import { faultsOfSecret, refused } from './fit.ts';
import { ownerOf } from './secrets.ts';
import { changeWebhook, type VersionedRecord, type WebhookParts } from './webhooks.ts';

const defaultOverlapHours = 24;

/**
 * Adds a secret beside the old one. A generated secret is in this one answer only.
 * @throws AppError `not-found`, `limited-to-groups`, `precondition-failed`; `invalid-request` for a secret that is too short
 */
export async function rotateWebhookSecret(
  world: World,
  { box, newSecret }: WebhookParts,
  bearer: Bearer,
  webhookId: string,
  request: RotateSecretRequest & { ifVersion: number | null },
): Promise<VersionedRecord<WebhookWithSecret>> {
  const faults = faultsOfSecret(request.secret);
  if (faults.length > 0) throw refused(faults);
  const secret = request.secret ?? newSecret();
  const overlapMs = (world.waits.secretOverlap / defaultOverlapHours) * (request.overlapHours ?? defaultOverlapHours);
  const { record, version } = await changeWebhook(
    world,
    box,
    bearer,
    { webhookId, ifVersion: request.ifVersion },
    (webhook) => {
      const { credentialVersions, ...unversioned } = webhook;
      const sealed = box.seal(secret, ownerOf(webhookId, 'secret'));
      const given = request.version === undefined ? {} : { secret: request.version };
      return {
        ...rotateSecret(unversioned, sealed, overlapMs, world.now()),
        ...versionsAfter(credentialVersions, given, { secret: true, headers: undefined }),
      };
    },
  );
  return { record: { ...record, ...(request.secret === undefined ? { secret } : {}) }, version };
}

/** Ends the overlap at once. @throws AppError `not-found`, `limited-to-groups`, `precondition-failed` */
export async function promoteWebhookSecret(
  world: World,
  { box }: WebhookParts,
  bearer: Bearer,
  webhookId: string,
  ifVersion: number | null,
): Promise<VersionedRecord<Webhook>> {
  return changeWebhook(world, box, bearer, { webhookId, ifVersion }, promoteSecret);
}
