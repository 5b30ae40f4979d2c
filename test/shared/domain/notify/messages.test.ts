import { describe, expect, test } from 'vitest';
import { seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { bodyFor } from '../../../../shared/domain/notify/bodies.ts';
import { alertLetter, digestLetter } from '../../../../shared/domain/notify/messages.ts';
import { contactsOf, emptyTeam } from '../../../../shared/domain/notify/team.ts';
import { startOfTests } from '../../../support/world/world.ts';

const address = { sealedUrl: 'sealed', shownUrl: 'https://x/…' };
const team = {
  ...emptyTeam('operations'),
  emails: ['a@example.com'],
  chats: [
    { chatId: '1', kind: 'slack' as const, ...address },
    { chatId: '2', kind: 'google-chat' as const, ...address },
    { chatId: '3', kind: 'teams' as const, ...address },
  ],
  phones: ['+46701234567'],
};
const [email, slack, google, teams, sms] = contactsOf(team) as [never, never, never, never, never];
const alert = seedAlert(
  {
    alertId: '00000000-0000-4000-8000-000000000001',
    deviceId: 'cam-1',
    groupId: 'north',
    code: 'CONN_001',
    message: 'Lost <script>alert(1)</script> & gone, Ångström 93 °C [x]',
    context: {},
  },
  startOfTests,
);
const letter = alertLetter(alert, 'opened', { consoleUrl: 'https://console.example.com', timeZone: 'Europe/Berlin' });

test('a mail has text and HTML with one link to the alert, and markup of a device stays text', () => {
  const { subject, text, html } = JSON.parse(bodyFor(email, letter));
  expect(subject).toBe('[CRITICAL] MQTT connection lost on cam-1');
  expect(text).toContain('https://console.example.com/alerts/00000000-0000-4000-8000-000000000001');
  expect(html).toContain('href="https://console.example.com/alerts/00000000-0000-4000-8000-000000000001"');
  expect(html).not.toContain('<script>');
  expect(html).toContain('#DC2626');
});

test('each chat product gets its own form', () => {
  expect(JSON.parse(bodyFor(slack, letter))).toMatchObject({ text: letter.title, attachments: [{ color: '#DC2626' }] });
  expect(bodyFor(slack, letter)).toContain('&lt;script&gt;');
  expect(JSON.parse(bodyFor(google, letter)).text).toContain('|Open the alert>');
  expect(JSON.parse(bodyFor(teams, letter))).toMatchObject({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }],
  });
});

describe('a text message has at most 160 characters of the GSM alphabet', () => {
  test.each([
    ['a short address', 'https://c.example', 'cam-1'],
    ['a long address', `https://${'a'.repeat(150)}.example`, 'cam-1'],
    ['a long name', 'https://c.example', `cam-${'x'.repeat(120)}`],
  ])('%s', (_name, consoleUrl, deviceId) => {
    const text = bodyFor(sms, alertLetter({ ...alert, deviceId }, 'escalated', { consoleUrl, timeZone: 'UTC' }));
    expect(text.length).toBeLessThanOrEqual(160);
    expect(text).toMatch(/^[\x20-\x5a\x5f\x61-\x7a]+$/);
  });

  test('the link stands whole at its end', () => {
    expect(bodyFor(sms, letter)).toMatch(/ https:\/\/console\.example\.com\/alerts\/[0-9a-f-]{36}$/);
  });
});

test('a digest says how many more, and links to all of them', () => {
  const digest = digestLetter(alert, 47, [alert], 'https://console.example.com');
  expect(digest.title).toBe('[CRITICAL] 47 more cameras of group north: MQTT connection lost');
  expect(digest.links[0]?.url).toBe('https://console.example.com/alerts?code=CONN_001&groupId=north');
});

test('times are those of the clock of the settings, whose zone they name, and no message holds an ISO string', () => {
  const running = { ...alert, respondBy: '2026-11-20T10:05:00.000Z', message: 'Lost' };
  const { lines } = alertLetter(running, 'opened', { consoleUrl: 'https://c.example', timeZone: 'Europe/Berlin' });
  expect(lines.slice(2)).toEqual(['Since 20 Nov 2026, 11:00 CET', 'To be acknowledged by 20 Nov 2026, 11:05 CET']);
});
