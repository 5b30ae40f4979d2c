import { v5 as uuidv5 } from 'uuid';
import type { StatusReport } from '../../schema/device/report.ts';
import { thresholds } from '../limits.ts';
import { type Instant, msBetween, toInstant } from '../time.ts';
import { compareStamps, firstCopy, type Stamp } from './stamp.ts';

/** The newest word on each member of the certificate: reports speak of either alone. */
export type CertificateFacts = {
  /** `isEvent`: told by an event, not by a measure; `isSettled`: a person has put that event to rest. */
  validity: { isValid: boolean; reason: string | null; stamp: Stamp; isEvent?: boolean; isSettled?: boolean } | null;
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

/** An event by what it says, and when it was first taken in. */
export type KnownEvent = { key: string; at: Instant };

/** The same words again within this are the same event; later they are another. */
const repeatMs = 10 * 60_000;
const eventNamespace = '9d1c8a54-0f6b-5b6e-8a37-5a2b6d1f7c90';

/** An event put to the others; null where it is one of them. */
export function withEvent(events: readonly KnownEvent[], body: object, at: Instant): KnownEvent[] | null {
  const key = uuidv5(JSON.stringify(body), eventNamespace);
  if (events.some((known) => known.key === key && Math.abs(msBetween(known.at, at)) <= repeatMs)) return null;
  return [...events, { key, at }]
    .toSorted((a, b) => (a.at + a.key < b.at + b.key ? -1 : 1))
    .slice(-thresholds.eventsKept);
}

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
  return { ...facts, validity: newer(facts.validity, { isValid: false, reason, stamp, isEvent: true }) };
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
