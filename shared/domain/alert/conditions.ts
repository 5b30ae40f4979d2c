import type { AlertContext } from '../../schema/alert/alert.ts';
import type { Explanation } from '../../schema/alert/life.ts';
import { type AlertCode, type MeasureName, measures } from '../../schema/vocabulary.ts';
import type { FactName } from '../device/absorb.ts';
import { failuresAt, failuresEndAt } from '../device/auth-failures.ts';
import type { Device } from '../device/device.ts';
import { latestReading, latestReadings, levelOf } from '../device/measure.ts';
import { type AlertLevel, certificateDaysOf, levelLimits, type OwnLimits, worseSteps } from '../device/own-limits.ts';
import {
  lossDeclaredAt,
  lossRaisedAt,
  reconnectsAt,
  reconnectsOf,
  silentAtOf,
  standingLoss,
} from '../device/presence.ts';
import { type BrokerAttempt, forgedReason } from '../device/security-facts.ts';
import { conflictEndsAt, type DriftState, healedEndsAt, latestFact, unhealedOf } from '../guardian/facts.ts';
import { type measureLimits, thresholds, type Waits } from '../limits.ts';
import { darknessOf } from '../sight/intervals.ts';
import { earliest, type Instant, latest, msBetween, plus } from '../time.ts';

/** The text and context that an operator sees for a condition that holds. */
export type Finding = {
  message: string;
  context: AlertContext;
  /** Signs of deterioration, as texts: thresholds that it has passed, or the host that an attempt named. A new one means that it got worse. */
  marks?: string[];
};

/** One condition of the catalogue as a function of the facts of a device and the time. */
export type Condition = {
  code: AlertCode;
  /** Reports that carry this fact are sightings of the condition. */
  fact?: FactName;
  /** Returns the finding while the condition holds, else null. `horizon`: no report that was published before it is missing. */
  holds: (device: Device, now: Instant, waits: Waits, horizon: Instant) => Finding | null;
  /** Instants at which it may begin or end because time passes. */
  changesAt?: (device: Device, waits: Waits) => (Instant | null)[];
  /** Instants at which it may begin or end because a report stays away. They are compared with the horizon, not with the clock. */
  absentAt?: (device: Device, waits: Waits) => (Instant | null)[];
  /**
   * Called for a code whose last alert a person resolved, at `at`. True: the condition did not hold then, so what holds now is new and may open an
   * alert. False: what holds now may be what the person resolved. Absent or null: new only after a moment without the condition.
   */
  heldNotAt?: (device: Device, at: Instant, waits: Waits) => boolean | null;
  /** This condition ends, as `superseded`, while the named other condition holds. */
  supersededBy?: AlertCode;
  /**
   * The condition is an event, not a state: only a person ends it, only a new event raises it again, and each sighting is recorded in the
   * trail.
   */
  endsByHandOnly?: boolean;
};

/**
 * The contract's members for each connectivity alert. `lastConnected` is the last instant at which messages prove the connection, or the registration
 * if no message does. The device's own clock is not used: people would read a wrong time as the start of the outage.
 */
export function connectivityContext({
  presence,
  brokerHost,
  reconnectAttempts,
  lastSeenAt,
  registeredAt,
}: Device): AlertContext {
  const stood = latest(presence.connectedAt, lastSeenAt);
  return {
    lastConnected: stood ?? registeredAt,
    brokerHost: brokerHost ?? '',
    reconnectAttempts: Math.max(0, reconnectAttempts ?? 0),
  };
}

/** The last readings of memory and storage. */
export function resourceContext({ measures }: Device): AlertContext {
  return latestReadings(measures, ['memory', 'storage']);
}

export const configurationConditions: readonly Condition[] = [
  {
    code: 'CFG_001',
    fact: 'drift',
    holds: ({ guardian }, now, waits) => {
      const unhealed = unhealedOf(guardian);
      const isCritical = unhealed.fields.some((field) => field.isCritical);
      const reason = lastingReason(unhealed, now, waits);
      if (!isCritical && reason === null) return null;
      const fields = unhealed.fields.flatMap(({ name, ...field }) =>
        reason !== null || field.isCritical ? [name] : [],
      );
      const why = reason === null ? '' : `, ${reason}`;
      return {
        message: `Critical configuration drift: ${named(fields)}${why}`,
        context: { fields, maxSeverity: isCritical ? 'CRITICAL' : 'HIGH', ...(reason === null ? {} : { reason }) },
      };
    },
    changesAt: ({ guardian }, waits) => [unhealedTooLongAt(unhealedOf(guardian), waits)],
  },
  {
    code: 'CFG_002',
    fact: 'heal',
    holds: ({ guardian }, now, waits) => {
      const endsAt = healedEndsAt(guardian, waits);
      if (endsAt === null || now >= endsAt) return null;
      const fieldsRestored = latestFact(guardian, 'CONFIG_HEALED')?.fields ?? [];
      const what = fieldsRestored.length > 0 ? `: ${named(fieldsRestored)} restored` : '';
      return { message: `Configuration healed automatically${what}`, context: { fieldsRestored } };
    },
    changesAt: ({ guardian }, waits) => [healedEndsAt(guardian, waits)],
  },
  {
    code: 'CFG_003',
    fact: 'conflict',
    holds: ({ guardian }, now, waits) => {
      const endsAt = conflictEndsAt(guardian, waits);
      if (endsAt === null || now >= endsAt) return null;
      const fact = latestFact(guardian, 'CONFIG_CONFLICT');
      const message = 'Configuration conflict: repeated drift';
      if (!fact?.conflict) return { message, context: {} };
      const { driftCount, window, recommendation } = fact.conflict;
      return {
        message: `${message} of ${named(fact.fields)}, ${driftCount} times within ${window}`,
        context: { fields: fact.fields, driftCount, window, recommendation },
      };
    },
    changesAt: ({ guardian }, waits) => [conflictEndsAt(guardian, waits)],
  },
];

/** Why a drift that should be healed by now is critical, whatever the severity of its fields. Null: it may still heal. */
function lastingReason(unhealed: DriftState, now: Instant, waits: Waits): string | null {
  if (unhealed.failures >= thresholds.healFailures) return `the guardian failed ${unhealed.failures} times to heal it`;
  const tooLongAt = unhealedTooLongAt(unhealed, waits);
  return tooLongAt !== null && now >= tooLongAt ? 'not healed within 10 minutes' : null;
}

function unhealedTooLongAt({ fields }: DriftState, waits: Waits): Instant | null {
  const since = earliest(fields.map((field) => field.since));
  return since && plus(since, waits.healPatience);
}

/** Names at most five fields, because a person reads the message. */
function named(fields: readonly string[]): string {
  const shown = fields.slice(0, 5).join(', ');
  return fields.length > 5 ? `${shown} and ${fields.length - 5} more` : shown;
}

export const connectivityConditions: readonly Condition[] = [
  {
    code: 'CONN_001',
    holds: (device, now, waits, horizon) =>
      lossFinding(device, now, waits, horizon) ?? silenceFinding(device, waits, horizon),
    changesAt: (device, waits) => {
      const loss = device.open.CONN_001 ? null : standingLoss(device.presence, device.aliveAt, waits);
      return [loss ? lossDeclaredAt(device, loss, waits) : null];
    },
    absentAt: (device, waits) => {
      const loss = standingLoss(device.presence, device.aliveAt, waits);
      return [loss ? lossRaisedAt(device, loss.at, waits) : null];
    },
    // Without a loss: a camera that was overdue at `at` may have been connected or not, so the answer is false until its next report moves
    // `silentAtOf` past `at`.
    heldNotAt: (device, at, waits) => {
      const loss = standingLoss(device.presence, device.aliveAt, waits);
      if (loss) return loss.at > at;
      const silentAt = silentAtOf(device, waits);
      return silentAt === null || silentAt > at;
    },
  },
  {
    code: 'CONN_002',
    fact: 'presence',
    holds: (device, now, waits, horizon) => {
      const { length } = reconnectsAt(device.presence, countedAt(device, now, horizon), waits);
      if (length <= thresholds.reconnects) return null;
      return {
        message: `MQTT connection unstable: ${length} reconnects within an hour, limit ${thresholds.reconnects}`,
        context: { ...connectivityContext(device), reconnectsLastHour: length },
      };
    },
    absentAt: ({ presence }, waits) => {
      // The condition ends when the oldest reconnect above the threshold leaves the window.
      const deciding = reconnectsOf(presence).at(-1 - thresholds.reconnects);
      return [deciding ? plus(deciding, waits.reconnectWindow) : null];
    },
  },
  {
    code: 'CONN_003',
    ...measuredAt('latency', 'high', connectivityContext),
  },
];

/**
 * The end of the hour in which reconnects are counted: the horizon, or the newest known reconnect if that is later. Later time does not
 * count, because its reports may still be missing.
 */
function countedAt({ presence }: Device, now: Instant, horizon: Instant): Instant {
  const seen = latest(reconnectsOf(presence).at(-1) ?? null, horizon) ?? horizon;
  return seen < now ? seen : now;
}

/**
 * A loss that the broker reported and no sign of life contradicted is declared in the end, even while the platform is blind. Otherwise caution would
 * hide it for ever.
 */
function lossFinding(device: Device, now: Instant, waits: Waits, horizon: Instant): Finding | null {
  const loss = standingLoss(device.presence, device.aliveAt, waits);
  if (!loss) return null;
  const isSeen = horizon >= lossRaisedAt(device, loss.at, waits);
  if (!isSeen && now < lossDeclaredAt(device, loss, waits)) return null;
  const reason = loss.reason ? `, reason: ${loss.reason}` : '';
  const late = isSeen ? '' : '; Watchpost itself saw late, it may be back';
  return {
    message: `MQTT connection lost for more than 5 minutes: disconnected${reason}${late}`,
    context: { ...connectivityContext(device), lastConnected: loss.at, cause: 'disconnected' },
  };
}

function silenceFinding(device: Device, waits: Waits, horizon: Instant): Finding | null {
  if (device.silentSince === null) return null;
  const { since, lastReportBy = null } = darknessOf(device, horizon, waits) ?? {};
  const seen = { ...(since ? { lastConnected: since } : {}), ...(lastReportBy ? { lastReportBy } : {}) };
  return {
    message: 'MQTT connection lost for more than 5 minutes: no report comes any more',
    context: { ...connectivityContext(device), ...seen, cause: 'silent' },
  };
}

/** The measure and its level by which an alert code is raised. */
const measured: Partial<Record<AlertCode, [MeasureName, AlertLevel]>> = {
  CONN_003: ['latency', 'high'],
  RES_001: ['memory', 'critical'],
  RES_002: ['memory', 'high'],
  RES_003: ['storage', 'high'],
};

/** Whether the settings can give an alert code another limit. */
export function hasLimit(code: AlertCode): boolean {
  return code === 'SEC_003' || measured[code] !== undefined;
}

/** The limit at which an alert code begins for a device. Null: it has none. */
export function limitOf(code: AlertCode, own: OwnLimits | undefined): Explanation['limit'] | null {
  if (code === 'SEC_003') {
    const from = own?.certificateDays === undefined ? 'catalogue' : 'settings';
    return { value: certificateDaysOf(own), unit: 'days', from };
  }
  const [name, level] = measured[code] ?? [];
  const limits = name && level ? levelLimits(name, level, own) : null;
  if (!name || !level || !limits) return null;
  const from = own?.[name]?.[level] === undefined ? 'catalogue' : 'settings';
  return { value: 'under' in limits ? limits.under : limits.above, unit: measures[name].unit, from };
}

const resourceConditions: readonly Condition[] = [
  { code: 'RES_001', ...measuredAt('memory', 'critical') },
  { code: 'RES_002', ...measuredAt('memory', 'high'), supersededBy: 'RES_001' },
  { code: 'RES_003', ...measuredAt('storage', 'high') },
];

/** The condition that a measure is at a level. */
function measuredAt<Name extends MeasureName>(
  name: Name,
  level: keyof (typeof measureLimits)[Name] & AlertLevel,
  contextOf: (device: Device) => AlertContext = () => ({}),
): Pick<Condition, 'fact' | 'holds'> {
  const { title, unit, reading: member, limit: limitMember } = measures[name];
  if (!levelLimits(name, level, undefined)) throw new Error(`${name} has no level ${level}`);
  const holds = (device: Device): Finding | null => {
    const reading = latestReading(device.measures[name]);
    const limits = levelLimits(name, level, device.limits);
    if (!reading || !limits || levelOf(name, device.measures[name], device.limits) !== level) return null;
    const isLess = 'under' in limits;
    const limit = isLess ? limits.under : limits.above;
    const { value } = reading;
    const passed = worseSteps(name, limits).filter((step) => (isLess ? value <= step : value >= step));
    return {
      message: `${title} at ${value} ${unit}, limit ${limit} ${unit}`,
      context: { ...contextOf(device), [member]: value, ...(limitMember === null ? {} : { [limitMember]: limit }) },
      marks: passed.map((step) => `at ${step} ${unit} or ${isLess ? 'less' : 'more'}`),
    };
  };
  return { fact: name, holds };
}

const dayMs = 24 * 60 * 60_000;
const expiringMs = ({ limits }: Device) => certificateDaysOf(limits) * dayMs;

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
      if (!expiry || msBetween(now, expiry.notAfter) >= expiringMs(device)) return null;
      const { daysLeft } = expiryContext(device, now);
      return {
        message: `Certificate ends in ${daysLeft} days, limit ${certificateDaysOf(device.limits)} days`,
        context: expiryContext(device, now),
      };
    },
    changesAt: (device) => {
      const { expiry } = device.certificate;
      return [expiry && plus(expiry.notAfter, 1 - expiringMs(device))];
    },
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

function attemptFinding({ expectedHost, attemptedHost, reason }: BrokerAttempt): Finding {
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

/** Every condition that opens an alert, in the order of the alert catalogue. Informational alerts have none: `informational.ts` opens them. */
export const conditions: readonly Condition[] = [
  ...connectivityConditions,
  ...securityConditions,
  ...configurationConditions,
  ...resourceConditions,
];
