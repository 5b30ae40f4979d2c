import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSignedBy } from '../../../../shared/domain/guardian/trust.ts';

test('a signature holds for its text and key, and only in its one spelling', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const signature = sign(null, Buffer.from('text'), privateKey).toString('base64');
  expect(isSignedBy(key, 'text', signature)).toBe(true);
  expect(isSignedBy(key, 'another', signature)).toBe(false);
  const others = ['', 'AAAA', Buffer.alloc(63).toString('base64'), `${signature}AAAA`, `${signature} `];
  for (const other of [...others, signature.replace(/=+$/, ''), `-${signature.slice(1)}`, `!${signature}`])
    expect([other, isSignedBy(key, 'text', other)]).toEqual([other, false]);
});
