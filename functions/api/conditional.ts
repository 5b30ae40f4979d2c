import { createHash } from 'node:crypto';

/** Headers that let a client keep an answer and ask whether it has changed. The tag is weak, because compressed bytes have the same tag. */
export function cacheHeaders(body: string): { ETag: string; 'Cache-Control': string } {
  return { ETag: `W/"${createHash('sha256').update(body).digest('base64url')}"`, 'Cache-Control': 'no-cache' };
}

/** Whether `If-None-Match` contains a tag, in a list or as `*`. The comparison is weak (RFC 9110, section 13.1.2). */
export function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  const named = (ifNoneMatch ?? '').split(',').map((text) => text.trim().replace(/^W\//, ''));
  return named.includes('*') || named.includes(tag.replace(/^W\//, ''));
}
