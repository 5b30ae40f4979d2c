import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isStillIn, linkIdOf, linkOf, withoutLinks } from '../../../../shared/domain/notify/link.ts';
import { targetIdOf } from '../../../../shared/domain/notify/target.ts';
import { emptyTeam } from '../../../../shared/domain/notify/team.ts';

const token = 'abcdefghijklmnopqrst-_';
const now = '2026-11-20T10:00:00.000Z';
const message = (given: object = {}) =>
  ({ about: 'alert', id: 'alert-1', occasion: 'opened', ...given }) as Parameters<typeof linkOf>[0];
const receiver = { kind: 'email', team: 'night', address: 'ana@example.com' } as const;
const target = { target: receiver, targetName: 'ana@example.com' };

test('a link is known by the digest of its token, and a text of another form is no token', () => {
  expect(linkIdOf(token)).toBe(createHash('sha256').update(token).digest('hex'));
  for (const text of ['', token.slice(1), `${token}a`, `${token.slice(1)}=`, `${token.slice(1)}/`, ` ${token}`])
    expect([text, linkIdOf(text)]).toEqual([text, null]);
});

test('a message that tells an alert or an incident has a link for a day, and its record is kept longer', () => {
  const link = linkOf(message(), target, token, now);
  expect(link).toMatchObject({
    linkId: linkIdOf(token),
    kind: 'alert',
    id: 'alert-1',
    target: 'a…@example.com',
    targetId: targetIdOf({ target: receiver }),
    team: 'night',
    expiresAt: '2026-11-21T10:00:00.000Z',
    usedAt: null,
  });
  expect(Date.parse(link?.expireAt ?? '')).toBeGreaterThan(Date.parse(link?.expiresAt ?? ''));
  expect(linkOf(message({ about: 'incident', id: 'incident-1' }), target, token, now)).toMatchObject({
    kind: 'incident',
    id: 'incident-1',
  });
});

test('a text message has one also where it asks for nothing', () => {
  const phone = {
    target: { kind: 'sms', team: 'night', address: '+46701111111' },
    targetName: '+46701111111',
  } as const;
  for (const occasion of ['resolved', 'joined', 'acknowledged'])
    expect(linkOf(message({ occasion }), phone, token, now)).toMatchObject({ kind: 'alert', id: 'alert-1' });
});

test('no other message has one', () => {
  expect(linkOf(message({ about: 'report' }), target, token, now)).toBeNull();
  expect(linkOf(message({ occasion: 'resolved' }), target, token, now)).toBeNull();
  expect(linkOf(message({ occasion: 'acknowledged' }), target, token, now)).toBeNull();
  expect(linkOf(message(), target, 'no token', now)).toBeNull();
  const webhook = { target: { kind: 'webhook', webhookId: 'w' }, targetName: 'w' } as const;
  expect(linkOf(message(), webhook, token, now)).toBeNull();
});

test.each([
  ['its address', { emails: ['Ana@example.com'] }, true],
  ['a person with it', { people: [{ personId: 'p', name: 'Ana', email: 'ana@example.com' }] }, true],
  ['another address', { emails: ['amy@example.com'] }, false],
  ['nobody', {}, false],
])('the receiver of a link is in a team with %s: %s', (_, contacts, isIn) => {
  const link = linkOf(message(), target, token, now);
  if (!link) throw new Error('there is no link');
  const team = { ...emptyTeam('night'), ...contacts };
  expect(isStillIn(link, new Map([['night', team]]))).toBe(isIn);
  expect(isStillIn(link, new Map([['day', { ...team, name: 'day' }]]))).toBe(false);
});

test('a text keeps none of the links in it', () => {
  expect(withoutLinks(`see https://x/t/${token} or https://x/t/${token}.`)).toBe('see https://x/t/… or https://x/t/….');
  expect(withoutLinks('nothing')).toBe('nothing');
  expect(withoutLinks('')).toBe('');
  expect(withoutLinks(null)).toBeNull();
});
