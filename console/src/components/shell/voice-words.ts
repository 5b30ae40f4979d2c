import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { StreamEvent } from '../../client/stream.ts';
import { codeTitles, severities, severityNames } from '../../model.ts';

/** The signals that a person wants in this browser. */
export type VoiceSettings = { hasSound: boolean; hasNotifications: boolean; least: Alert['severity'] };

/** Changes after which a person must act. */
const calls = new Set([
  ...['open', 'return', 'worsen', 'escalate', 'reopen', 'announce'],
  // The response time begins: until then nobody had to act.
  ...['snooze-end', 'maintenance-end', 'leave'],
]);

/** The alert of an event that needs a person. Null: nothing new, a severity below the chosen one, or nobody must act. */
export function callOf({ event, data }: StreamEvent, least: Alert['severity']): Alert | null {
  if (event !== 'alert') return null;
  const { change, alert } = (data ?? {}) as { change?: string; alert?: Alert | null };
  if (!alert || alert.resolved || change === undefined || !calls.has(change)) return null;
  // An alert that is snoozed, in maintenance or a member of an incident needs nobody: it runs no clock of its own.
  if (alert.respondBy === null && alert.status !== 'escalated') return null;
  return severities.indexOf(alert.severity) <= severities.indexOf(least) ? alert : null;
}

/**
 * One sentence for all alerts that came together. It names the most severe alert and counts the others: `Critical: MQTT
 * connection lost, CONN_001, Gate 2, and 3 more alerts`.
 */
export function announcementOf(alerts: readonly Alert[]): string {
  const latest = [...new Map(alerts.map((alert) => [alert.alertId, alert])).values()];
  const rank = ({ severity }: Alert) => severities.indexOf(severity);
  const [first] = latest.toSorted((a, b) => rank(a) - rank(b));
  if (!first) return '';
  const { severity, code, deviceName, deviceId } = first;
  const others = latest.length - 1;
  const rest = others === 0 ? '' : `, and ${others.toLocaleString()} more ${others === 1 ? 'alert' : 'alerts'}`;
  return `${severityNames[severity]}: ${codeTitles[code]}, ${code}, ${deviceName ?? deviceId}${rest}`;
}

/** Tones of each severity, hertz. Higher severities have higher and more tones. */
export const tones: Record<Alert['severity'], readonly number[]> = {
  CRITICAL: [880, 660, 880, 660],
  ERROR: [660, 660],
  WARNING: [440],
  INFO: [330],
};

/** The stored settings, which may come from an older version of the console. */
export function voiceFrom(stored: string | null): VoiceSettings {
  try {
    const { hasSound, hasNotifications, least } = JSON.parse(stored ?? '{}') as Partial<VoiceSettings>;
    return {
      hasSound: hasSound === true,
      hasNotifications: hasNotifications === true,
      least: least && severities.includes(least) ? least : 'CRITICAL',
    };
  } catch {
    return { hasSound: false, hasNotifications: false, least: 'CRITICAL' };
  }
}
