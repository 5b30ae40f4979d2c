import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { StoredCertificate, StoredOAuth2, Webhook } from '../../domain/delivery/webhook.ts';
import type { Instant } from '../../domain/time.ts';
import type { Fault } from '../../errors.ts';
import type { ClientCertificate, OAuth2 } from '../../schema/webhook/webhook.ts';
import type { SecretBox } from '../ports.ts';
import { ownerOf } from './secrets.ts';

/** The certificate as it is stored, with its key sealed. `faultsOfCertificate` has accepted it. */
export function storedCertificate(
  box: SecretBox,
  webhookId: string,
  { certificate, key }: ClientCertificate,
): StoredCertificate {
  const read = readCertificate(certificate);
  const sealedKey = box.seal(key, ownerOf(webhookId, 'client-key'));
  return { certificate, sealedKey, expiresAt: read ? endOf(read) : '', isTold: false };
}

/** What is wrong with a certificate and its key. */
export function faultsOfCertificate(given: ClientCertificate | null | undefined, now: Instant): Fault[] {
  if (!given) return [];
  const pointer = '/clientCertificate/certificate';
  const certificate = readCertificate(given.certificate);
  if (!certificate) return [{ pointer, detail: 'is not a certificate in PEM' }];
  const endsAt = endOf(certificate);
  if (endsAt <= now) return [{ pointer, detail: `has ended at ${endsAt}` }];
  try {
    if (!certificate.checkPrivateKey(createPrivateKey(given.key))) {
      return [{ pointer: '/clientCertificate/key', detail: 'is not the key of the certificate' }];
    }
  } catch {
    return [{ pointer: '/clientCertificate/key', detail: 'is not a private key in PEM without a passphrase' }];
  }
  return isChain(given.certificate) ? [] : [{ pointer, detail: 'or one behind it is not a certificate in PEM' }];
}

/** Whether each certificate of a chain can be read: TLS reads them all, and `X509Certificate` only the first. */
function isChain(pem: string): boolean {
  const whole = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = pem.split('-----BEGIN').length - 1;
  return whole.length === begun && whole.every((each) => readCertificate(each) !== null);
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function endOf({ validTo }: X509Certificate): Instant {
  return new Date(validTo).toISOString();
}

/** The source of tokens as it is stored. Without a secret the known one stays, if it is for the same origin. Null: there is no secret. */
export function storedOAuth2(
  box: SecretBox,
  { webhookId, oauth2: known }: Pick<Webhook, 'webhookId' | 'oauth2'>,
  { clientSecret, ...given }: OAuth2,
): StoredOAuth2 | null {
  if (clientSecret !== undefined)
    return { ...given, sealedSecret: box.seal(clientSecret, ownerOf(webhookId, 'oauth2')) };
  if (!known || originOf(known.tokenUrl) !== originOf(given.tokenUrl) || known.clientId !== given.clientId) return null;
  return { ...given, sealedSecret: known.sealedSecret };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
