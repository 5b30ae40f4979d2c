import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** A secret as keys for both signature schemes. */
export type SigningKey = { contract: KeyObject; standard: KeyObject };

const prefix = 'whsec_';

/**
 * Derives the keys of a secret. For `X-Service-Signature` the key is the text of the secret. For Standard Webhooks it is the decoded base64 after
 * `whsec_`, or the bytes of the text if there is no such prefix.
 */
export function signingKey(secret: string): SigningKey {
  const text = createSecretKey(secret, 'utf8');
  if (!secret.startsWith(prefix)) return { contract: text, standard: text };
  const bytes = Buffer.from(secret.slice(prefix.length), 'base64');
  return { contract: text, standard: bytes.length > 0 ? createSecretKey(bytes) : text };
}

/** The value of `X-Service-Signature`: HMAC-SHA256 over timestamp, a dot, and the body's bytes, in lower-case hex. */
export function signContract(key: KeyObject, timestamp: string, body: Buffer): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/** One entry of `webhook-signature` (Standard Webhooks): HMAC-SHA256 over id, timestamp and body, in base64. */
export function signStandard(key: KeyObject, id: string, timestamp: string, body: Buffer): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}
