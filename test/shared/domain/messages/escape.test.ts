import { describe, expect, test } from 'vitest';
import { seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { bodyFor } from '../../../../shared/domain/messages/bodies.ts';
import { defanged } from '../../../../shared/domain/messages/escape.ts';
import { alertLetter, type Letter } from '../../../../shared/domain/messages/letters.ts';
import { formOf } from '../../../../shared/domain/notify/address.ts';
import { contactsOf, emptyTeam } from '../../../../shared/domain/notify/team.ts';
import { startOfTests } from '../../../support/world/world.ts';

test.each([
  ['see https://evil.example/a', 'see hxxps://evil[.]example/a'],
  ['HTTP://EVIL.EXAMPLE', 'hxxp://EVIL[.]EXAMPLE'],
  ['www.evil.example', 'www[.]evil[.]example'],
  ['evil.co', 'evil[.]co'],
  ['evil。example evil．example', 'evil[.]example evil[.]example'],
  ['bücher.example', 'bücher[.]example'],
  ['a.xn--p1ai', 'a[.]xn--p1ai'],
  ['203.0.113.7:8883', '203[.]0[.]113[.]7:8883'],
  ['ftp://evil.example', 'ftp[:]//evil[.]example'],
  ['mailto:a@evil.example', 'mailto[:]a[at]evil[.]example'],
  ['javascript:alert(1)', 'javascript[:]alert(1)'],
  ['@here @channel', '[at]here [at]channel'],
  ['cam\u202e1', 'camU+202E1'],
  ['Memory at 93.5 %, limit 90 %', 'Memory at 93.5 %, limit 90 %'],
  ['It has expired. Look.', 'It has expired. Look.'],
  ['firmware 10.12.236', 'firmware 10.12.236'],
])('%j is shown as %j, in the same form however often', (text, shown) => {
  expect(defanged(text)).toBe(shown);
  expect(defanged(shown)).toBe(shown);
});

/** What a camera may give as a reason or a host. */
const lies = [
  'https://evil.example/login',
  'HtTpS://evil.example',
  'evil.example',
  '[Open the alert](https://evil.example)',
  '[here](evil.example)',
  '<https://evil.example|Open the alert>',
  '<!channel> <!here> <!everyone> <!subteam^S1>',
  '<@U0123456> <#C1>',
  '<users/all>',
  '<at>Everybody</at>',
  '@here @channel @all a@evil.example',
  '</p></a><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '&lt;script&gt; &#60;b&#62;',
  '*bold* _it_ ~gone~ `code` ```block```',
  '{{DATE(2026-11-20T10:00:00Z,SHORT)}}',
  '$' + '{secret}',
  'a\u202egpj.exe\u200b',
  'line one\nline two',
];

const address = { sealedUrl: 'sealed', shownUrl: 'https://x/…' };
const team = {
  ...emptyTeam('operations'),
  emails: ['a@example.com'],
  chats: (['slack', 'google-chat', 'teams'] as const).map((kind) => ({ chatId: kind, kind, ...address })),
  phones: ['+46701234567'],
};
const consoleUrl = 'https://console.example.com';
const urls = [`${consoleUrl}/alerts/a-1`, `${consoleUrl}/b?c=1&d=2`];

/** The message about an alert of which the device has written every text. */
function lettered(lie: string): Letter {
  const facts = {
    alertId: 'a-1',
    deviceId: 'cam-1',
    groupId: 'north',
    code: 'SEC_002',
    message: lie,
    context: {},
  } as const;
  const letter = alertLetter(seedAlert(facts, startOfTests), 'opened', {
    now: startOfTests,
    link: consoleUrl,
    timeZone: 'UTC',
  });
  const [first] = letter.links;
  const links = [
    { text: `${first?.text} ${lie}`, url: urls[0] ?? '' },
    { text: lie, url: urls[1] ?? '' },
  ];
  return { ...letter, title: `${letter.title} ${lie}`, links, short: [`${letter.title} ${lie}`, ...letter.short] };
}

/** Nobody makes a link or a mention of it, whatever product reads it. */
function isInert(text: string): void {
  expect(text).not.toMatch(/(?<!hxxps?):\/\/|\w\.example|www\.|@|[\u200b\u202e]/i);
}
const styles = /(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/u;

/** The links of a chat that writes them as `<address|words>`, and the text without them. */
function readLinks(text: string): { found: string[]; rest: string } {
  const found: string[] = [];
  const rest = text.replaceAll(/<(https:[^|>]*)\|([^>]*)>/g, (_, url: string, words: string) => {
    found.push(url);
    return words;
  });
  return { found, rest };
}

const readers: Record<string, (body: string) => void> = {
  email(body) {
    const { subject, text, html } = JSON.parse(body);
    isInert(subject);
    isInert(urls.reduce((rest, url) => rest.replace(`: ${url}`, ''), text));
    const tags = [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    const allowed =
      /^<(!doctype html|html lang="en"|\/?(body|h1|p|ul|li|a|html)( style="[^"<>]*")?|a href="https:\/\/console\.example\.com\/[^"<>]*"( style="[^"<>]*")?)>$/;
    expect(tags.filter((tag) => !allowed.test(tag))).toEqual([]);
    expect(tags.flatMap((tag) => /href="([^"]*)"/.exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? [])).toEqual(urls);
    const shown = html.replaceAll(/<[^>]*>/g, '');
    expect(shown).not.toMatch(/[<>"']/);
    isInert(shown);
  },
  slack(body) {
    const { text, attachments } = JSON.parse(body);
    const { found, rest } = readLinks(attachments[0].text);
    expect(found).toEqual(urls);
    for (const each of [text, rest]) {
      isInert(each);
      expect(each).not.toMatch(/[<>]/);
      expect(each).not.toMatch(styles);
    }
  },
  'google-chat'(body) {
    const { found, rest } = readLinks(JSON.parse(body).text);
    expect(found).toEqual(urls);
    isInert(rest);
    const [title = '', ...lines] = rest.split('\n');
    expect(title).toMatch(/^\*.*\*$/);
    for (const each of [title.slice(1, -1), ...lines])
      expect(each).not.toMatch(new RegExp(`[<>]|${styles.source}`, 'u'));
  },
  teams(body) {
    const { content } = JSON.parse(body).attachments[0];
    const runs = content.body.flatMap((block: { type: string; inlines: { type: string; text: string }[] }) => {
      // A text block reads Markdown.
      expect(block.type).toBe('RichTextBlock');
      return block.inlines;
    });
    expect(content).not.toHaveProperty('msteams');
    expect(content.actions.map(({ url }: { url: string }) => url)).toEqual(urls);
    for (const { text } of [...runs, ...content.actions.map(({ title }: { title: string }) => ({ text: title }))]) {
      isInert(text);
      expect(text).not.toMatch(/\{\{|\$\{/);
    }
  },
  sms(body) {
    expect(body.length).toBeLessThanOrEqual(160);
    const link = urls[0]?.replace('https://', '') ?? '';
    expect(body.endsWith(` ${link}`)).toBe(true);
    isInert(body.slice(0, -link.length));
  },
};

describe.each(contactsOf(team))('on $channel $chatKind', (contact) => {
  test.each(lies)('%j stays text', (lie) => {
    readers[contact.chatKind ?? contact.channel]?.(bodyFor(formOf(contact), lettered(lie)));
  });
});

test('a message still says what it is about', () => {
  const { text } = JSON.parse(bodyFor('email', lettered('attempt to evil.example')));
  expect(text).toContain('attempt to evil[.]example');
  expect(text).toContain('north / cam-1 foreign broker attempt');
});
