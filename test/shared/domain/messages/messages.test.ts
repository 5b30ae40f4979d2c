import { describe, expect, test } from 'vitest';
import { type AlertSeed, seedAlert } from '../../../../shared/domain/alert/alert.ts';
import { bodyFor, gsmLength } from '../../../../shared/domain/messages/bodies.ts';
import { alertContent } from '../../../../shared/domain/messages/content.ts';

import { severities } from '../../../../shared/schema/vocabulary.ts';
import { startOfTests } from '../../../support/world/world.ts';

const link = 'https://console.example.com/alerts/00000000-0000-4000-8000-000000000001';
const writing = { now: startOfTests, timeZone: 'Europe/Berlin', link };
function alertOf(given: Partial<AlertSeed> = {}) {
  const seed = {
    alertId: '00000000-0000-4000-8000-000000000001',
    deviceId: 'cam-1',
    groupId: 'north',
    code: 'CONN_001',
    message: 'Lost <script>alert(1)</script> & gone, Ångström 93 °C [x]',
    context: {},
  } as const;
  return seedAlert({ ...seed, ...given }, startOfTests);
}
const content = alertContent(alertOf(), 'opened', writing);

test('a mail has text and HTML with one link to the alert, and markup of a device stays text', () => {
  const { subject, text, html } = JSON.parse(bodyFor('email', content));
  expect(subject).toBe('[CRITICAL] north / cam-1 offline since 11:00');
  expect(text).toContain(link);
  expect(html).toContain(`href="${link}"`);
  expect(html).not.toContain('<script>');
  expect(html).toContain('#DC2626');
});

test('each chat product gets its own form', () => {
  expect(JSON.parse(bodyFor('slack', content))).toMatchObject({
    text: '[CRITICAL] north / cam-1 offline since 11:00',
    attachments: [{ color: '#DC2626' }],
  });
  expect(bodyFor('slack', content)).toContain('&lt;script&gt;');
  expect(JSON.parse(bodyFor('google-chat', content)).text).toContain('|Open the alert>');
  expect(JSON.parse(bodyFor('teams', content))).toMatchObject({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } }],
  });
});

test('each severity has one colour', () => {
  const colours = severities.map(
    (severity) => JSON.parse(bodyFor('slack', { ...content, severity })).attachments[0].color,
  );
  expect(colours).toEqual(['#DC2626', '#C026D3', '#EA580C', '#2563EB']);
});

describe('a text message has at most 160 characters of the GSM alphabet', () => {
  test.each([
    ['an id', 'https://c.example/alerts/1', {}],
    ['a long address', `https://${'a'.repeat(150)}.example`, {}],
    ['a long name', 'https://c.example/alerts/1', { deviceName: `Kamera ${'x'.repeat(120)}` }],
    ['letters of the alphabet', 'https://c.example/alerts/1', { deviceName: 'Norra entrén Å 2' }],
    ['letters that give way', 'https://c.example/alerts/1', { deviceName: 'Východní vchod – “č. 2”' }],
  ])('%s', (_name, url, given) => {
    const text = bodyFor(
      'sms',
      alertContent(alertOf({ ...given, message: 'Lost' }), 'escalated', { ...writing, link: url }),
    );
    expect(gsmLength(text)).toBeLessThanOrEqual(160);
  });

  test('and at most 70 where a name needs letters that it lacks', () => {
    const text = bodyFor('sms', alertContent(alertOf({ deviceName: 'Северный вход '.repeat(8) }), 'opened', writing));
    expect(gsmLength(text)).toBeNull();
    expect(text.length).toBeLessThanOrEqual(70);
  });

  test('the name stays and the link stands whole at its end', () => {
    const text = bodyFor('sms', alertContent(alertOf({ deviceName: 'Norra entrén 2' }), 'opened', writing));
    expect(text).toMatch(/^CRIT north \/ Norra entrén 2 offline since 11:00\./);
    expect(text).toMatch(/ console\.example\.com\/alerts\/[0-9a-f-]{36}$/);
  });
});

test('times are those of the clock of the settings, with their day where that is another, and no message holds an ISO string', () => {
  const running = { ...alertOf({ message: 'Lost' }), respondBy: '2026-11-20T10:05:00.000Z' };
  const { title, lines } = alertContent(running, 'opened', { ...writing, now: '2026-11-20T23:30:00.000Z' });
  expect(title).toBe('north / cam-1 offline since 20 Nov 11:00');
  expect(lines).toEqual([
    'Lost',
    'Nobody has it yet. It is escalated at 20 Nov 11:05.',
    'CONN_001 MQTT connection lost',
  ]);
});

test('an escalation says what follows if nobody answers, where something does', () => {
  const life = { ...alertOf({ deviceName: 'Gate' }), team: 'night' };
  const lines = (coming: { at: string; to: string } | null) =>
    alertContent(life, 'escalated', { ...writing, now: '2026-11-20T10:20:00.000Z', coming }).lines;
  expect(lines({ at: '2026-11-20T10:30:00.000Z', to: 'Bo Ek (on call)' })[1]).toBe('Next: Bo Ek (on call) at 11:30.');
  expect(lines(null).join()).not.toContain('Next');
});

test('openings, escalations, reminders, acknowledgements and ends never read alike', () => {
  const now = '2026-11-20T10:20:00.000Z';
  const step = { number: 2, of: 2, to: 'night', people: [], channels: [], reminders: 9, missing: null };
  const life = { ...alertOf({ deviceName: 'Gate' }), team: 'night', step, reminders: 2, acknowledgedBy: 'ana' };
  const resolved = { ...life, resolvedAt: now, resolution: 'automatic' as const };
  const titles = (['opened', 'escalated', 'reminded', 'acknowledged'] as const).map(
    (occasion) => alertContent(life, occasion, { ...writing, now }).title,
  );
  expect([...titles, alertContent(resolved, 'resolved', { ...writing, now }).title]).toEqual([
    'north / Gate offline since 11:00',
    'north / Gate: escalated to night (step 2 of 2), offline since 11:00',
    'north / Gate: reminder 2 of 9 to night, offline since 11:00',
    'north / Gate: ana has it, offline since 11:00',
    'north / Gate: over, offline from 11:00 to 11:20 (20 min)',
  ]);
});
