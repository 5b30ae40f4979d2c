import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { CanarySeal } from '../../app/ports.ts';

/** Signs canaries with HMAC-SHA256. The same key signs page tokens, over texts of another form. */
export function createCanarySeal(bytes: Buffer): CanarySeal {
  const key = createSecretKey(bytes);
  const digestOf = (text: string) => createHmac('sha256', key).update(text).digest();
  return {
    sign: (text) => digestOf(text).toString('base64url'),
    verify(text, signature) {
      const given = Buffer.from(signature, 'base64url');
      const wanted = digestOf(text);
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    },
  };
}
