import type { Alert } from '../../../../shared/schema/alert/alert.ts';
import type { StreamEvent } from '../../client/stream.ts';
import { codeTitles, severities, severityNames } from '../../model.ts';

/** What a person wants to hear in this browser. */
export type VoiceSettings = { hasSound: boolean; hasNotifications: boolean; least: Alert['severity'] };

/** Changes after which somebody is needed anew. */
const calls = new Set(['open', 'return', 'worsen', 'escalate', 'reopen', 'snooze-end', 'announce']);

/** The alert that an event calls somebody for. Null: nothing new, nothing grave enough, or nobody is to be called. */
export function callOf({ event, data }: StreamEvent, least: Alert['severity']): Alert | null {
  if (event !== 'alert') return null;
  const { change, alert } = (data ?? {}) as { change?: string; alert?: Alert | null };
  if (!alert || alert.resolved || change === undefined || !calls.has(change)) return null;
  // What is snoozed, in maintenance or a member of an incident calls nobody: no clock of its own runs.
  if (alert.respondBy === null && alert.status !== 'escalated') return null;
  return severities.indexOf(alert.severity) <= severities.indexOf(least) ? alert : null;
}

/** `Critical: MQTT connection lost, Gate 2`, and how many others: one sentence for all that came together, the gravest by name. */
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

/** Tones of each severity, hertz: the graver, the higher and the more of them. */
export const tones: Record<Alert['severity'], readonly number[]> = {
  CRITICAL: [880, 660, 880, 660],
  ERROR: [660, 660],
  WARNING: [440],
  INFO: [330],
};

/** The settings as they were stored, which an older console may have written. */
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
