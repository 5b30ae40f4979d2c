import { describe, expect, test } from 'vitest';
import { seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { bodyFor } from '../../../../shared/domain/messages/bodies.ts';
import { alertContent, type MessageContent } from '../../../../shared/domain/messages/content.ts';
import { defanged } from '../../../../shared/domain/messages/phrases.ts';
import { formOf } from '../../../../shared/domain/notify/address.ts';
import { contactsOf, emptyTeam } from '../../../../shared/domain/notify/team.ts';
import { readers } from '../../../support/notify/readers.ts';
import { textLies } from '../../../support/records/lies.ts';
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
  ['cam\u202e1', 'cam<U+202E>1'],
  ['Memory at 93.5 %, limit 90 %', 'Memory at 93.5 %, limit 90 %'],
  ['It has expired. Look.', 'It has expired. Look.'],
  ['firmware 10.12.236', 'firmware 10.12.236'],
])('%j is shown as %j, in the same form however often', (text, shown) => {
  expect(defanged(text)).toBe(shown);
  expect(defanged(shown)).toBe(shown);
});

const address = { sealedUrl: 'sealed', shownUrl: 'https://x/…' };
const team = {
  ...emptyTeam('operations'),
  emails: ['a@example.com'],
  chats: (['slack', 'google-chat', 'teams'] as const).map((kind) => ({ chatId: kind, kind, ...address })),
  phones: ['+46701234567'],
};
const consoleUrl = 'https://console.example.com';
const urls = [`${consoleUrl}/alerts/a-1`, `${consoleUrl}/b?c=1&d=2`];

/** The message about an alert whose text comes from the device. */
function lettered(lie: string): MessageContent {
  const facts = {
    alertId: 'a-1',
    deviceId: 'cam-1',
    groupId: 'north',
    code: 'SEC_002',
    message: lie,
    context: {},
  } as const;
  const content = alertContent(seedAlert(facts, startOfTests), 'opened', {
    now: startOfTests,
    link: consoleUrl,
    timeZone: 'UTC',
  });
  const [first] = content.links;
  const links = [
    { text: `${first?.text} ${lie}`, url: urls[0] ?? '' },
    { text: lie, url: urls[1] ?? '' },
  ];
  return { ...content, title: `${content.title} ${lie}`, links, short: [`${content.title} ${lie}`, ...content.short] };
}

describe.each(contactsOf(team))('on $channel $chatKind', (contact) => {
  test.each(textLies)('%j stays text', (lie) => {
    const form = formOf(contact);
    expect(readers[form](bodyFor(form, lettered(lie)))).toEqual(form === 'sms' ? urls.slice(0, 1) : urls);
  });
});

test('a message still says what it is about', () => {
  const { text } = JSON.parse(bodyFor('email', lettered('attempt to evil.example')));
  expect(text).toContain('attempt to evil[.]example');
  expect(text).toContain('north / cam-1 foreign broker attempt');
});
