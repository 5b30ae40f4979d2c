import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { signContract, signingKey, signStandard } from '../../../../../shared/adapters/channels/webhook/signing.ts';

const body = Buffer.from('{"a":1}');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

test('the contract signs timestamp and body with the text of the secret, whatever its form', () => {
  for (const secret of ['s3cret', 'whsec_c2VjcmV0']) {
    const wanted = hmac(secret, '2026-11-20T10:00:00.000Z.{"a":1}').digest('hex');
    expect(signContract(signingKey(secret).contract, '2026-11-20T10:00:00.000Z', body)).toBe(`sha256=${wanted}`);
  }
});

test('Standard Webhooks signs id, timestamp and body with the bytes behind `whsec_`, or the text', () => {
  const signed = (secret: string) => signStandard(signingKey(secret).standard, 'id-1', '1763632800', body);
  const wanted = (key: string | Buffer) => `v1,${hmac(key, 'id-1.1763632800.{"a":1}').digest('base64')}`;
  expect(signed('whsec_c2VjcmV0')).toBe(wanted('secret'));
  expect(signed('whsec_cw==')).toBe(wanted('s'));
  expect(signed('s3cret')).toBe(wanted('s3cret'));
  expect(signed('x_whsec_c2VjcmV0')).toBe(wanted('x_whsec_c2VjcmV0'));
  // Neither text decodes to any bytes, and a key must not be empty.
  expect(signed('whsec_')).toBe(wanted('whsec_'));
  expect(signed('whsec_!')).toBe(wanted('whsec_!'));
});
