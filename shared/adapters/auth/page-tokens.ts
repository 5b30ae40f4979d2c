import { createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto';
import { type PageTokens, wrongPageToken } from '../../app/paging/paging.ts';

/**
 * Page tokens signed with HMAC-SHA256 over the list's identity and the position, so that a token cannot be forged or used with another
 * list.
 */
export function createPageTokens(bytes: Buffer): PageTokens {
  const key = createSecretKey(bytes);
  const sign = (list: string, body: string) =>
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
      const wanted = sign(list, body);
      if (rest.length > 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw wrongPageToken();
      return JSON.parse(Buffer.from(body, 'base64url').toString()) as unknown[];
    },
  };
}

function digest(list: string): string {
  return hash('sha256', list, 'base64url');
}
