import type { webhookEvents, webhookFormats } from '../../schema/vocabulary.ts';
import type { CredentialVersions, OAuth2, WebhookConfiguration, WebhookFilter } from '../../schema/webhook/webhook.ts';
import { type Instant, plus } from '../time.ts';

/** Text sealed with a data key; only the secret box can open it. */
export type Sealed = string;

export type WebhookEventType = (typeof webhookEvents)[number];

/** A secret that signs beside the current one until it replaces it at `promoteAt`. */
export type NextSecret = { sealed: Sealed; addedAt: Instant; promoteAt: Instant };

/** `isTold`: people know that it ends soon. */
export type StoredCertificate = { certificate: string; sealedKey: Sealed; expiresAt: Instant; isTold: boolean };
export type StoredOAuth2 = Omit<OAuth2, 'clientSecret'> & { sealedSecret: Sealed };

/** A customer's endpoint as it is stored. Members that may hold credentials are sealed. */
export type Webhook = {
  webhookId: string;
  url: string;
  method: NonNullable<WebhookConfiguration['method']>;
  /** The custom headers as JSON text; null: none. */
  sealedHeaders: Sealed | null;
  secret: Sealed | null;
  nextSecret: NextSecret | null;
  /** Absent: none of its credentials has one. */
  credentialVersions?: CredentialVersions;
  events: WebhookEventType[];
  filter: WebhookFilter | null;
  /** Whether it gets the alerts of an incident in addition to the incident. */
  membersOfIncidents: boolean;
  format: (typeof webhookFormats)[number];
  /** Whether each round of the standing drill sends it a test. */
  drill?: boolean;
  /** Whether its detections are numbered and it gets checkpoints with the last numbers. */
  sequenced?: boolean;
  /** What is sent in place of the event. Absent: the event. `version` counts its changes. */
  template?: { text: string; version: number };
  /** Seconds before attempts 2, 3 and so on. Absent: the contract's. */
  retryDelays?: number[];
  /** Days for which its deliveries are kept. Absent: as long as others. */
  retentionDays?: number;
  contact?: string;
  clientCertificate?: StoredCertificate;
  oauth2?: StoredOAuth2;
  maxAttempts: number;
  timeoutSeconds: number;
  isEnabled: boolean;
  /** Why the service disabled it. Null where a person disabled it or where it is enabled. */
  disabledReason: string | null;
  /** Whether the token that created it was limited to groups. Then a limited token may change it. */
  isMadeByLimited: boolean;
  /** The text that its answer must echo before it gets events. Null: it has proven that it wants events, or no proof is needed. */
  challenge: string | null;
  description: string | null;
  createdAt: Instant;
  changedAt: Instant;
  version: number;
};

/**
 * Failures in a row of an endpoint, and its circuit breaker. Written only on failures and changes, so that successful traffic does not contend for
 * one record.
 */
export type EndpointHealth = {
  webhookId: string;
  failuresInRow: number;
  /** The beginning of the present run of failures. */
  failingSince: Instant | null;
  /** How often the circuit has opened in a row. Its pause doubles each time. */
  timesOpened: number;
  /** Nothing is sent before this time. */
  openUntil: Instant | null;
  /** Different events that failed for good since the last success, as many as tell of the endpoint. */
  failedEvents: string[];
  /** Since when it is told that the endpoint fails or is disabled; it stays until the next success. Null: it is not. */
  toldAt: Instant | null;
};

export const heldUntilProven = 'The endpoint has not yet proven that it wants events.';
const heldSinceDisabled = 'The endpoint is disabled.';

/** Why an endpoint gets no events now. Null: it gets them. */
export function reasonToWait({ isEnabled, challenge }: Webhook): string | null {
  if (!isEnabled) return heldSinceDisabled;
  return challenge ? heldUntilProven : null;
}

/**
 * The secrets that sign at an instant: `contract` signs `X-Service-Signature`, and each of `standard` signs `webhook-signature`, newest
 * first.
 */
export type SigningSecrets = { contract: Sealed; standard: Sealed[] };

/** Which secrets sign now. At the end of the overlap the new one replaces the old one. */
export function signingSecrets({ secret, nextSecret }: Webhook, now: Instant): SigningSecrets | null {
  if (nextSecret && (secret === null || now >= nextSecret.promoteAt)) {
    return { contract: nextSecret.sealed, standard: [nextSecret.sealed] };
  }
  if (secret === null) return null;
  return { contract: secret, standard: nextSecret ? [nextSecret.sealed, secret] : [secret] };
}

/** Adds a secret, which signs from now on: beside the old one until the overlap ends, or alone where there is no old one or no overlap. */
export function rotateSecret(webhook: Webhook, sealed: Sealed, overlapMs: number, now: Instant): Webhook {
  const current = signingSecrets(webhook, now)?.contract ?? null;
  if (current === null || overlapMs === 0) return { ...webhook, secret: sealed, nextSecret: null };
  return { ...webhook, secret: current, nextSecret: { sealed, addedAt: now, promoteAt: plus(now, overlapMs) } };
}

/**
 * The versions of the credentials after a change: a credential that is written anew has the version that comes with it, or none.
 * @param written the credentials that the change writes, and the names of all headers after it; undefined: they do not change
 */
export function versionsAfter(
  before: CredentialVersions = {},
  given: CredentialVersions = {},
  written: {
    secret: boolean;
    headers: { all: readonly string[]; written: readonly string[] } | undefined;
    clientCertificate?: boolean;
    oauth2?: boolean;
  },
): Pick<Webhook, 'credentialVersions'> {
  const single = (['secret', 'clientCertificate', 'oauth2'] as const).flatMap((name) => {
    const version = (written[name] ? given : before)[name];
    return version === undefined ? [] : [[name, version] as const];
  });
  const { all, written: anew } = written.headers ?? { all: Object.keys(before.headers ?? {}), written: [] };
  const headers = all.flatMap((name) => {
    const version = (anew.includes(name) ? given : before).headers?.[name];
    return version === undefined ? [] : [[name, version] as const];
  });
  if (single.length === 0 && headers.length === 0) return {};
  const versions = {
    ...Object.fromEntries(single),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
  return { credentialVersions: versions };
}

/** Ends an overlap: only the new secret remains. Nothing changes where there is no overlap. */
export function promoteSecret(webhook: Webhook): Webhook {
  return webhook.nextSecret ? { ...webhook, secret: webhook.nextSecret.sealed, nextSecret: null } : webhook;
}
