import type { EventReport } from '../../../shared/schema/device/report.ts';
import type { GuardianAlert } from '../../../shared/schema/guardian/guardian-alert.ts';
import type { DriftSeverity } from '../../../shared/schema/vocabulary.ts';
import { type Difference, maxSeverity } from './compare.ts';
import type { FieldName, FieldValue } from './fields.ts';

/**
 * The guardian's own events. The service stores them in the activity log. `guardian_heal_failed`,
 * `configuration_restored` and `config_updated` can also open or end an alert.
 */
export type GuardianEventType =
  | 'guardian_golden_refused'
  | 'guardian_heal_failed'
  | 'guardian_blind'
  | 'configuration_restored'
  | 'config_updated';

/** What the guardian decided to report. `toMessage` makes an MQTT message of it. */
export type Notice =
  | { kind: 'drift'; differences: readonly Difference[]; action: 'HEALING' | 'ALERT_ONLY' }
  | { kind: 'healed'; fields: readonly FieldName[]; durationMs: number }
  | { kind: 'conflict'; driftCount: number; window: string; healAttempts: number; differences: readonly Difference[] }
  | { kind: 'event'; type: GuardianEventType; reason: string };

export type Device = { id: string; serial: string; model: string; ip: string };

/** One MQTT message. The payload is made only once, so that a message sent again after a crash has the same bytes. */
export type Message = { topic: string; payload: string };

/**
 * In characters. A longer value is truncated, because an alert must stay far below the 256 KiB that the service reads.
 */
const maxValueLength = 1024;

/**
 * Writes a notice in the shape of the contract.
 * @param timestamp instant of the notice, ISO 8601 UTC
 */
export function toMessage(notice: Notice, device: Device, timestamp: string): Message {
  const body = notice.kind === 'event' ? toEvent(notice, timestamp) : toAlert(notice, device, timestamp);
  return {
    topic: `devices/${device.id}/${notice.kind === 'event' ? 'event' : 'guardian'}`,
    payload: JSON.stringify(body),
  };
}

function toEvent({ type, reason }: Notice & { kind: 'event' }, timestamp: string): EventReport {
  return { type, timestamp, reason: printable(reason).slice(0, 512) };
}

function toAlert(notice: Exclude<Notice, { kind: 'event' }>, device: Device, timestamp: string): GuardianAlert {
  const common = { device: { serial: device.serial, model: device.model, ip: device.ip }, timestamp };
  switch (notice.kind) {
    case 'drift': {
      const { differences, action } = notice;
      const fields = differences.map(shownDifference);
      const drift = { fields, maxSeverity: maxSeverity(differences), count: fields.length };
      return { alertCode: 'CONFIG_DRIFT', severity: 'warning', ...common, drift, action };
    }
    case 'healed': {
      const heal = { fieldsRestored: [...notice.fields], count: notice.fields.length, durationMs: notice.durationMs };
      return { alertCode: 'CONFIG_HEALED', severity: 'info', ...common, heal };
    }
    case 'conflict': {
      const { driftCount, window, healAttempts, differences } = notice;
      const { name, expected, actual } = worstOf(differences);
      const conflict = { driftCount, window, healAttempts, lastDrift: { field: name, expected, actual } };
      return {
        alertCode: 'CONFIG_CONFLICT',
        severity: 'critical',
        ...common,
        conflict,
        recommendation: recommend(name, window),
      };
    }
  }
}

function shownDifference({ name, expected, actual, severity }: Difference): {
  name: string;
  expected: FieldValue;
  actual: FieldValue;
  severity: DriftSeverity;
} {
  return { name, expected: shown(expected), actual: shown(actual), severity };
}

function worstOf(differences: readonly Difference[]): ReturnType<typeof shownDifference> {
  const [worst] = differences;
  if (worst === undefined) throw new Error('A conflict needs a drift.');
  return shownDifference(worst);
}

/**
 * A value as an alert shows it: keys and certificates in PEM are hidden, and long values and lists are shortened. The
 * fields should not contain PEM, but if a camera returns it there, the guardian must not pass it on.
 */
function shown(value: FieldValue): FieldValue {
  if (typeof value === 'object') return value.slice(0, 50).map((item) => String(shown(item)));
  if (typeof value !== 'string') return value;
  if (value.includes('-----BEGIN')) return '(certificate or key, hidden)';
  return value.length > maxValueLength ? `${value.slice(0, maxValueLength)}… (${value.length} characters)` : value;
}

function recommend(field: FieldName | string, window: string): string {
  const rhythm = window === '5m' ? 'again and again within minutes' : 'again and again over the day';
  return (
    `Something changes ${field} ${rhythm}. Look for another management tool or script that writes this camera's MQTT client; ` +
    'change the camera password if nobody of yours does it. For planned work set the policy ALERT_ONLY with an end.'
  );
}

/** Makes one line of a text, because the service refuses control characters. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim() || 'unknown';
}
