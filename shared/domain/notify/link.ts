import { createHash } from 'node:crypto';
import type { Delivery, Message } from '../delivery/delivery.ts';
import { linkLifeMs, retention } from '../limits.ts';
import { type Instant, plus } from '../time.ts';
import { occasionTable } from './occasions.ts';
import { targetIdOf } from './target.ts';
import { everybodyIn, type Teams, withoutContacts } from './team.ts';

/**
 * A link in a message. Whoever has it can acknowledge its alert or incident once. The id is the SHA-256 of the token; the token itself is not stored.
 */
export type LinkRecord = {
  linkId: string;
  kind: 'alert' | 'incident';
  /** The record that it is about. */
  id: string;
  /** The masked address that it was sent to. Its user acts as `link:<target>`. */
  target: string;
  /** The receiver, and the team that contained it. The link is good as long as it does. */
  targetId: string;
  team: string;
  expiresAt: Instant;
  usedAt: Instant | null;
  /** Later than its own expiry, so that an expired link can be distinguished from an unknown one. */
  expireAt: Instant;
};

/** 128 random bits in base64url. */
const tokenPattern = /^[A-Za-z0-9_-]{22}$/;
const linkPattern = /\/t\/[A-Za-z0-9_-]{22}/g;

/** The id of a token's link. Null: the text is not a token. */
export function linkIdOf(token: string): string | null {
  return tokenPattern.test(token) ? createHash('sha256').update(token).digest('hex') : null;
}

/** The link of a message that asks for an acknowledgement, and of every text message, where no other address has room. Null: it has none. */
export function linkOf(
  { about, id, occasion }: Message,
  { target: receiver, targetName }: Pick<Delivery, 'target' | 'targetName'>,
  token: string,
  now: Instant,
): LinkRecord | null {
  const linkId = linkIdOf(token);
  if (linkId === null || (about !== 'alert' && about !== 'incident')) return null;
  if (!('team' in receiver) || receiver.kind === 'handoff') return null;
  if (occasionTable[occasion].phase !== 'began' && receiver.kind !== 'sms') return null;
  const expiresAt = plus(now, linkLifeMs);
  const target = withoutContacts(targetName);
  const to = { target, targetId: targetIdOf({ target: receiver }), team: receiver.team };
  return { linkId, kind: about, id, ...to, expiresAt, usedAt: null, expireAt: plus(expiresAt, retention.link) };
}

/** Whether the receiver of a link is still in the team that it was sent to. */
export function isStillIn({ team, targetId }: LinkRecord, teams: Teams): boolean {
  const record = teams.get(team);
  return record !== undefined && everybodyIn(record).some((contact) => targetIdOf(contact) === targetId);
}

/** Removes link tokens from a text, because a gateway's answer may repeat the message. */
export function withoutLinks(text: string | null): string | null {
  return text?.replaceAll(linkPattern, '/t/…') ?? null;
}
