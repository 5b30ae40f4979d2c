import { describe, expect, test } from 'vitest';
import { askedAnew, blankWebhook, changed } from '../../../../shared/app/webhooks/record.ts';
import { headersOf, ownerOf } from '../../../../shared/app/webhooks/secrets.ts';
import { hiddenValue } from '../../../../shared/domain/delivery/webhook-headers.ts';
import { endpoint } from '../../../support/records/deliveries.ts';
import { box } from '../../../support/world/secret-box.ts';
import { at } from '../../../support/world/timeline.ts';

const now = at(60);
const url = 'https://hooks.example.com/cameras';
const webhookId = endpoint().webhookId;
const sealed = (headers: Record<string, string>) => box.seal(JSON.stringify(headers), ownerOf(webhookId, 'headers'));
const secret = box.seal('0123456789abcdef', ownerOf(webhookId, 'secret'));
const withAll = endpoint({
  url,
  secret,
  nextSecret: secret as never,
  sealedHeaders: sealed({ Authorization: 'Bearer x', 'X-Site': 'gbg' }),
});
const changedBy = (request: Parameters<typeof changed>[2], before = withAll) => changed(box, before, request, now);
const headersAfter = (headers: Record<string, string> | null, before = withAll) =>
  headersOf(box, changedBy({ headers } as never, before));

test('a new endpoint has the defaults of the interface: POST, no headers, no secret, 3 attempts, 10 seconds', () => {
  expect(blankWebhook(webhookId, true, now)).toEqual({
    ...{ webhookId, url: '', method: 'POST', sealedHeaders: null, secret: null, nextSecret: null },
    ...{ events: ['detection'], filter: null, membersOfIncidents: true, format: 'native', drill: false },
    ...{ sequenced: false, maxAttempts: 3, timeoutSeconds: 10, isEnabled: true, disabledReason: null },
    ...{ isMadeByLimited: true, challenge: null, description: null, createdAt: now, changedAt: now, version: 1 },
  });
  expect(blankWebhook(webhookId, false, now).isMadeByLimited).toBe(false);
});

describe('credentials belong to an origin', () => {
  test.each([
    ['another path', 'https://hooks.example.com/other', true],
    ['the same address', url, true],
    ['the default port', 'https://hooks.example.com:443/other', true],
    ['another host', 'https://evil.example.com/cameras', false],
    ['another port', 'https://hooks.example.com:8443/cameras', false],
    ['another scheme', 'http://hooks.example.com/cameras', false],
    ['what is no address, which is refused anyway', 'nowhere', true],
  ])('%s', (_, next, isKept) => {
    const { url: notified, secret: kept, nextSecret, sealedHeaders, changedAt } = changedBy({ url: next });
    const { secret: s, nextSecret: n, sealedHeaders: h } = withAll;
    expect([notified, changedAt]).toEqual([next, now]);
    expect([kept, nextSecret, sealedHeaders]).toEqual(isKept ? [s, n, h] : [null, null, null]);
  });

  test('and one without an address has none to lose', () => {
    const first = changedBy({ url, secret: 'a secret of some length' }, endpoint({ url: '' }));
    expect(first.secret).not.toBeNull();
    expect(changedBy({ url: 'https://evil.example.com/', headers: { 'X-Site': hiddenValue } })).toMatchObject({
      secret: null,
    });
  });

  test('but what comes in the same request is kept', () => {
    const moved = changedBy({
      url: 'https://evil.example.com/',
      secret: 'another secret text',
      headers: { 'X-Site': 'a' },
    });
    expect(moved.secret && box.open(moved.secret as never, ownerOf(webhookId, 'secret'))).toBe('another secret text');
    expect(headersOf(box, moved)).toEqual({ 'X-Site': 'a' });
    // After the move there is no value that the placeholder could stand for.
    expect(
      headersOf(box, changedBy({ url: 'https://evil.example.com/', headers: { Authorization: hiddenValue } })),
    ).toEqual({});
  });
});

describe('a request', () => {
  test('leaves what it does not name', () => {
    expect(changedBy({})).toEqual({ ...withAll, changedAt: now });
    const off = endpoint({ isEnabled: false, disabledReason: 'it failed' });
    expect(changedBy({ description: 'x' }, off)).toEqual({ ...off, description: 'x', changedAt: now });
  });

  test('removes with null', () => {
    const full = endpoint({ ...withAll, filter: { groups: ['north'] }, description: 'x' });
    expect(changedBy({ filter: null, description: null, secret: null, headers: null } as never, full)).toEqual({
      ...full,
      ...{ filter: null, description: null, secret: null, nextSecret: null, sealedHeaders: null, changedAt: now },
    });
  });

  test('sets a filter, and a new secret ends the rotation of the old one', () => {
    const next = changedBy({ filter: { groups: ['south'] }, secret: 'a new secret of mine' });
    expect([next.filter, next.nextSecret]).toEqual([{ groups: ['south'] }, null]);
    expect(next.secret).not.toBe(secret);
  });

  test.each([true, false])('that says enabled %s forgets why it was disabled', (enabled) => {
    const off = endpoint({ isEnabled: !enabled, disabledReason: 'it failed' });
    expect(changedBy({ enabled }, off)).toEqual({ ...off, isEnabled: enabled, disabledReason: null, changedAt: now });
  });
});

describe('headers', () => {
  test('replace those before', () => {
    expect(headersAfter({ 'X-Other': '1' })).toEqual({ 'X-Other': '1' });
    expect(changedBy({ headers: {} }).sealedHeaders).toBeNull();
  });

  test('that come back hidden keep their value, where there is one', () => {
    expect(headersAfter({ Authorization: hiddenValue, 'X-Site': 'sth' })).toEqual({
      Authorization: 'Bearer x',
      'X-Site': 'sth',
    });
    expect(headersAfter({ 'X-Api-Key': hiddenValue })).toEqual({});
    // The value of this header is not hidden, so the placeholder is taken literally.
    expect(headersAfter({ 'X-Site': hiddenValue })).toEqual({ 'X-Site': hiddenValue });
    expect(headersAfter({ Authorization: hiddenValue }, endpoint())).toEqual({});
    expect(changedBy({ headers: { 'X-Api-Key': hiddenValue } }).sealedHeaders).toBeNull();
  });
});

describe('a challenge', () => {
  const asks = (isChallengeRequired: boolean) => ({ isChallengeRequired, newChallenge: () => 'new' });
  const moved = (given: object) => endpoint({ url: `${url}/other`, ...given });
  test.each([
    ['is asked of an unproven endpoint that moved', false, { challenge: 'old' }, { challenge: 'old' }, 'new'],
    ['is asked of a limited one that moved, where it is required', true, {}, { isMadeByLimited: true }, 'new'],
    ['is not asked of an unlimited one', true, {}, {}, null],
    ['is not asked where it is not required', false, {}, { isMadeByLimited: true }, null],
  ])('%s', (_, isRequired, before, next, challenge) => {
    expect(askedAnew(asks(isRequired), endpoint({ url, ...before }), moved(next)).challenge).toBe(challenge);
  });

  test('stays where the address is the same, however it is written', () => {
    const before = endpoint({ url: 'https://Hooks.example.com:443/', challenge: 'old' });
    const same = endpoint({ url: 'https://hooks.example.com', challenge: 'old' });
    expect(askedAnew(asks(true), before, same)).toEqual(same);
    expect(askedAnew(asks(true), endpoint({ url: '', challenge: 'old' }), same).challenge).toBe('new');
  });
});

describe('the version of a credential', () => {
  const headers = { Authorization: 'Bearer x', 'X-Key': 'k' };
  const credentialVersions = { secret: 3, headers: { Authorization: 2, 'X-Key': 7 } };
  const before = changedBy({ secret: '0123456789abcdef', headers, credentialVersions });
  const versionsOf = (request: Parameters<typeof changed>[2]) => changedBy(request, before).credentialVersions;

  test('is kept while nobody writes the credential', () => {
    expect(versionsOf({ description: 'other' })).toEqual(credentialVersions);
    expect(versionsOf({ headers: { Authorization: hiddenValue, 'X-Key': hiddenValue } })).toEqual(credentialVersions);
  });
  test('ends with a credential that is written without one, removed, or belongs to another origin', () => {
    expect(versionsOf({ secret: 'fedcba9876543210' })).toEqual({ headers: credentialVersions.headers });
    expect(versionsOf({ headers: { Authorization: hiddenValue } })).toEqual({
      secret: 3,
      headers: { Authorization: 2 },
    });
    expect(versionsOf({ headers: { Authorization: 'Bearer y', 'X-Key': hiddenValue } })).toEqual({
      secret: 3,
      headers: { 'X-Key': 7 },
    });
    expect(versionsOf({ url: 'https://elsewhere.example.com/' })).toBeUndefined();
  });
  test('is that which comes with a new credential', () => {
    const given = { headers: { Authorization: 3 } };
    const headersAnew = { Authorization: 'Bearer y', 'X-Key': hiddenValue };
    expect(versionsOf({ headers: headersAnew, credentialVersions: given })).toEqual({
      secret: 3,
      headers: { Authorization: 3, 'X-Key': 7 },
    });
  });
});
