import type { Report } from '../../schema/device/report.ts';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import { retention } from '../limits.ts';
import { type Instant, plus, toInstant } from '../time.ts';
import { guardianAlertIdOf } from './facts.ts';

/** A guardian alert as it is stored. Its JSON is kept as text: the store would refuse what nests deeper than 20 levels. */
export type GuardianAlertRecord = {
  guardianAlertId: string;
  deviceId: string;
  groupId: string;
  alertCode: GuardianAlert['alertCode'];
  /** Time of the guardian. */
  madeAt: Instant;
  receivedAt: Instant;
  text: string;
  /** Whether it came in an envelope that the guardian has signed; not there in records of before there were any. */
  isSigned?: boolean;
  /** When `operations` is to be told by mail; null: that is settled. */
  dueAt: Instant | null;
  /** Windows of digests that count it. */
  foldIds: string[];
  expireAt: Instant;
};

/**
 * The record of a guardian alert, in the form in which it was read: no reader after us finds another in it. One that is sent again comes to the same record.
 * @param graceMs how long the other half of a pair of drift and heal may take
 */
export function guardianRecord(groupId: string, report: Report<'guardian'>, graceMs: number): GuardianAlertRecord {
  const { deviceId, receivedAt, body } = report;
  return {
    guardianAlertId: guardianAlertIdOf(deviceId, body),
    deviceId,
    groupId,
    alertCode: body.alertCode,
    madeAt: toInstant(body.timestamp),
    receivedAt,
    text: JSON.stringify(body),
    isSigned: report.envelope !== undefined,
    dueAt: body.alertCode === 'CONFIG_CONFLICT' ? receivedAt : plus(receivedAt, graceMs),
    foldIds: [],
    expireAt: plus(receivedAt, retention.activity),
  };
}
