import type { ChatKind, Severity } from '../../schema/vocabulary.ts';
import type { MessageForm } from '../delivery/delivery.ts';
import type { MessageContent } from './content.ts';
import { escaped, shortSeverities } from './phrases.ts';

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
  let text = prefix + cut(head, limit - lengthOf(prefix) - lengthOf(ending) - 1, lengthOf);
  for (const sentence of rest) {
    const longer = `${text.replace(/\.$/, '')}. ${sentence.replace(/\.$/, '')}`;
    if (lengthOf(longer) + lengthOf(ending) + 1 <= limit) text = longer;
  }
  return `${text.replace(/\.$/, '')}.${ending}`;
}

/** As much of a text as fits: whole clauses, or of the first one whole words. Only a word that is longer is cut. */
function cut(text: string, limit: number, lengthOf: (text: string) => number): string {
  const clauses = shortened(text, /[,:] (?!.*[,:] ).*$/u, limit, lengthOf);
  const words = shortened(clauses, / [^ ]*$/u, limit, lengthOf);
  return shortened(words, /.$/u, limit, lengthOf);
}

function shortened(text: string, end: RegExp, limit: number, lengthOf: (text: string) => number): string {
  let kept = text;
  while (lengthOf(kept) > limit && end.test(kept)) kept = kept.replace(end, '');
  return kept;
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

/** The contract's colours. It has none for ERROR; ours differs from the neighbouring severities. */
const colours: Record<Severity, string> = {
  CRITICAL: '#DC2626',
  ERROR: '#C026D3',
  WARNING: '#EA580C',
  INFO: '#2563EB',
};
const noSeverity = '#334155';

/** The body of a message for its channel. All texts are escaped for that channel. */
export function bodyFor(form: MessageForm, content: MessageContent): string {
  switch (form) {
    case 'email': {
      const { title: subject } = writtenFor(content, escaped.mail);
      return JSON.stringify({ subject, text: textOf(content), html: htmlOf(content) });
    }
    case 'sms':
      return smsOf(content, escaped.sms);
    default:
      return JSON.stringify(chatBodies[form](content));
  }
}

/** The content with escaped texts and the severity before the title. Links are not escaped, because we create their addresses. */
function writtenFor(content: MessageContent, safe: (text: string) => string): MessageContent {
  const { title, lines, links, severity, priority } = content;
  return {
    ...content,
    title: severity ? `[${severity}${priority ? ` ${priority}` : ''}] ${safe(title)}` : safe(title),
    lines: lines.map(safe),
    links: links.map(({ text, url }) => ({ text: safe(text), url })),
  };
}

function textOf(content: MessageContent): string {
  const { title, lines, links } = writtenFor(content, escaped.mail);
  return [title, '', ...lines, '', ...links.map(({ text, url }) => `${text}: ${url}`)].join('\n');
}

function htmlOf(content: MessageContent): string {
  const { title, lines, links, severity } = writtenFor(content, escaped.html);
  const colour = severity ? colours[severity] : noSeverity;
  const paragraphs = lines.map((line) => `<p style="margin:4px 0">${line}</p>`).join('');
  const anchor = ({ text, url }: MessageContent['links'][number], style = '') =>
    `<a href="${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"${style}>${text}</a>`;
  const [first, ...rest] = links;
  const style = ` style="background:${colour};color:#fff;padding:8px 16px;text-decoration:none"`;
  const button = first ? `<p>${anchor(first, style)}</p>` : '';
  const others = rest.map((link) => `<li>${anchor(link)}</li>`).join('');
  return (
    `<!doctype html><html lang="en"><body style="font-family:sans-serif"><h1 style="font-size:18px;color:${colour}">` +
    `${title}</h1>${paragraphs}${button}${others ? `<ul>${others}</ul>` : ''}</body></html>`
  );
}

/** The format of each product's incoming webhooks. */
const chatBodies: Record<ChatKind, (content: MessageContent) => object> = {
  slack(content) {
    const { title, lines, links, severity } = writtenFor(content, escaped.slack);
    const text = [...lines, ...links.map(({ text: words, url }) => `<${url}|${words}>`)].join('\n');
    return { text: title, attachments: [{ color: severity ? colours[severity] : noSeverity, text }] };
  },
  'google-chat'(content) {
    const { title, lines, links } = writtenFor(content, escaped['google-chat']);
    return { text: [`*${title}*`, ...lines, ...links.map(({ text, url }) => `<${url}|${text}>`)].join('\n') };
  },
  teams(content) {
    const { title, lines, links, severity } = writtenFor(content, escaped.teams);
    // A text run does not interpret Markdown; a text block does (adaptivecards.io/explorer/TextRun.html).
    const block = (run: object) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] });
    const body = [
      block({ text: title, weight: 'Bolder', color: severity === 'INFO' ? 'Accent' : 'Attention' }),
      ...lines.map((text) => block({ text })),
    ];
    const actions = links.slice(0, 6).map(({ text, url }) => ({ type: 'Action.OpenUrl', title: text, url }));
    const $schema = 'http://adaptivecards.io/schemas/adaptive-card.json';
    const card = { type: 'AdaptiveCard', version: '1.4', $schema, body, actions };
    return {
      type: 'message',
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: card }],
    };
  },
};
