import type { AlertContext } from '../../../schema/alert/alert.ts';
import { failuresAt, failuresEndAt } from '../../device/auth-failures.ts';
import type { Device } from '../../device/device.ts';
import { type Attempt, forgedReason } from '../../device/security-facts.ts';
import { thresholds } from '../../limits.ts';
import { type Instant, msBetween, plus } from '../../time.ts';
import type { Condition, Finding } from './condition.ts';

const dayMs = 24 * 60 * 60_000;
const expiringMs = thresholds.certificateExpiringDays * dayMs;

export const securityConditions: readonly Condition[] = [
  {
    code: 'SEC_001',
    fact: 'certificate',
    holds: failedCertificate,
    // The contract says "passed" and "under", so the condition changes one millisecond after the instant.
    changesAt: ({ certificate: { expiry } }) => [expiry && plus(expiry.notAfter, 1)],
    // When a person resolves the alert, the known event counts as settled. An event that is not settled is therefore new.
    heldNotAt: ({ certificate: { validity } }) => (validity?.isEvent && !validity.isSettled ? true : null),
  },
  {
    code: 'SEC_002',
    fact: 'attempt',
    holds: (device) => {
      // Attempts that a person has settled are no longer in this list.
      const attempt = device.attempts.at(-1) ?? null;
      if (!attempt) return null;
      const { attemptedHost } = attempt;
      const marks = attemptedHost ? [`by the host ${attemptedHost}`] : [];
      return { ...attemptFinding(attempt), marks };
    },
    endsByHandOnly: true,
  },
  {
    code: 'SEC_003',
    fact: 'certificate',
    holds: (device, now) => {
      const { expiry } = device.certificate;
      if (!expiry || msBetween(now, expiry.notAfter) >= expiringMs) return null;
      const { daysLeft } = expiryContext(device, now);
      return {
        message: `Certificate ends in ${daysLeft} days, limit ${thresholds.certificateExpiringDays} days`,
        context: expiryContext(device, now),
      };
    },
    changesAt: ({ certificate: { expiry } }) => [expiry && plus(expiry.notAfter, 1 - expiringMs)],
    supersededBy: 'SEC_001',
  },
  {
    code: 'SEC_004',
    fact: 'failures',
    holds: (device, now, waits) => {
      const { authFailures } = device;
      const endsAt = failuresEndAt(authFailures, waits);
      if (endsAt === null || now >= endsAt) return null;
      const failedAttempts = failuresAt(authFailures.recent, authFailures.recent.at(-1)?.at ?? now, waits);
      return {
        message: `${failedAttempts} failed authentications within 10 minutes, limit ${thresholds.failedAuthentications}`,
        context: { failedAttempts },
      };
    },
    changesAt: ({ authFailures }, waits) => [failuresEndAt(authFailures, waits)],
    // When a person resolves the alert, the known failures no longer count. Failures that count are therefore new.
    heldNotAt: () => true,
  },
];

function failedCertificate(device: Device, now: Instant): Finding | null {
  const { validity, expiry } = device.certificate;
  if (expiry && now > expiry.notAfter) {
    return {
      message: 'Certificate validation failed: it has expired',
      context: { reason: 'expired', ...expiryContext(device, now) },
    };
  }
  if (!validity || validity.isValid || validity.isSettled) return null;
  const reason = validity.reason ?? 'the device reports it as not valid';
  return {
    message: `Certificate validation failed: ${reason}`,
    context: { reason, ...expiryContext(device, now) },
  };
}

/** Rounds down to tenths of a day, so that the text never says "7 days" for less than 7 days. */
function expiryContext({ certificate: { expiry } }: Device, now: Instant): AlertContext {
  if (!expiry) return {};
  const daysLeft = Math.floor((msBetween(now, expiry.notAfter) / dayMs) * 10) / 10;
  return { notAfter: expiry.notAfter, daysLeft };
}

function attemptFinding({ expectedHost, attemptedHost, reason }: Attempt): Finding {
  if (reason === forgedReason) {
    return { message: 'Somebody else speaks for the configuration guardian', context: { reason } };
  }
  // A camera that was reset reports no host.
  const to = attemptedHost || 'a foreign broker';
  const instead = expectedHost === null ? '' : `, expected ${expectedHost}`;
  return {
    message: `Unauthorized broker connection attempt to ${to}${instead}`,
    context: {
      attempts: 1,
      ...(reason === null ? {} : { reason }),
      ...(expectedHost === null ? {} : { expectedHost }),
      ...(attemptedHost === null ? {} : { attemptedHost }),
    },
  };
}
