import { visible } from '../../schema/text.ts';
import type { AlertCode, Severity } from '../../schema/vocabulary.ts';
import { titleOf } from '../alert/catalogue.ts';

/* Devices provide part of each message: reasons, hosts, ids, names, groups. Their text must not become a link, a mention or markup, so all text of a
   message is escaped here. */

/** Dots between labels of a host name, including characters that browsers treat as one. */
const dot = '[.\u3002\uff0e\uff61]';
const dotOfHost = new RegExp(`(?<=[\\p{L}\\p{N}_-])${dot}(?=[\\p{L}_][\\p{L}\\p{M}\\p{N}_-]|xn--)`, 'gu');
const ipv4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g;

/** Rewrites addresses so that no reader makes them clickable: `hxxps://evil[.]example`, `somebody[at]evil[.]example`. */
export function defanged(text: string): string {
  return visible(text)
    .replaceAll(/\bh(tt)(ps?)(?=:)/gi, (_, _tt, rest: string) => `hxx${rest.toLowerCase()}`)
    .replaceAll(/(?<!\bhxxps?):\/\//gi, '[:]//')
    .replaceAll(/\b(mailto|tel|sms|javascript|data|file):/gi, '$1[:]')
    .replaceAll('@', '[at]')
    .replaceAll(ipv4, (address) => address.replaceAll('.', '[.]'))
    .replaceAll(dotOfHost, '[.]');
}

/** The escape function of each outgoing format. */
export const escaped = {
  mail: defanged,
  html: (text: string) => entities(defanged(text)).replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  // Three characters are escaped; mentions use angle brackets; style characters cannot be escaped (api.slack.com/reference/surfaces/formatting).
  slack: (text: string) => entities(withoutStyles(defanged(text))),
  // Links and mentions (`<users/all>`) use angle brackets, which cannot be escaped (developers.google.com/chat/format-messages).
  'google-chat': (text: string) => withoutStyles(defanged(text)).replaceAll('<', '‹').replaceAll('>', '›'),
  // Template functions of a card: `{{DATE(…)}}`.
  teams: (text: string) => defanged(text).replaceAll('{{', '{ {').replaceAll('${', '$ {'),
  sms: defanged,
  // Each of these products displays it differently.
  handoff: defanged,
};

function entities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const alike: Record<string, string> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ʹ' };

/** Removes style characters where a chat would apply them. Inside a word, as in an id, they are ordinary characters. */
function withoutStyles(text: string): string {
  return text.replaceAll(/(?<![\p{L}\p{N}])[*_~`]+|[*_~`]+(?![\p{L}\p{N}])/gu, (marks) =>
    [...marks].map((mark) => alike[mark] ?? mark).join(''),
  );
}

/** Short names of problems to follow a camera's name, for codes with a longer title. */
const troubles: Partial<Record<AlertCode, string>> = {
  CONN_001: 'offline',
  CONN_002: 'connection unstable',
  CONN_003: 'network slow',
  CONN_004: 'online again',
  SEC_001: 'certificate not valid',
  SEC_002: 'foreign broker attempt',
  SEC_003: 'certificate expiring',
  SEC_004: 'failed sign-ins',
  CFG_001: 'configuration changed',
  CFG_002: 'configuration healed',
  CFG_003: 'configuration conflict',
  CFG_004: 'configuration updated',
  RES_001: 'memory critical',
  RES_002: 'memory high',
  RES_003: 'storage low',
  RES_004: 'resources normal',
};

export function troubleOf(code: AlertCode): string {
  return troubles[code] ?? titleOf(code).toLowerCase();
}

/** Short severity names for text messages. */
export const shortSeverities: Record<Severity, string> = {
  CRITICAL: 'CRIT',
  ERROR: 'ERR',
  WARNING: 'WARN',
  INFO: 'INFO',
};

/** A number with its noun: `1 camera`, `39 cameras`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
