import { createHash, timingSafeEqual } from 'node:crypto';
import type { Caller } from './bearer-auth.ts';

/** Who calls with the scrape token: a monitoring system, for which no issuer makes tokens. It may read the metrics of every group. */
const scraper: Caller = {
  subject: 'scrape-token',
  scopes: new Set(['metrics:read']),
  groups: null,
  issuer: '',
  expiresAtMs: Number.POSITIVE_INFINITY,
};

/**
 * Recognizes the scrape token of the settings in an `Authorization` header. Null: it is another token, or none is set.
 * Hashes are compared, so that neither the time nor the length tells anything of the token.
 */
export function createScrapeCaller(token: string | null): (header: string | null) => Caller | null {
  if (token === null) return () => null;
  const wanted = hash(`Bearer ${token}`);
  return (header) => (timingSafeEqual(hash((header ?? '').replace(/^bearer /i, 'Bearer ')), wanted) ? scraper : null);
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
