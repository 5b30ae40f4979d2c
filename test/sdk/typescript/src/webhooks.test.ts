import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { expect, test } from 'vitest';
import { signWebhook, verifyWebhook } from '../../../../sdk/typescript/src/index.ts';
import { signContract, signingKey, signStandard } from '../../../../shared/adapters/channels/webhook/signing.ts';

const generated = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
const secrets = ['a-shared-secret-1', generated, 'whsec_not base64!'];
const body = Buffer.from('{"name":"Dörr 人"}');
const nowMs = Date.now();
const timestamp = String(Math.floor(nowMs / 1000));
const id = '3c3dd9c4-8f6f-5b63-9a1c-0d1c8e6d1f10';

/** The headers of the service's own sender. */
function sent(secret: string, at = timestamp): Record<string, string> {
  const key = signingKey(secret);
  return {
    'X-Service-Event': 'alert',
    'X-Service-Delivery': id,
    'X-Service-Timestamp': at,
    'X-Service-Signature': signContract(key.contract, at, body),
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': signStandard(key.standard, id, at, body),
  };
}
const contractOnly = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('X-')));
const standardOnly = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));

test.each(secrets)(
  'a request of the service signed with %s verifies under both schemes, in any form of headers',
  async (secret) => {
    const headers = sent(secret);
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]));
    for (const form of [headers, contractOnly(headers), standardOnly(headers), lower, new Headers(headers)]) {
      expect((await verifyWebhook(form, body, secret, { nowMs })).deliveryId).toBe(id);
    }
    expect(await verifyWebhook(headers, body.toString(), ['another', secret], { nowMs })).toEqual({
      deliveryId: id,
      event: 'alert',
    });
  },
);

test.each(['a-shared-secret-1', generated])(
  'the signature of the client with %s equals that of the service, and libraries verify it',
  async (secret) => {
    const headers = await signWebhook({ deliveryId: id, event: 'alert' }, body, secret, nowMs);
    expect(headers).toMatchObject(sent(secret));
    const format = secret.startsWith('whsec_') ? {} : ({ format: 'raw' } as const);
    expect(new StandardWebhook(secret, format).verify(body.toString(), headers)).toEqual(JSON.parse(body.toString()));
    if (secret.startsWith('whsec_')) expect(() => new Svix(secret).verify(body.toString(), headers)).not.toThrow();
  },
);

test('during a rotation either of the two signatures is enough', async () => {
  const headers = sent('new');
  const both = `${headers['webhook-signature']} ${sent('old')['webhook-signature']}`;
  for (const secret of ['new', 'old']) {
    await verifyWebhook({ ...standardOnly(headers), 'webhook-signature': both }, body, secret, { nowMs });
  }
});

test.each<[what: string, headers: Record<string, string>, body: Buffer, secret: string, reason: string]>([
  ['no signature', {}, body, 'key', 'no-signature'],
  ['another secret', sent('other'), body, 'key', 'wrong-signature'],
  ['an empty secret', sent('key'), body, '', 'wrong-signature'],
  ['another body', sent('key'), Buffer.from('{}'), 'key', 'wrong-signature'],
  ['an old request', sent('key', String(Number(timestamp) - 301)), body, 'key', 'bad-timestamp'],
  ['a request from the future', sent('key', String(Number(timestamp) + 301)), body, 'key', 'bad-timestamp'],
  ['no timestamp', { 'X-Service-Signature': sent('key')['X-Service-Signature'] ?? '' }, body, 'key', 'bad-timestamp'],
  ['a timestamp that is no number', { ...sent('key'), 'X-Service-Timestamp': 'NaN' }, body, 'key', 'bad-timestamp'],
  [
    'an old timestamp beside a new one',
    { ...sent('key'), 'webhook-timestamp': '1000000000' },
    body,
    'key',
    'bad-timestamp',
  ],
  ['another delivery', { ...standardOnly(sent('key')), 'webhook-id': 'x' }, body, 'key', 'wrong-signature'],
  [
    'a signature cut short',
    { ...contractOnly(sent('key')), 'X-Service-Signature': 'sha256=' },
    body,
    'key',
    'wrong-signature',
  ],
  [
    'a signature in capitals',
    { ...contractOnly(sent('key')), 'X-Service-Signature': (sent('key')['X-Service-Signature'] ?? '').toUpperCase() },
    body,
    'key',
    'wrong-signature',
  ],
])('%s is refused', async (_, headers, given, secret, reason) => {
  await expect(verifyWebhook(headers, given, secret, { nowMs })).rejects.toMatchObject({ reason });
});
