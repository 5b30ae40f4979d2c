import { v5 as uuidv5 } from 'uuid';
import type { GuardianAlert } from '../../schema/guardian/guardian-alert.ts';
import type { AlertCode } from '../../schema/vocabulary.ts';
import { type Instant, plus } from '../time.ts';
import { type Contact, contactKey } from './team.ts';

/** What messages are about: a code of the catalogue, or one of the guardian's. */
export type FoldedCode = AlertCode | GuardianAlert['alertCode'];

/**
 * The window that the first message to one receiver about one group and code opens. What follows is held and leaves as one digest. Only the
 * first message of a window writes here; each later alert notes the window on itself, and the digest counts those notes by a query.
 */
export type Fold = {
  foldId: string;
  contact: Contact;
  groupId: string;
  code: FoldedCode;
  windowId: string;
  openedAt: Instant;
  /** Its digest is done: the next message opens another window. */
  isClosed: boolean;
  /** Alerts that the digest of the window told of. */
  counted: number;
  /** A window before this one whose stragglers have not been looked for. */
  previous: { windowId: string; counted: number } | null;
  dueAt: Instant | null;
  version: number;
  expireAt: Instant;
};

const foldNamespace = 'b1b5b9a2-5d0f-5a55-9b0c-2f8f3f3f7d11';
/** A window whose digest is this late holds no more messages; what it held is told with the next digest. */
const forgottenAfterWindows = 3;
const day = 24 * 60 * 60_000;

export function foldIdOf(contact: Contact, groupId: string, code: FoldedCode): string {
  return uuidv5(JSON.stringify([contactKey(contact), groupId, code]), foldNamespace);
}

export type FoldDecision = { kind: 'first'; fold: Fold } | { kind: 'held'; windowId: string };

/** Whether a message goes at once and opens a window, or waits for the digest of the window that is open. */
export function decideFold(
  fold: Fold | null,
  given: { contact: Contact; groupId: string; code: FoldedCode },
  now: Instant,
  windowMs: number,
): FoldDecision {
  const isOpen = fold !== null && !fold.isClosed && now < plus(fold.openedAt, windowMs * forgottenAfterWindows);
  if (isOpen) return { kind: 'held', windowId: fold.windowId };
  const foldId = foldIdOf(given.contact, given.groupId, given.code);
  const isUnchecked = fold !== null && fold.dueAt !== null;
  return {
    kind: 'first',
    fold: {
      ...given,
      foldId,
      windowId: `${foldId}@${now}`,
      openedAt: now,
      isClosed: false,
      counted: 0,
      previous: isUnchecked ? { windowId: fold.windowId, counted: fold.counted } : null,
      dueAt: plus(now, windowMs),
      version: (fold?.version ?? 0) + 1,
      expireAt: plus(now, day),
    },
  };
}

/** How many alerts note a window, asked of the store. */
export type WindowCounts = { current: number; previous: number };

/**
 * What is due on a fold: at the window's end the digest, and a window later a look for alerts that were committed late.
 * `digest` 0: nothing to tell.
 */
export function closeFold(
  fold: Fold,
  counts: WindowCounts,
  now: Instant,
  windowMs: number,
): { fold: Fold; digest: number } {
  const stragglers = fold.previous ? Math.max(0, counts.previous - fold.previous.counted) : 0;
  const digest = Math.max(0, counts.current - fold.counted) + stragglers;
  const next = {
    ...fold,
    isClosed: true,
    counted: counts.current,
    previous: null,
    dueAt: fold.isClosed ? null : plus(now, windowMs),
    version: fold.version + 1,
  };
  return { fold: next, digest };
}

/** Windows that an alert notes, those of long ago left out: no digest counts them any more. */
export function withWindows(
  noted: readonly string[],
  added: readonly string[],
  now: Instant,
  windowMs: number,
): string[] {
  const oldest = plus(now, -10 * windowMs);
  const recent = noted.filter((windowId) => (windowId.split('@')[1] ?? '') >= oldest);
  return [...new Set([...recent, ...added])];
}
