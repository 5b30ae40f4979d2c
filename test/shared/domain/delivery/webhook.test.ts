import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { createSecretBox } from '../../../../shared/adapters/auth/secret-box.ts';
import { signContract, signingKey, signStandard } from '../../../../shared/adapters/channels/webhook/signing.ts';
import {
  type Webhook as Endpoint,
  heldUntilProven,
  promoteSecret,
  reasonToWait,
  rotateSecret,
  signingSecrets,
} from '../../../../shared/domain/delivery/webhook.ts';
import { plus } from '../../../../shared/domain/time.ts';
import { endpoint as anEndpoint } from '../../../support/records/deliveries.ts';
import { startOfTests as now } from '../../../support/world/world.ts';

const bodies = ['{}', '{"a":"ü€😀\\u0000"}', '', JSON.stringify({ summary: 'En person vid dörren — 人' })];
const secrets = [
  'sixteen chars ok',
  'nyckel-åäö-🔑-1234',
  'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  'whsec_not base64!!',
];

describe('a signature', () => {
  // Computed with `printf '%s' … | openssl dgst -sha256 -hmac …`, independently of this code.
  test.each([
    [
      'a-shared-secret-1',
      '1795168800',
      '{"eventType":"detection"}',
      'sha256=d550b6de679ab8c9dae53cc775c9f362e9f8d70bd5cba36f351f9069f6e00742',
    ],
    [
      'a-shared-secret-1',
      '1795168800',
      '{"name":"Dörr 人"}',
      'sha256=5c7fb72d3baf8397a08825f45f2ea6f177f841d5d3f0b7d9e0030ffce528ffaa',
    ],
  ])('of the contract is that of an independent implementation (%s, %s, %s)', (secret, timestamp, body, expected) => {
    expect(signContract(signingKey(secret).contract, timestamp, Buffer.from(body))).toBe(expected);
  });

  test.each(secrets.flatMap((secret) => bodies.map((body) => [secret, body])))(
    'of the contract is keyed with the text of the secret (%s, %s)',
    (secret, body) => {
      const expected = createHmac('sha256', secret).update(`1795168800.${body}`).digest('hex');
      expect(signContract(signingKey(secret).contract, '1795168800', Buffer.from(body))).toBe(`sha256=${expected}`);
    },
  );

  test.each(bodies)('of Standard Webhooks is verified by its public library (%s)', (body) => {
    const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signStandard(signingKey(secret).standard, 'd-1', timestamp, Buffer.from(body));
    const headers = { 'webhook-id': 'd-1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    const verifier = new Webhook(secret);
    expect(() => verifier.verify(body, headers, { jsonParse: false })).not.toThrow();
    expect(() => verifier.verify(`${body} `, headers, { jsonParse: false })).toThrow();
    expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'd-2' }, { jsonParse: false })).toThrow();
  });

  test('of Standard Webhooks under a secret without prefix is verified as a raw key', () => {
    const secret = 'sixteen chars ok';
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signStandard(signingKey(secret).standard, 'd-1', timestamp, Buffer.from('{}'));
    const headers = { 'webhook-id': 'd-1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
    expect(() => new Webhook(secret, { format: 'raw' }).verify('{}', headers)).not.toThrow();
  });
});

describe('a secret that is rotated', () => {
  const endpoint = { secret: 'old', nextSecret: null } as Endpoint;
  const rotated = rotateSecret(endpoint, 'new', 1000, now);

  test('signs beside the old one at once, which keeps the contract until the end of the overlap', () => {
    expect(signingSecrets(rotated, now)).toEqual({ contract: 'old', standard: ['new', 'old'] });
    expect(signingSecrets(rotated, plus(now, 999))?.contract).toBe('old');
    expect(signingSecrets(rotated, plus(now, 1000))).toEqual({ contract: 'new', standard: ['new'] });
  });

  test('signs alone once it is promoted', () => {
    expect(signingSecrets(promoteSecret(rotated), now)).toEqual({ contract: 'new', standard: ['new'] });
  });

  test('gives way to a third one, beside which the one that signs then goes on', () => {
    const within = rotateSecret(rotated, 'third', 1000, plus(now, 500));
    expect(signingSecrets(within, plus(now, 500))).toEqual({ contract: 'old', standard: ['third', 'old'] });
    const after = rotateSecret(rotated, 'third', 1000, plus(now, 5000));
    expect(signingSecrets(after, plus(now, 5000))).toEqual({ contract: 'new', standard: ['third', 'new'] });
  });

  test('leaves nothing of the old one behind where no overlap is wanted, and is not promoted where there is none', () => {
    const known = anEndpoint({ secret: 'old', nextSecret: rotated.nextSecret });
    expect(rotateSecret(known, 'third', 0, now)).toEqual({ ...known, secret: 'third', nextSecret: null });
    expect(rotateSecret(known, 'third', 1, now).nextSecret).toEqual({
      ...{ sealed: 'third', addedAt: now, promoteAt: plus(now, 1) },
    });
    expect(rotateSecret(anEndpoint(), 'new', 1000, now)).toEqual(anEndpoint({ secret: 'new' }));
    const single = anEndpoint({ secret: 'old' });
    expect(promoteSecret(single)).toBe(single);
    expect(promoteSecret(known)).toEqual({ ...known, secret: 'new', nextSecret: null });
  });

  test('is the only one at once where there was none, or no overlap is wanted', () => {
    const none = { ...endpoint, secret: null };
    expect(signingSecrets(none, now)).toBeNull();
    expect(signingSecrets(rotateSecret(none, 'new', 1000, now), now)).toEqual({ contract: 'new', standard: ['new'] });
    expect(signingSecrets(rotateSecret(endpoint, 'new', 0, now), now)?.contract).toBe('new');
  });
});

describe('the secret box', () => {
  const [first, second] = [
    { id: 'a', key: Buffer.alloc(32, 1) },
    { id: 'b', key: Buffer.alloc(32, 2) },
  ];
  const box = createSecretBox([first, second]);

  test('opens what it sealed, each time in other bytes, and shows nothing of it', () => {
    const sealed = [box.seal('whsec_abc', 'webhooks/1/secret'), box.seal('whsec_abc', 'webhooks/1/secret')];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(sealed.join()).not.toContain(Buffer.from('whsec_abc').toString('base64url').slice(0, 8));
    expect(sealed.map((each) => box.open(each, 'webhooks/1/secret'))).toEqual(['whsec_abc', 'whsec_abc']);
  });

  test('opens under an older key, and not without it', () => {
    const old = createSecretBox([second]).seal('x', 'r');
    expect(box.open(old, 'r')).toBe('x');
    expect(() => createSecretBox([first]).open(old, 'r')).toThrow('no data key b');
  });

  test('does not open what was moved to another record, or changed in any character', () => {
    const sealed = box.seal('secret', 'webhooks/1/secret');
    expect(() => box.open(sealed, 'webhooks/2/secret')).toThrow();
    const start = sealed.lastIndexOf('.') + 1;
    // The last character is skipped: base64 does not use all of its bits.
    for (let index = start; index < sealed.length - 1; index += 1) {
      const other = sealed[index] === 'A' ? 'B' : 'A';
      expect(() => box.open(sealed.slice(0, index) + other + sealed.slice(index + 1), 'webhooks/1/secret')).toThrow();
    }
  });
});

test.each([
  [{ isEnabled: true, challenge: null }, null],
  [{ isEnabled: true, challenge: 'prove it' }, heldUntilProven],
  [{ isEnabled: false, challenge: null }, 'The endpoint is disabled.'],
  [{ isEnabled: false, challenge: 'prove it' }, 'The endpoint is disabled.'],
])('an endpoint %j waits: %s', (given, reason) => {
  expect(reasonToWait(anEndpoint(given))).toBe(reason);
});
