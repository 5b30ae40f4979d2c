import type { Report } from '../../schema/device/report.ts';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { retention } from '../limits.ts';
import { type Instant, plus, toInstant } from '../time.ts';
import { guardianAlertIdOf } from './facts.ts';

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
  /** Whether it came in an envelope that the guardian signed. Absent in records that were written before there were envelopes. */
  isSigned?: boolean;
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
