import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import type { Severity } from '../../schema/vocabulary.ts';
import type { AlertRecord } from '../alert/alert.ts';
import { catalogue } from '../alert/catalogue.ts';
import type { GuardianAlertRecord } from '../guardian/record.ts';
import { spellTime } from '../settings/local-time.ts';
import type { FoldedCode } from './fold.ts';
import type { Occasion } from './notifications.ts';

/** What a message says, before a channel gives it its form and makes its texts safe: devices have a part in all of them but the addresses of links. */
export type Letter = {
  title: string;
  lines: string[];
  links: { text: string; url: string }[];
  severity: Severity | null;
};

export const openings: Record<Occasion, string> = {
  opened: '',
  reopened: 'Again: ',
  worsened: 'Worse: ',
  flapping: 'Comes and goes: ',
  escalated: 'Escalated: ',
  reminder: 'Still open: ',
  'snooze-ended': 'Snooze ended: ',
  'maintenance-ended': 'Open after maintenance: ',
  ended: 'Over: ',
  joined: 'Part of a wider one: ',
};

/** The message about one alert. */
export function alertLetter(
  alert: AlertRecord,
  occasion: Occasion,
  { consoleUrl, timeZone }: { consoleUrl: string; timeZone: string },
): Letter {
  const { title } = catalogue[alert.code];
  const priority = alert.priority ? ` ${alert.priority}` : '';
  return {
    title: `[${alert.severity}${priority}] ${openings[occasion]}${title} on ${alert.deviceId}`,
    lines: [
      alert.message,
      `Camera ${alert.deviceId} of group ${alert.groupId}, code ${alert.code}`,
      `Since ${spellTime(alert.timestamp, timeZone)}`,
      ...(alert.respondBy ? [`To be acknowledged by ${spellTime(alert.respondBy, timeZone)}`] : []),
    ],
    links: [{ text: 'Open the alert', url: alertUrl(consoleUrl, alert.alertId) }],
    severity: alert.severity,
  };
}

/** The one message for all that came after the first in a window. */
export function digestLetter(
  { code, groupId }: { code: FoldedCode; groupId: string },
  count: number,
  samples: readonly Pick<AlertRecord, 'alertId' | 'deviceId'>[],
  consoleUrl: string,
): Letter {
  const { title, severity } = isGuardianCode(code) ? guardianTitles[code] : catalogue[code];
  const where = isGuardianCode(code) ? `guardian?alertCode=${code}` : `alerts?code=${code}`;
  const more = count === 1 ? '1 more camera' : `${count} more cameras`;
  return {
    title: `[${severity}] ${more} of group ${groupId}: ${title}`,
    lines: [`After the first message about ${code} (${title}) there ${count === 1 ? 'was' : 'were'} ${more}.`],
    links: [
      { text: 'Open all of them', url: `${consoleUrl}/${where}&groupId=${encodeURIComponent(groupId)}` },
      ...samples.map(({ alertId, deviceId }) => ({ text: deviceId, url: alertUrl(consoleUrl, alertId) })),
    ],
    severity,
  };
}

type GuardianCode = GuardianAlert['alertCode'];

/** The guardian's alerts in a few words, as grave as the contract names them. */
const guardianTitles: Record<GuardianCode, { title: string; severity: Severity }> = {
  CONFIG_DRIFT: { title: 'Configuration drift', severity: 'WARNING' },
  CONFIG_HEALED: { title: 'Configuration healed', severity: 'INFO' },
  CONFIG_CONFLICT: { title: 'Configuration conflict', severity: 'CRITICAL' },
};

export function isGuardianCode(code: FoldedCode): code is GuardianCode {
  return Object.hasOwn(guardianTitles, code);
}

/** The mail about one alert of a guardian. */
export function guardianLetter(
  { alertCode, deviceId, groupId, madeAt }: GuardianAlertRecord,
  { fields, remark }: { fields: readonly string[]; remark: string | null },
  { consoleUrl, timeZone }: { consoleUrl: string; timeZone: string },
): Letter {
  const { title, severity } = guardianTitles[alertCode];
  return {
    title: `[${severity}] Guardian: ${title}${remark ? ` (${remark})` : ''} on ${deviceId}`,
    lines: [
      `Camera ${deviceId} of group ${groupId}, ${alertCode} at ${spellTime(madeAt, timeZone)}`,
      ...(fields.length > 0 ? [`Fields: ${fields.slice(0, 20).join(', ')}`] : []),
    ],
    links: [{ text: 'Open the camera', url: `${consoleUrl}/devices/${encodeURIComponent(deviceId)}` }],
    severity,
  };
}

/** A message about the platform itself. */
export function noticeLetter(text: string, consoleUrl: string): Letter {
  return {
    title: 'Watchpost: a notice to operations',
    lines: [text],
    links: [{ text: 'Open the console', url: consoleUrl }],
    severity: null,
  };
}

/** Where the console shows an alert. */
function alertUrl(consoleUrl: string, alertId: string): string {
  return `${consoleUrl}/alerts/${alertId}`;
}
