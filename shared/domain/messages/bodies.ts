import type { ChatKind, Severity } from '../../schema/vocabulary.ts';
import type { MessageForm } from '../delivery/delivery.ts';
import type { MessageContent } from './content.ts';
import { escaped } from './escape.ts';
import { smsOf } from './sms.ts';

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
