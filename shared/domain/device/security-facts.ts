import { v5 as uuidv5 } from 'uuid';
import type { StatusReport } from '../../schema/device/report.ts';
import { thresholds } from '../limits.ts';
import { type Instant, msBetween, toInstant } from '../time.ts';
import { compareStamps, firstCopy, type Stamp } from './measure.ts';

/** The newest report on each member of the certificate. A report may carry only one of them. */
export type CertificateFacts = {
  /** `isEvent`: an event reported it, not a measurement. `isSettled`: a person has settled that event. */
  validity: { isValid: boolean; reason: string | null; stamp: Stamp; isEvent?: boolean; isSettled?: boolean } | null;
  expiry: { notAfter: Instant; stamp: Stamp } | null;
};

/** Reason of an attempt that was a message sent in the name of the device's guardian. */
export const forgedReason = 'guardian-forged';

/** An attempt to make the device connect to another broker, or to impersonate its guardian. */
export type BrokerAttempt = {
  key: string;
  at: Instant;
  expectedHost: string | null;
  attemptedHost: string | null;
  reason: string | null;
};

/** An event, identified by its content, and when it first arrived. */
export type KnownEvent = { key: string; at: Instant };

/** The same content within this time is the same event. Later it is a new one. */
const repeatMs = 10 * 60_000;
const eventNamespace = '9d1c8a54-0f6b-5b6e-8a37-5a2b6d1f7c90';

/** Adds an event. Null where it is known already. */
export function withEvent(events: readonly KnownEvent[], body: object, at: Instant): KnownEvent[] | null {
  const key = uuidv5(JSON.stringify(body), eventNamespace);
  if (events.some((known) => known.key === key && Math.abs(msBetween(known.at, at)) <= repeatMs)) return null;
  return [...events, { key, at }]
    .toSorted((a, b) => (a.at + a.key < b.at + b.key ? -1 : 1))
    .slice(-thresholds.eventsKept);
}

/** The certificate after a status report about it. */
export function withCertificate(
  facts: CertificateFacts,
  reported: NonNullable<StatusReport['certificate']>,
  stamp: Stamp,
): CertificateFacts {
  const { valid, notAfter, reason } = reported;
  return {
    validity:
      valid === undefined ? facts.validity : newer(facts.validity, { isValid: valid, reason: reason ?? null, stamp }),
    expiry: notAfter === undefined ? facts.expiry : newer(facts.expiry, { notAfter: toInstant(notAfter), stamp }),
  };
}

/** The certificate after the device reported that its validation failed. Where a person has settled a failure, another one counts whatever its time. */
export function withFailedValidation(facts: CertificateFacts, reason: string | null, stamp: Stamp): CertificateFacts {
  const { validity } = facts;
  const reported = { isValid: false, reason, stamp, isEvent: true };
  const isOther = validity?.isSettled === true && compareStamps(validity.stamp, stamp) !== 0;
  return { ...facts, validity: isOther ? reported : newer(validity, reported) };
}

/** Adds an attempt. Null where it is known already, or older than all attempts that are kept. */
export function withAttempt(attempts: readonly BrokerAttempt[], attempt: BrokerAttempt): BrokerAttempt[] | null {
  const known = attempts.find(({ key }) => key === attempt.key);
  if (known && known.at <= attempt.at) return null;
  const all = [...attempts.filter(({ key }) => key !== attempt.key), attempt];
  const kept = all.toSorted((a, b) => (a.at + a.key < b.at + b.key ? -1 : 1)).slice(-thresholds.attemptsKept);
  return kept.includes(attempt) ? kept : null;
}

function newer<T extends { stamp: Stamp }>(known: T | null, reported: T): T {
  if (known === null) return reported;
  const order = compareStamps(known.stamp, reported.stamp);
  if (order === 0) return { ...known, stamp: firstCopy(known.stamp, reported.stamp) };
  return order < 0 ? reported : known;
}
