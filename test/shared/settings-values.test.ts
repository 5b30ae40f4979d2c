import { expect, test } from 'vitest';
import { drillTargets, httpsUrls } from '../../shared/settings-values.ts';

test('targets of a drill are read, and what is left out is empty', () => {
  expect(drillTargets(undefined)).toBeNull();
  expect(drillTargets('{"emails": ["drill@example.com"]}')).toEqual({
    emails: ['drill@example.com'],
    phones: [],
    chats: [],
  });
  const chats = [{ kind: 'slack', url: 'https://hooks.example.com/x' }];
  expect(drillTargets(JSON.stringify({ phones: ['+46700000001'], chats }))).toEqual({
    emails: [],
    phones: ['+46700000001'],
    chats,
  });
});

test.each([
  ['[]', 'must be a JSON object'],
  ['"drill@example.com"', 'must be a JSON object'],
  ['{"mails": ["secret@example.com"]}', 'must hold emails, phones, chats and nothing else'],
  ['{"emails": ["secret"]}', '/emails/0 is not valid'],
  ['{"phones": ["0700secret"]}', '/phones/0 is not valid'],
  ['{"emails": "secret@example.com"}', '/emails must be a list of at most 10'],
  ['{"chats": [{"kind": "secret", "url": "https://x.example.com"}]}', '/chats/0/kind must be one of'],
  [
    '{"chats": [{"kind": "slack", "url": "http://secret.example.com"}]}',
    '/chats/0/url must be an address that begins with https://',
  ],
  ['{"chats": [7]}', '/chats/0/kind must be one of'],
])('%s is refused without its value', (raw, detail) => {
  expect(() => drillTargets(raw)).toThrow(detail);
  expect(() => drillTargets(raw)).not.toThrow('secret');
});

test('addresses of heartbeats are https, and one that is not is named by its place', () => {
  expect(httpsUrls(undefined)).toEqual([]);
  expect(httpsUrls('https://a.example.com/1, https://b.example.com/2')).toHaveLength(2);
  expect(() => httpsUrls('https://a.example.com/1,http://secret.example.com')).toThrow('number 2 must be an address');
  expect(() => httpsUrls('https://a.example.com/1,http://secret.example.com')).not.toThrow('secret');
});
