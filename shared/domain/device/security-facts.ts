import type { StatusReport } from '../../schema/device/report.ts';
import { thresholds } from '../limits.ts';
import { type Instant, toInstant } from '../time.ts';
import { compareStamps, firstCopy, type Stamp } from './stamp.ts';

/** The newest word on each member of the certificate: reports speak of either alone. */
export type CertificateFacts = {
  validity: { isValid: boolean; reason: string | null; stamp: Stamp } | null;
  expiry: { notAfter: Instant; stamp: Stamp } | null;
};

/** Reason of an attempt that was a message under the name of the device's guardian. */
export const forgedReason = 'guardian-forged';

/** An attempt to make the device talk to another broker, or to speak for its guardian. */
export type Attempt = {
  key: string;
  at: Instant;
  expectedHost: string | null;
  attemptedHost: string | null;
  reason: string | null;
};

/** The certificate after a status report spoke of it. */
export function withCertificate(
  facts: CertificateFacts,
  told: NonNullable<StatusReport['certificate']>,
  stamp: Stamp,
): CertificateFacts {
  const { valid, notAfter, reason } = told;
  return {
    validity:
      valid === undefined ? facts.validity : newer(facts.validity, { isValid: valid, reason: reason ?? null, stamp }),
    expiry: notAfter === undefined ? facts.expiry : newer(facts.expiry, { notAfter: toInstant(notAfter), stamp }),
  };
}

/** The certificate after the device said that its validation failed. */
export function withFailedValidation(facts: CertificateFacts, reason: string | null, stamp: Stamp): CertificateFacts {
  return { ...facts, validity: newer(facts.validity, { isValid: false, reason, stamp }) };
}

/** Puts an attempt to the others. Null where it is known, or older than all that is remembered. */
export function withAttempt(attempts: readonly Attempt[], attempt: Attempt): Attempt[] | null {
  const known = attempts.find(({ key }) => key === attempt.key);
  if (known && known.at <= attempt.at) return null;
  const all = [...attempts.filter(({ key }) => key !== attempt.key), attempt];
  const kept = all.toSorted((a, b) => (a.at + a.key < b.at + b.key ? -1 : 1)).slice(-thresholds.attemptsKept);
  return kept.includes(attempt) ? kept : null;
}

function newer<T extends { stamp: Stamp }>(known: T | null, told: T): T {
  if (known === null) return told;
  const order = compareStamps(known.stamp, told.stamp);
  if (order === 0) return { ...known, stamp: firstCopy(known.stamp, told.stamp) };
  return order < 0 ? told : known;
}
