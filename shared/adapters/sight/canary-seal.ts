import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { CanarySeal } from '../../app/ports.ts';

/**
 * Signs canaries with HMAC-SHA256 and the first key, and verifies with any of them, so that keys can be rotated. The same keys sign page tokens, over
 * texts of another form.
 */
export function createCanarySeal(newest: Buffer, ...older: readonly Buffer[]): CanarySeal {
  const keys = [newest, ...older].map((bytes) => createSecretKey(bytes));
  const digestOf = (text: string, key = keys[0] as KeyObject) => createHmac('sha256', key).update(text).digest();
  return {
    sign: (text) => digestOf(text).toString('base64url'),
    verify(text, signature) {
      const given = Buffer.from(signature, 'base64url');
      const isOf = (wanted: Buffer) => given.length === wanted.length && timingSafeEqual(given, wanted);
      return keys.some((key) => isOf(digestOf(text, key)));
    },
  };
}
