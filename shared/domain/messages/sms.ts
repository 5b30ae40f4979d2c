import type { MessageContent } from './content.ts';
import { shortSeverities } from './phrases.ts';

/** The length of a text message: one segment in the GSM alphabet, or in UCS-2 if a name needs other characters. */
const room = { gsm: 160, ucs2: 70 } as const;

/** Characters of GSM 03.38, and those that need two places. */
const gsm = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
const twice = new Set('^{}\\[~]|€');

/** The length of a text in the GSM alphabet. Null: it contains other characters. */
export function gsmLength(text: string): number | null {
  let length = 0;
  for (const char of text) {
    if (!gsm.has(char) && !twice.has(char)) return null;
    length += twice.has(char) ? 2 : 1;
  }
  return length;
}

/** The content as a text message: severity, most important part and complete link, then further sentences if they fit. */
export function smsOf({ severity, short, links }: MessageContent, safe: (text: string) => string): string {
  const link = (links[0]?.url ?? '').replace(/^https?:\/\//, '');
  const [head = '', ...rest] = short.map((text) => inGsmAlphabet(safe(text)));
  const prefix = severity ? `${shortSeverities[severity]} ` : '';
  const isGsm = gsmLength(prefix + head + link) !== null;
  const limit = isGsm ? room.gsm : room.ucs2;
  const lengthOf = (text: string) => (isGsm ? (gsmLength(text) ?? Number.POSITIVE_INFINITY) : text.length);
  // A link that leaves no space for words is useless, so it is dropped.
  const ending = link !== '' && lengthOf(link) <= limit - 40 ? ` ${link}` : '';
  let text = cut(`${prefix}${head}`, limit - lengthOf(ending) - 1, lengthOf);
  for (const sentence of rest) {
    const longer = `${text.replace(/\.$/, '')}. ${sentence.replace(/\.$/, '')}`;
    if (lengthOf(longer) + lengthOf(ending) + 1 <= limit) text = longer;
  }
  return `${text.replace(/\.$/, '')}.${ending}`;
}

function cut(text: string, limit: number, lengthOf: (text: string) => number): string {
  if (lengthOf(text) <= limit) return text;
  let kept = [...text];
  while (lengthOf(`${kept.join('')}...`) > limit) kept = kept.slice(0, -1);
  return `${kept.join('')}...`;
}

/** Replaces accented letters that the alphabet lacks by plain ones. Non-Latin letters stay. */
function inGsmAlphabet(text: string): string {
  return [...text.replaceAll(/\s+/g, ' ')]
    .map((char) => {
      if (gsm.has(char) || twice.has(char)) return char;
      const plain = char.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '');
      return gsmLength(plain) === null ? (typographic[char] ?? char) : plain;
    })
    .join('');
}

const typographic: Record<string, string> = { '–': '-', '—': '-', '’': "'", '‘': "'", '“': '"', '”': '"', '`': "'" };
