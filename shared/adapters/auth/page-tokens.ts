import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type PageTokens, wrongPageToken } from '../../app/paging/paging.ts';

/**
 * Page tokens signed with HMAC-SHA256 over the list's identity and the position, so that a token cannot be forged or used with another
 * list. The first key signs, and all verify, so that keys can be rotated.
 */
export function createPageTokens(newest: Buffer, ...older: readonly Buffer[]): PageTokens {
  const keys = [newest, ...older].map((bytes) => createSecretKey(bytes));
  const sign = (list: string, body: string, key = keys[0] as KeyObject) =>
    createHmac('sha256', key)
      .update(`${digest(list)}.${body}`)
      .digest()
      .subarray(0, 16);
  return {
    seal(list, position) {
      const body = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${body}.${sign(list, body).toString('base64url')}`;
    },
    open(list, token) {
      const [body = '', signature = '', ...rest] = token.split('.');
      const given = Buffer.from(signature, 'base64url');
      const isOf = (wanted: Buffer) => given.length === wanted.length && timingSafeEqual(given, wanted);
      if (rest.length > 0 || !keys.some((key) => isOf(sign(list, body, key)))) throw wrongPageToken();
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown[];
    },
  };
}

function digest(list: string): string {
  return hash('sha256', list, 'base64url');
}
