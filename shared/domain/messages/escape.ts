import { visible } from '../../schema/text.ts';

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
