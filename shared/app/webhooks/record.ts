import { isUnproven } from '../../domain/delivery/challenge.ts';
import { versionsAfter, type Webhook } from '../../domain/delivery/webhook.ts';
import { hiddenValue, hidesValue } from '../../domain/delivery/webhook-headers.ts';
import type { Instant } from '../../domain/time.ts';
import type { UpdateWebhookRequest } from '../../schema/webhook/webhook.ts';
import type { SecretBox } from '../ports.ts';
import { storedCertificate, storedOAuth2 } from './credentials.ts';
import { headersOf, ownerOf } from './secrets.ts';

/**
 * A new endpoint before the members of a request are applied. @param isMadeByLimited whether the token that creates it is limited to groups
 */
export function blankWebhook(webhookId: string, isMadeByLimited: boolean, now: Instant): Webhook {
  return {
    webhookId,
    url: '',
    method: 'POST',
    sealedHeaders: null,
    secret: null,
    nextSecret: null,
    events: ['detection'],
    filter: null,
    membersOfIncidents: true,
    format: 'native',
    drill: false,
    sequenced: false,
    maxAttempts: 3,
    timeoutSeconds: 10,
    isEnabled: true,
    disabledReason: null,
    isMadeByLimited,
    challenge: null,
    description: null,
    createdAt: now,
    changedAt: now,
    version: 1,
  };
}

/**
 * The endpoint with the given members. Null removes a member. Credentials belong to an origin: where scheme, host or port change, headers
 * and secret are dropped unless the same request contains them.
 */
export function changed(box: SecretBox, webhook: Webhook, request: UpdateWebhookRequest, now: Instant): Webhook {
  const { headers, secret, credentialVersions, enabled, filter, description, ...more } = request;
  const { template, retryDelays, retentionDays, contact, clientCertificate, oauth2, ...plain } = more;
  const kept = isSameOrigin(webhook.url, plain.url ?? webhook.url) ? webhook : withoutCredentials(webhook);
  const versions = versionsAfter(kept.credentialVersions, credentialVersions, sentCredentials(request));
  const { credentialVersions: _, ...unversioned } = kept;
  const next: Webhook = { ...unversioned, ...plain, ...versions, changedAt: now };
  if (filter !== undefined) next.filter = filter;
  if (description !== undefined) next.description = description;
  if (headers !== undefined) next.sealedHeaders = sealHeaders(box, kept, headers ?? {});
  if (secret !== undefined) {
    next.secret = secret === null ? null : box.seal(secret, ownerOf(webhook.webhookId, 'secret'));
    next.nextSecret = null;
  }
  set(next, 'template', template && { text: template, version: templateVersion(kept, template) });
  set(next, 'retryDelays', retryDelays);
  set(next, 'retentionDays', retentionDays);
  set(next, 'contact', contact);
  set(next, 'clientCertificate', clientCertificate && storedCertificate(box, webhook.webhookId, clientCertificate));
  set(next, 'oauth2', oauth2 && storedOAuth2(box, kept, oauth2));
  if (enabled !== undefined) {
    next.isEnabled = enabled;
    next.disabledReason = null;
  }
  return next;
}

/** Which credentials a request contains, or removes. */
function sentCredentials({ headers, secret, clientCertificate, oauth2 }: UpdateWebhookRequest) {
  return {
    secret: secret !== undefined,
    headers: headers === undefined ? undefined : writtenHeaders(headers ?? {}),
    clientCertificate: clientCertificate !== undefined,
    oauth2: oauth2 === null || oauth2?.clientSecret !== undefined,
  };
}

/** Null removes a member, undefined leaves it. */
function set<K extends OptionalMember>(webhook: Webhook, member: K, value: Webhook[K] | null | undefined | ''): void {
  if (value === null) delete webhook[member];
  else if (value !== undefined && value !== '') webhook[member] = value as Webhook[K];
}

type OptionalMember = 'template' | 'retryDelays' | 'retentionDays' | 'contact' | 'clientCertificate' | 'oauth2';

/** The version of the endpoint that brings the template, so that an attempt names one text only. A new endpoint has no address yet. */
function templateVersion({ template, version, url }: Webhook, text: string): number {
  if (template?.text === text) return template.version;
  return url === '' ? version : version + 1;
}

/** The endpoint with a new challenge where its address changed. The whole address counts, because many receivers may share a host. */
export function askedAnew(
  { isChallengeRequired, newChallenge }: { isChallengeRequired: boolean; newChallenge(): string },
  before: Webhook,
  after: Webhook,
): Webhook {
  const isAsked = isUnproven(before) || (isChallengeRequired && after.isMadeByLimited);
  return isAsked && hrefOf(before.url) !== hrefOf(after.url) ? { ...after, challenge: newChallenge() } : after;
}

function hrefOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

function isSameOrigin(before: string, after: string): boolean {
  // A new endpoint has no address yet, and an address that cannot be parsed is refused anyway.
  if (before === after || !URL.canParse(before) || !URL.canParse(after)) return true;
  return new URL(before).origin === new URL(after).origin;
}

function withoutCredentials(webhook: Webhook): Webhook {
  const { credentialVersions: _, clientCertificate: __, oauth2: ___, ...unversioned } = webhook;
  return { ...unversioned, sealedHeaders: null, secret: null, nextSecret: null };
}

function writtenHeaders(headers: Record<string, string>) {
  const all = Object.keys(headers);
  return { all, written: all.filter((name) => headers[name] !== hiddenValue || !hidesValue(name)) };
}

/** A value that comes back in its hidden form keeps the stored value. Where there is none, the header is omitted. */
function sealHeaders(box: SecretBox, webhook: Webhook, headers: Record<string, string>): string | null {
  const known = headersOf(box, webhook);
  const kept = Object.entries(headers).flatMap(([name, value]) => {
    if (value !== hiddenValue || !hidesValue(name)) return [[name, value]];
    return Object.hasOwn(known, name) ? [[name, known[name]]] : [];
  });
  if (kept.length === 0) return null;
  return box.seal(JSON.stringify(Object.fromEntries(kept)), ownerOf(webhook.webhookId, 'headers'));
}
