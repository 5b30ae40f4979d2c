import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import type { ChatKind, Severity } from '../../schema/vocabulary.ts';
import type { AlertRecord } from '../alert/alert.ts';
import { catalogue } from '../alert/catalogue.ts';
import type { GuardianAlertRecord } from '../guardian/record.ts';
import { spellTime } from '../settings/local-time.ts';
import type { FoldedCode } from './fold.ts';
import type { Occasion } from './notifications.ts';
import type { Contact } from './team.ts';

/** What a message says, before a channel gives it its form. */
export type Letter = {
  title: string;
  lines: string[];
  links: { text: string; url: string }[];
  severity: Severity | null;
};

/** Longest SMS: one segment of the GSM alphabet. */
const maxSmsLength = 160;

/** Colours of the contract; ERROR, which it does not name, lies between its neighbours. */
const colours: Record<Severity, string> = {
  CRITICAL: '#DC2626',
  ERROR: '#E11D48',
  WARNING: '#EA580C',
  INFO: '#2563EB',
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

/** The body that a contact's channel sends: the same bytes in every attempt. */
export function bodyFor(contact: Contact, letter: Letter): string {
  switch (contact.channel) {
    case 'email':
      return JSON.stringify({ subject: letter.title, text: textOf(letter), html: htmlOf(letter) });
    case 'chat':
      return JSON.stringify(chatBodies[contact.chatKind ?? 'slack'](letter));
    case 'sms':
      return smsOf(letter);
    default:
      return contact.channel satisfies never;
  }
}

function textOf({ title, lines, links }: Letter): string {
  return [title, '', ...lines, '', ...links.map(({ text, url }) => `${text}: ${url}`)].join('\n');
}

function htmlOf({ title, lines, links, severity }: Letter): string {
  const colour = severity ? colours[severity] : '#334155';
  const paragraphs = lines.map((line) => `<p style="margin:4px 0">${escapeHtml(line)}</p>`).join('');
  const [first, ...rest] = links;
  const button = first
    ? `<p><a href="${escapeHtml(first.url)}" style="background:${colour};color:#fff;padding:8px 16px;text-decoration:none">${escapeHtml(first.text)}</a></p>`
    : '';
  const others = rest.map(({ text, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(text)}</a></li>`).join('');
  return (
    `<!doctype html><html lang="en"><body style="font-family:sans-serif"><h1 style="font-size:18px;color:${colour}">` +
    `${escapeHtml(title)}</h1>${paragraphs}${button}${others ? `<ul>${others}</ul>` : ''}</body></html>`
  );
}

/** Each product's own form of an incoming webhook. */
const chatBodies: Record<ChatKind, (letter: Letter) => object> = {
  slack: ({ title, lines, links, severity }) => ({
    text: slackText(title),
    attachments: [
      {
        color: severity ? colours[severity] : '#334155',
        text: [...lines.map(slackText), ...links.map(({ text, url }) => `<${url}|${slackText(text)}>`)].join('\n'),
      },
    ],
  }),
  'google-chat': ({ title, lines, links }) => ({
    text: [
      `*${slackText(title)}*`,
      ...lines.map(slackText),
      ...links.map(({ text, url }) => `<${url}|${slackText(text)}>`),
    ].join('\n'),
  }),
  teams: ({ title, lines, links, severity }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          version: '1.4',
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          body: [
            {
              type: 'TextBlock',
              weight: 'Bolder',
              wrap: true,
              text: title,
              color: severity === 'INFO' ? 'Accent' : 'Attention',
            },
            ...lines.map((text) => ({ type: 'TextBlock', wrap: true, text })),
          ],
          actions: links.slice(0, 6).map(({ text, url }) => ({ type: 'Action.OpenUrl', title: text, url })),
        },
      },
    ],
  }),
};

/** Slack and Google Chat take these three for markup. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Letters outside the GSM alphabet would cut a segment to 70 characters, so they give way; a line and the link stand whole or not at all. */
function smsOf({ title, lines, links }: Letter): string {
  const url = links[0]?.url ?? '';
  const room = maxSmsLength - (url === '' ? 0 : url.length + 1);
  const isRoomy = room >= 60;
  const [head, ...rest] = [title, ...lines].map(plain) as [string, ...string[]];
  let text = head.slice(0, isRoomy ? room : maxSmsLength);
  for (const line of rest) {
    if (text.length + 2 + line.length > room) break;
    text = `${text}. ${line}`;
  }
  return isRoomy && url !== '' ? `${text} ${url}` : text;
}

function plain(text: string): string {
  const brackets: Record<string, string> = {
    '[': '(',
    ']': ')',
    '{': '(',
    '}': ')',
    '|': '/',
    '^': ' ',
    '~': '-',
    '\\': '/',
    '`': "'",
  };
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[[\]{}|^~\\`]/g, (char) => brackets[char] ?? ' ')
    .replaceAll(/[^\x20-\x7e]/g, '?');
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
