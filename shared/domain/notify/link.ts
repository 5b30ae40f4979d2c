import { createHash } from 'node:crypto';
import type { Delivery, Message } from '../delivery/delivery.ts';
import { linkLifeMs, retention } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import { withoutContacts } from './masked.ts';
import { occasionTable } from './occasions.ts';

/** A link in a message: whoever has it may acknowledge what it is about, once. Its id is the SHA-256 of its token, which is kept nowhere. */
export type LinkRecord = {
  linkId: string;
  kind: 'alert' | 'incident';
  /** The record that it is about. */
  id: string;
  /** To whom it was sent, masked: whoever acts by it acts as `link:<target>`. */
  target: string;
  expiresAt: Instant;
  usedAt: Instant | null;
  /** A while after it has expired, so that it is told from one that never was. */
  expireAt: Instant;
};

/** 128 random bits in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{22}$/;
const linkPattern = /\/t\/[A-Za-z0-9_-]{22}/g;

/** The id of the link that a token opens; null: it is none. */
export function linkIdOf(token: string): string | null {
  return tokenPattern.test(token) ? createHash('sha256').update(token).digest('hex') : null;
}

/** The link of a message that asks somebody to take something; null: it asks nothing. */
export function linkOf(
  { about, id, occasion }: Message,
  { targetName }: Pick<Delivery, 'targetName'>,
  token: string,
  now: Instant,
): LinkRecord | null {
  const linkId = linkIdOf(token);
  if (linkId === null || (about !== 'alert' && about !== 'incident')) return null;
  if (occasionTable[occasion].phase !== 'began') return null;
  const expiresAt = plus(now, linkLifeMs);
  const target = withoutContacts(targetName);
  return { linkId, kind: about, id, target, expiresAt, usedAt: null, expireAt: plus(expiresAt, retention.link) };
}

/** A text without the tokens of links in it: a gateway's answer may repeat what it was sent. */
export function withoutLinks(text: string | null): string | null {
  return text?.replaceAll(linkPattern, '/t/…') ?? null;
}
