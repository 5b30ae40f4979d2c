import type { HandoffEvent } from '../../../domain/delivery/handoff.ts';
import type { Instant } from '../../../domain/time.ts';
import type { HandoffSettings } from '../../../schema/settings/handoff.ts';
import type { HandoffWord } from '../../../schema/settings/handoff-kinds.ts';

/** The input of a request builder. `link`: the page in the console; empty if the console's address is not set. */
export type HandoffParts = {
  event: HandoffEvent;
  link: string;
  /** The receiver's name of the severity. */
  severity: string;
  url: string;
  settings: HandoffSettings;
  credential: string | null;
  now: Instant;
};

/** The request for one event. */
type HandoffRequest = { url: string; headers: Record<string, string>; body: unknown };

/** Builds the request of one kind. Each kind has a folder beside this one. */
export type RequestOf = (parts: HandoffParts) => HandoffRequest;

/** A text of at most `length` characters, for receivers that refuse longer ones. Half of a surrogate pair at the end is dropped. */
export function atMost(length: number, text: string): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * The members of the event and the link as texts, for templates and for details that a receiver only shows. A null
 * member is empty. `severity` is the receiver's name of it.
 */
export function wordsOf({ event, link, severity }: HandoffParts): Record<HandoffWord, string> {
  const { path: _, priority, deviceId, groupId, site, ...rest } = event;
  return {
    ...rest,
    severity,
    priority: priority ?? '',
    deviceId: deviceId ?? '',
    groupId: groupId ?? '',
    site: site ?? '',
    link,
  };
}

/** The value of the `Authorization` header for the scheme Basic. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
