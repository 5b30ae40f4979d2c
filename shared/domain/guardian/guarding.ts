import type { Report } from '../../schema/device/report.ts';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { retention, thresholds, type Waits } from '../limits.ts';
import { earliest, type Instant, latest, plus, toInstant } from '../time.ts';
import { guardianAlertIdOf } from './facts.ts';
import type { GuardianTrust } from './trust.ts';

/** A stored guardian alert. Its JSON is kept as text, because the store refuses values that nest deeper than 20 levels. */
export type GuardianAlertRecord = {
  guardianAlertId: string;
  deviceId: string;
  /** The device's name at that time. Null: it had none. Absent in older records. */
  deviceName?: string | null;
  groupId: string;
  alertCode: GuardianAlert['alertCode'];
  /** Time of the guardian's clock. */
  madeAt: Instant;
  receivedAt: Instant;
  text: string;
  /** Whether it came in an envelope that the guardian signed. */
  isSigned: boolean;
  /** When the team `operations` must be notified by email. Null: that is done or not needed. */
  dueAt: Instant | null;
  /** Ids of the digest windows that count it. */
  digestIds: string[];
  expireAt: Instant;
};

/**
 * The record of a guardian alert, with the text exactly as it was read, so that every later reader sees the same content. An alert that is
 * sent again gives the same record.
 * @param graceMs how long the second half of a drift and heal pair may take
 */
export function guardianRecord(
  { groupId, deviceName }: Required<Pick<GuardianAlertRecord, 'groupId' | 'deviceName'>>,
  report: Report<'guardian'>,
  graceMs: number,
): GuardianAlertRecord {
  const { deviceId, receivedAt, body } = report;
  return {
    guardianAlertId: guardianAlertIdOf(deviceId, body),
    deviceId,
    deviceName,
    groupId,
    alertCode: body.alertCode,
    madeAt: toInstant(body.timestamp),
    receivedAt,
    text: JSON.stringify(body),
    isSigned: report.envelope !== undefined,
    dueAt: body.alertCode === 'CONFIG_CONFLICT' ? receivedAt : plus(receivedAt, graceMs),
    digestIds: [],
    expireAt: plus(receivedAt, retention.activity),
  };
}

/** A camera and the state of its guardian. `silenceSeconds`: after this time the camera itself is silent; null: never. */
type GuardedDevice = {
  guardianTrust?: GuardianTrust | null;
  isOnline: boolean;
  patience: { silenceSeconds: number | null };
};

/** Restarts the count of missing health messages: the camera moved to another group, or is online again. */
export function countedFrom(trust: GuardianTrust | null | undefined, at: Instant): GuardianTrust | null {
  return trust ? { ...trust, countedFrom: at } : null;
}

/**
 * Since when the guardian has no effect, or from when on unless a health message arrives: it cannot read its camera, refuses its golden
 * configuration, or is silent. Null if it is not enrolled or never sent a health message, and while its camera is lost: that explains the silence.
 */
export function unguardedAtOf({ guardianTrust, isOnline, patience }: GuardedDevice, waits: Waits): Instant | null {
  const health = guardianTrust?.health ?? null;
  if (!guardianTrust || guardianTrust.publicKey === null || health === null || !isOnline) return null;
  const since = guardianTrust.countedFrom;
  const heardAt = latest(health.at, since) ?? health.at;
  const unguardedAt = earliest([health.idleSince, plus(heardAt, silenceMs(health, patience, waits))]);
  return latest(unguardedAt, since);
}

/** Whether it sent no health message in time up to the horizon, whatever the reason. */
export function isGuardianSilent(
  { guardianTrust, patience }: Omit<GuardedDevice, 'isOnline'>,
  horizon: Instant | null,
  waits: Waits,
): boolean {
  const health = guardianTrust?.health ?? null;
  return health !== null && horizon !== null && plus(health.at, silenceMs(health, patience, waits)) <= horizon;
}

/**
 * How long a guardian may send no health message, milliseconds: some of the intervals that it reported, and at least the time after which the camera
 * itself is silent, because one network failure can cut off both.
 */
function silenceMs(
  { healthIntervalSeconds }: NonNullable<GuardianTrust['health']>,
  { silenceSeconds }: GuardedDevice['patience'],
  waits: Waits,
): number {
  const own = thresholds.healthsMissed * healthIntervalSeconds * 1000;
  const cameras = silenceSeconds === null ? 0 : silenceSeconds * waits.settingsSecond + waits.lastSeenCoarse;
  return Math.max(own, cameras) + waits.guardianSlack;
}
