import type { SecretBox, Sender } from '../../../app/ports.ts';
import { headersOf, ownerOf } from '../../../app/webhooks/secrets.ts';
import { type Delivery, type ErrorClass, readRetryAfter, type SendOutcome } from '../../../domain/delivery/delivery.ts';

import { type Sealed, signingSecrets, type Webhook } from '../../../domain/delivery/webhook.ts';
import { hidesValue } from '../../../domain/delivery/webhook-headers.ts';
import { rendered } from '../../../domain/delivery/webhook-template.ts';
import type { Instant } from '../../../domain/time.ts';
import {
  type ClientIdentity,
  type OutboundAnswer,
  type OutboundClient,
  withoutSecrets,
} from '../../outbound/client.ts';

import { traceHeader } from '../../trace.ts';
import { createTokens } from './oauth2-tokens.ts';
import { type SigningKey, signContract, signingKey, signStandard } from './signing.ts';

type WebhookSenderParts = { box: SecretBox; client: OutboundClient; now: () => Instant };

/** Largest number of cached keys. A full cache is emptied. */
const maxKeys = 2000;

/** The channel `webhook`: one signed request to a customer's endpoint for each attempt. */
export function createWebhookSender(
  { box, client, now }: WebhookSenderParts,
  elapsedMs: () => number = () => performance.now(),
): Sender {
  const tokens = createTokens({ box, client }, elapsedMs);
  const keys = new Map<string, SigningKey>();
  const keyOf = (sealed: Sealed, webhookId: string) => {
    const known = keys.get(sealed);
    if (known) return known;
    if (keys.size >= maxKeys) keys.clear();
    const made = signingKey(box.open(sealed, ownerOf(webhookId, 'secret')));
    keys.set(sealed, made);
    return made;
  };
  return {
    async send(delivery, attempt, webhook) {
      if (!webhook) throw new Error(`delivery ${delivery.deliveryId} has no endpoint`);
      const filled = webhook.template ? rendered(webhook.template.text, delivery.body) : { body: delivery.body };
      if ('fault' in filled) return { ...failedBefore('template_failed', filled.fault), ...versionOf(webhook) };
      const startedMs = elapsedMs();
      const timeoutMs = webhook.timeoutSeconds * 1000;
      const granted = webhook.oauth2 ? await tokens.of(webhook, timeoutMs) : null;
      if (granted && 'fault' in granted) {
        return { ...failedBefore('token_failed', granted.fault), isSilent: granted.isSilent ?? false };
      }
      const body = Buffer.from(filled.body);
      const custom = customHeaders(box, webhook, granted?.token);
      const signed = signatureHeaders(webhook, delivery, body, now(), keyOf);
      const headers = {
        ...custom,
        ...ownHeaders(delivery, attempt),
        ...traceHeader(),
        ...describedBy(webhook, delivery),
        ...signed,
      };
      const { url, method } = webhook;
      const identity = identityOf(box, webhook);
      // The address of tokens may have used some of the time.
      const leftMs = Math.max(leastMs, timeoutMs - (elapsedMs() - startedMs));
      const answer = await client.send({ url, method, headers, body, timeoutMs: leftMs, ...identity });
      if (granted && answer.statusCode === 401) tokens.drop(webhook);
      const outcome = outcomeOf(answer, now(), secretsIn(custom, granted?.token));
      return { ...outcome, ...versionOf(webhook) };
    },
  };
}

/** Time for the request itself when the address of tokens has used all of it, milliseconds. */
const leastMs = 1000;

/** The headers that the customer wants, with a token where one is granted. */
function customHeaders(box: SecretBox, webhook: Webhook, token?: string): Record<string, string> {
  const headers = headersOf(box, webhook);
  if (token === undefined) return headers;
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...Object.fromEntries(others), Authorization: `Bearer ${token}` };
}

/** What must not stand in the excerpt of an answer. */
function secretsIn(headers: Record<string, string>, token?: string): string[] {
  const hidden = Object.entries(headers).flatMap(([name, value]) => (hidesValue(name) ? [value] : []));
  return token === undefined ? hidden : [...hidden, token];
}

function describedBy({ format }: Webhook, delivery: Delivery): Record<string, string> {
  return format === 'cloudevents' ? cloudEventHeaders(delivery) : {};
}

function versionOf({ template }: Webhook): Pick<SendOutcome, 'templateVersion'> {
  return template ? { templateVersion: template.version } : {};
}

/** The attempt failed before anything was sent to the receiver. The next one may find it mended. */
function failedBefore(errorClass: ErrorClass, detail: string): SendOutcome {
  const nothing = { statusCode: null, responseExcerpt: null, retryAfterMs: null, isGone: false };
  return { ...nothing, errorClass, detail, isRetryable: true };
}

function identityOf(box: SecretBox, { webhookId, clientCertificate }: Webhook): { identity?: ClientIdentity } {
  if (!clientCertificate) return {};
  const { certificate, sealedKey } = clientCertificate;
  return { identity: { owner: webhookId, certificate, key: box.open(sealedKey, ownerOf(webhookId, 'client-key')) } };
}

function ownHeaders(
  { deliveryId, eventType, sampleOf = eventType, sequence }: Delivery,
  attempt: number,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Watchpost-Webhooks/1.0',
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attempt),
    'X-Service-Event': sampleOf,
    ...(sequence === undefined ? {} : { 'X-Service-Sequence': String(sequence) }),
  };
}

/**
 * CloudEvents 1.0 in binary mode (github.com/cloudevents/spec, HTTP protocol binding): the attributes are headers, and the body does not change. The
 * id is the same as in the event feed, so that a receiver of both can deduplicate.
 */
function cloudEventHeaders({
  recordId,
  deliveryId,
  eventType,
  sampleOf = eventType,
  deviceId,
  createdAt,
}: Delivery): Record<string, string> {
  return {
    'ce-specversion': '1.0',
    'ce-id': recordId ?? deliveryId,
    'ce-source': deviceId ? `/watchpost/devices/${deviceId}` : '/watchpost',
    'ce-type': `watchpost.${sampleOf}`,
    'ce-time': createdAt,
  };
}

/** The contract's headers and the three headers of Standard Webhooks, new for each attempt, over exactly the bytes sent. */
function signatureHeaders(
  webhook: Webhook,
  { deliveryId }: Delivery,
  body: Buffer,
  at: Instant,
  keyOf: (sealed: Sealed, webhookId: string) => SigningKey,
): Record<string, string> {
  const secrets = signingSecrets(webhook, at);
  if (!secrets) return {};
  const timestamp = String(Math.floor(Date.parse(at) / 1000));
  const standard = secrets.standard.map((sealed) =>
    signStandard(keyOf(sealed, webhook.webhookId).standard, deliveryId, timestamp, body),
  );
  return {
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': signContract(keyOf(secrets.contract, webhook.webhookId).contract, timestamp, body),
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
}

/** A 2xx with a complete answer in time is a success. Everything else fails and may be retried, unless the receiver wants no more deliveries. */
function outcomeOf(
  { statusCode, retryAfter, excerpt, failure }: OutboundAnswer,
  now: Instant,
  hidden: readonly string[],
): SendOutcome {
  const isRedirect = statusCode !== null && statusCode >= 300 && statusCode < 400;
  const isSuccess = !failure && statusCode !== null && statusCode >= 200 && statusCode < 300;
  const errorClass = failure?.errorClass ?? (isSuccess ? null : isRedirect ? 'redirect' : 'http_status');
  return {
    statusCode,
    errorClass,
    detail:
      failure?.detail ?? (isSuccess ? null : isRedirect ? 'Redirects are not followed.' : `It answered ${statusCode}.`),
    responseExcerpt: withoutSecrets(excerpt, hidden),
    isRetryable: errorClass !== null,
    retryAfterMs: isSuccess ? null : readRetryAfter(retryAfter, now),
    isGone: statusCode === 410,
  };
}
