import { visible } from '../../schema/text.ts';

/*
 * What a device says stands in messages to people: it must not become a link, a mention or markup there. All of a message's text goes this way,
 * since a device has a part in all of it: its reasons and hosts, its id and name, its group.
 */

/** Full stops between labels, also those that browsers take for one. */
const dot = '[.\u3002\uff0e\uff61]';
const dotOfHost = new RegExp(`(?<=[\\p{L}\\p{N}_-])${dot}(?=[\\p{L}_][\\p{L}\\p{M}\\p{N}_-]|xn--)`, 'gu');
const ipv4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g;

/** A text in which no reader finds an address to click on: `hxxps://evil[.]example`, `somebody[at]evil[.]example`. */
export function defanged(text: string): string {
  return visible(text)
    .replaceAll(/\bh(tt)(ps?)(?=:)/gi, (_, _tt, rest: string) => `hxx${rest.toLowerCase()}`)
    .replaceAll(/(?<!\bhxxps?):\/\//gi, '[:]//')
    .replaceAll(/\b(mailto|tel|sms|javascript|data|file):/gi, '$1[:]')
    .replaceAll('@', '[at]')
    .replaceAll(ipv4, (address) => address.replaceAll('.', '[.]'))
    .replaceAll(dotOfHost, '[.]');
}

/** One for each form of text that leaves. */
export const escaped = {
  mail: defanged,
  html: (text: string) => entities(defanged(text)).replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  // api.slack.com/reference/surfaces/formatting: the three are escaped, mentions stand between angle brackets, and nothing escapes a style.
  slack: (text: string) => entities(withoutStyles(defanged(text))),
  // developers.google.com/chat/format-messages: links and mentions (`<users/all>`) stand between angle brackets, which nothing escapes.
  'google-chat': (text: string) => withoutStyles(defanged(text)).replaceAll('<', '‹').replaceAll('>', '›'),
  // Functions of the card's text: `{{DATE(…)}}`.
  teams: (text: string) => defanged(text).replaceAll('{{', '{ {').replaceAll('${', '$ {'),
  sms: defanged,
};

function entities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const alike: Record<string, string> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ʹ' };

/** Where a chat would take them for the beginning or end of a style; inside a word, as in an id, they are letters. */
function withoutStyles(text: string): string {
  return text.replaceAll(/(?<![\p{L}\p{N}])[*_~`]+|[*_~`]+(?![\p{L}\p{N}])/gu, (marks) =>
    [...marks].map((mark) => alike[mark] ?? mark).join(''),
  );
}
