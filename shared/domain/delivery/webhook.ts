import type { webhookEvents } from '../../schema/vocabulary.ts';
import type { WebhookConfiguration, WebhookFilter } from '../../schema/webhook/webhook.ts';
import { type Instant, plus } from '../time.ts';

/** Text sealed with a data key; only the secret box can open it. */
export type Sealed = string;

export type WebhookEventType = (typeof webhookEvents)[number];

/** A secret that signs beside the current one until it takes over at `promoteAt`. */
export type NextSecret = { sealed: Sealed; addedAt: Instant; promoteAt: Instant };

/** A customer's endpoint as it is stored. What may hold credentials is sealed. */
export type Webhook = {
  webhookId: string;
  url: string;
  method: NonNullable<WebhookConfiguration['method']>;
  /** The custom headers as JSON text; null: none. */
  sealedHeaders: Sealed | null;
  secret: Sealed | null;
  nextSecret: NextSecret | null;
  events: WebhookEventType[];
  filter: WebhookFilter | null;
  /** Whether it is sent the alerts of an incident beside the incident; not there in records of before there were any: it is. */
  membersOfIncidents?: boolean;
  maxAttempts: number;
  timeoutSeconds: number;
  isEnabled: boolean;
  /** Why the service itself disabled it; null where a person did, or where it is enabled. */
  disabledReason: string | null;
  /** Whether its maker's token was limited to groups: then it may be changed by one that is. */
  isMadeByLimited: boolean;
  /** What its answer must echo before it is sent anything else; null: it has proven that it wants events, or need not. */
  challenge: string | null;
  description: string | null;
  createdAt: Instant;
  changedAt: Instant;
  version: number;
};

/** What a number of failures in a row has led to: written on failures and changes only, so that healthy traffic shares no record. */
export type EndpointHealth = {
  webhookId: string;
  failuresInRow: number;
  /** Since when there were only failures. */
  failingSince: Instant | null;
  /** Times the circuit has opened in a row: its pause doubles with each. */
  timesOpened: number;
  /** Until when nothing is sent. */
  openUntil: Instant | null;
};

export const heldUntilProven = 'The endpoint has not yet proven that it wants events.';
const heldSinceDisabled = 'The endpoint is disabled.';

/** Why an endpoint is sent no events now; null: it is sent them. */
export function reasonToWait({ isEnabled, challenge }: Webhook): string | null {
  if (!isEnabled) return heldSinceDisabled;
  return challenge ? heldUntilProven : null;
}

/** The secrets that sign at an instant: `contract` signs `X-Service-Signature`, all of `standard` sign `webhook-signature`, newest first. */
export type SigningSecrets = { contract: Sealed; standard: Sealed[] };

/** Which secrets sign now. At the end of the overlap the new one takes over by itself. */
export function signingSecrets({ secret, nextSecret }: Webhook, now: Instant): SigningSecrets | null {
  if (nextSecret && (secret === null || now >= nextSecret.promoteAt)) {
    return { contract: nextSecret.sealed, standard: [nextSecret.sealed] };
  }
  if (secret === null) return null;
  return { contract: secret, standard: nextSecret ? [nextSecret.sealed, secret] : [secret] };
}

/** Adds a secret that signs beside the old one at once; where there is none, it is the only one at once. */
export function rotateSecret(webhook: Webhook, sealed: Sealed, overlapMs: number, now: Instant): Webhook {
  const current = signingSecrets(webhook, now)?.contract ?? null;
  if (current === null || overlapMs === 0) return { ...webhook, secret: sealed, nextSecret: null };
  return { ...webhook, secret: current, nextSecret: { sealed, addedAt: now, promoteAt: plus(now, overlapMs) } };
}

/** Ends an overlap: the new secret is the only one. Unchanged where there is no overlap. */
export function promoteSecret(webhook: Webhook): Webhook {
  return webhook.nextSecret ? { ...webhook, secret: webhook.nextSecret.sealed, nextSecret: null } : webhook;
}
