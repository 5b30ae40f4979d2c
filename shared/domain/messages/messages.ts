import type { ChatKind, Severity } from '../../schema/vocabulary.ts';
import type { MessageForm } from '../delivery/delivery.ts';
import type { Letter } from './letters.ts';
import { smsOf } from './sms.ts';

/** Colours of the contract; ERROR, which it does not name, stands apart from its neighbours. */
const colours: Record<Severity, string> = {
  CRITICAL: '#DC2626',
  ERROR: '#C026D3',
  WARNING: '#EA580C',
  INFO: '#2563EB',
};

/** What a message is as a channel takes it. */
export function bodyFor(form: MessageForm, letter: Letter): string {
  switch (form) {
    case 'email':
      return JSON.stringify({ subject: subjectOf(letter), text: textOf(letter), html: htmlOf(letter) });
    case 'sms':
      return smsOf(letter);
    default:
      return JSON.stringify(chatBodies[form]({ ...letter, title: subjectOf(letter) }));
  }
}

function subjectOf({ severity, priority, title }: Letter): string {
  return severity ? `[${severity}${priority ? ` ${priority}` : ''}] ${title}` : title;
}

function textOf(letter: Letter): string {
  const { lines, links } = letter;
  return [subjectOf(letter), '', ...lines, '', ...links.map(({ text, url }) => `${text}: ${url}`)].join('\n');
}

function htmlOf(letter: Letter): string {
  const { lines, links, severity } = letter;
  const colour = severity ? colours[severity] : '#334155';
  const paragraphs = lines.map((line) => `<p style="margin:4px 0">${escapeHtml(line)}</p>`).join('');
  const [first, ...rest] = links;
  const button = first
    ? `<p><a href="${escapeHtml(first.url)}" style="background:${colour};color:#fff;padding:8px 16px;text-decoration:none">${escapeHtml(first.text)}</a></p>`
    : '';
  const others = rest.map(({ text, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(text)}</a></li>`).join('');
  return (
    `<!doctype html><html lang="en"><body style="font-family:sans-serif"><h1 style="font-size:18px;color:${colour}">` +
    `${escapeHtml(subjectOf(letter))}</h1>${paragraphs}${button}${others ? `<ul>${others}</ul>` : ''}</body></html>`
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

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
