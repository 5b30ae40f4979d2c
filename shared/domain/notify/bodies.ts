import type { ChatKind, Severity } from '../../schema/vocabulary.ts';
import { escaped } from './escape.ts';
import type { Letter } from './messages.ts';
import type { Contact } from './team.ts';

/** Longest SMS: one segment of the GSM alphabet. */
const maxSmsLength = 160;

/** Colours of the contract; ERROR, which it does not name, lies between its neighbours. */
const colours: Record<Severity, string> = {
  CRITICAL: '#DC2626',
  ERROR: '#E11D48',
  WARNING: '#EA580C',
  INFO: '#2563EB',
};
const noSeverity = '#334155';

/** The body that a contact's channel sends: the same bytes in every attempt. Every text in it has gone through the escape of its channel. */
export function bodyFor(contact: Contact, letter: Letter): string {
  switch (contact.channel) {
    case 'email': {
      const { title: subject } = writtenFor(letter, escaped.mail);
      return JSON.stringify({ subject, text: textOf(letter), html: htmlOf(letter) });
    }
    case 'chat':
      return JSON.stringify(chatBodies[contact.chatKind ?? 'slack'](letter));
    case 'sms':
      return smsOf(letter);
    default:
      return contact.channel satisfies never;
  }
}

/** The letter with each of its texts as a channel takes it. Addresses of links are our own. */
function writtenFor({ title, lines, links, severity }: Letter, safe: (text: string) => string): Letter {
  return {
    title: safe(title),
    lines: lines.map(safe),
    links: links.map(({ text, url }) => ({ text: safe(text), url })),
    severity,
  };
}

function textOf(letter: Letter): string {
  const { title, lines, links } = writtenFor(letter, escaped.mail);
  return [title, '', ...lines, '', ...links.map(({ text, url }) => `${text}: ${url}`)].join('\n');
}

function htmlOf(letter: Letter): string {
  const { title, lines, links, severity } = writtenFor(letter, escaped.html);
  const colour = severity ? colours[severity] : noSeverity;
  const paragraphs = lines.map((line) => `<p style="margin:4px 0">${line}</p>`).join('');
  const anchor = ({ text, url }: Letter['links'][number], style = '') =>
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

/** Each product's own form of an incoming webhook. */
const chatBodies: Record<ChatKind, (letter: Letter) => object> = {
  slack(letter) {
    const { title, lines, links, severity } = writtenFor(letter, escaped.slack);
    const text = [...lines, ...links.map(({ text: words, url }) => `<${url}|${words}>`)].join('\n');
    return { text: title, attachments: [{ color: severity ? colours[severity] : noSeverity, text }] };
  },
  'google-chat'(letter) {
    const { title, lines, links } = writtenFor(letter, escaped['google-chat']);
    return { text: [`*${title}*`, ...lines, ...links.map(({ text, url }) => `<${url}|${text}>`)].join('\n') };
  },
  teams(letter) {
    const { title, lines, links, severity } = writtenFor(letter, escaped.teams);
    // A text run is no Markdown, which a text block is (adaptivecards.io/explorer/TextRun.html).
    const block = (run: object) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] });
    const body = [
      block({ text: title, weight: 'Bolder', color: severity === 'INFO' ? 'Accent' : 'Attention' }),
      ...lines.map((text) => block({ text })),
    ];
    const actions = links.slice(0, 6).map(({ text, url }) => ({ type: 'Action.OpenUrl', title: text, url }));
    const $schema = 'http://adaptivecards.io/schemas/adaptive-card.json';
    const content = { type: 'AdaptiveCard', version: '1.4', $schema, body, actions };
    return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
  },
};

/** A line and the link stand whole or not at all. */
function smsOf(letter: Letter): string {
  const { title, lines, links } = writtenFor(letter, escaped.sms);
  const url = links[0]?.url ?? '';
  const room = maxSmsLength - (url === '' ? 0 : url.length + 1);
  const isRoomy = room >= 60;
  let text = title.slice(0, isRoomy ? room : maxSmsLength);
  for (const line of lines) {
    if (text.length + 2 + line.length > room) break;
    text = `${text}. ${line}`;
  }
  return isRoomy && url !== '' ? `${text} ${url}` : text;
}
