import { createHash, timingSafeEqual } from 'node:crypto';
import type { Caller } from './bearer-auth.ts';

/** The caller with the scrape token: a monitoring system that gets no token from an issuer. It may read the metrics of every group. */
const scraper: Caller = {
  subject: 'scrape-token',
  scopes: new Set(['metrics:read']),
  groups: null,
  issuer: '',
  expiresAtMs: Number.POSITIVE_INFINITY,
  faultOfGroups: null,
};

/**
 * Recognizes the scrape token of the settings in an `Authorization` header. Null: another token, or none is configured. Compares hashes, so that
 * timing reveals nothing about the token or its length.
 */
export function createScrapeCaller(token: string | null): (header: string | null) => Caller | null {
  if (token === null) return () => null;
  const wanted = hash(`Bearer ${token}`);
  return (header) => (timingSafeEqual(hash((header ?? '').replace(/^bearer /i, 'Bearer ')), wanted) ? scraper : null);
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
