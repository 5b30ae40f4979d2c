import { isUnproven } from '../../domain/delivery/challenge.ts';
import { isPaused } from '../../domain/delivery/endpoint-health.ts';
import {
  type EndpointHealth,
  type StoredCertificate,
  type StoredOAuth2,
  signingSecrets,
  type Webhook,
} from '../../domain/delivery/webhook.ts';
import { hiddenValue, hidesValue } from '../../domain/delivery/webhook-headers.ts';
import type { Instant } from '../../domain/time.ts';
import type { Webhook as WireWebhook } from '../../schema/webhook/webhook.ts';
import type { Reads, SecretBox, World } from '../ports.ts';
import { headersOf } from './secrets.ts';

/** The endpoint as the API shows it, without secrets and without values of headers that carry a credential. */
function toWireWebhook(webhook: Webhook, box: SecretBox, now: Instant, health: EndpointHealth | null): WireWebhook {
  const { webhookId, url, method, events, filter, maxAttempts, timeoutSeconds, description } = webhook;
  const { template = null, clientCertificate = null, oauth2 = null } = webhook;
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
    membersOfIncidents: webhook.membersOfIncidents,
    format: webhook.format,
    drill: webhook.drill ?? false,
    sequenced: webhook.sequenced ?? false,
    template: template?.text ?? null,
    templateVersion: template?.version ?? null,
    maxAttempts,
    retryDelays: webhook.retryDelays ?? null,
    retentionDays: webhook.retentionDays ?? null,
    timeoutSeconds,
    contact: webhook.contact ?? null,
    clientCertificate: clientCertificate && shownCertificate(clientCertificate),
    oauth2: oauth2 && shownOAuth2(oauth2),
    state: stateOf(webhook, health, now),
    enabled: isEnabled,
    disabledReason,
    pending: isUnproven(webhook),
    description,
    createdAt,
    changedAt,
  };
}

function shownCertificate({ certificate, expiresAt }: StoredCertificate) {
  return { certificate, expiresAt };
}

function shownOAuth2({ sealedSecret: _, ...oauth2 }: StoredOAuth2) {
  return oauth2;
}

/** How an endpoint does, from its attempts. */
export function stateOf(webhook: Webhook, health: EndpointHealth | null, now: Instant): WireWebhook['state'] {
  if (!webhook.isEnabled) return 'disabled';
  if (isUnproven(webhook)) return 'pending';
  if (!health || health.failuresInRow === 0) return 'healthy';
  return isPaused(health, now) ? 'paused' : 'failing';
}

/** An endpoint with its present state. */
export async function shownWebhook(
  world: Reads<'endpointHealth'> & Pick<World, 'now'>,
  box: SecretBox,
  webhook: Webhook,
): Promise<WireWebhook> {
  const [shown] = await shownWebhooks(world, box, [webhook]);
  return shown as WireWebhook;
}

/** Endpoints with their present state. */
export async function shownWebhooks(
  { store, now }: Reads<'endpointHealth'> & Pick<World, 'now'>,
  box: SecretBox,
  webhooks: readonly Webhook[],
): Promise<WireWebhook[]> {
  const ids = webhooks.map(({ webhookId }) => webhookId);
  const found = ids.length > 0 ? await store.get('endpointHealth', ids) : [];
  return webhooks.map((webhook, index) => toWireWebhook(webhook, box, now(), found[index]?.data ?? null));
}
