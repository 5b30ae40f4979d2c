import { isUnproven } from '../../domain/delivery/challenge.ts';
import { signingSecrets, type Webhook } from '../../domain/delivery/webhook.ts';
import { hiddenValue, hidesValue } from '../../domain/delivery/webhook-headers.ts';
import type { Instant } from '../../domain/time.ts';
import type { Webhook as WireWebhook } from '../../schema/webhook/webhook.ts';
import type { SecretBox } from '../ports.ts';
import { headersOf } from './secrets.ts';

/** The endpoint as the API shows it, without secrets and without values of headers that carry a credential. */
export function toWireWebhook(webhook: Webhook, box: SecretBox, now: Instant): WireWebhook {
  const { webhookId, url, method, events, filter, maxAttempts, timeoutSeconds, description } = webhook;
  const { nextSecret, credentialVersions, disabledReason, createdAt, changedAt, isEnabled } = webhook;
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
    ...(credentialVersions ? { credentialVersions } : {}),
    secretPromotesAt: nextSecret && nextSecret.promoteAt > now ? nextSecret.promoteAt : null,
    events,
    filter,
    membersOfIncidents: webhook.membersOfIncidents ?? true,
    format: webhook.format ?? 'native',
    drill: webhook.drill ?? false,
    sequenced: webhook.sequenced ?? false,
    maxAttempts,
    timeoutSeconds,
    enabled: isEnabled,
    disabledReason,
    pending: isUnproven(webhook),
    description,
    createdAt,
    changedAt,
  };
}
