import type { HandoffEvent } from '../../../domain/delivery/handoff.ts';
import type { Instant } from '../../../domain/time.ts';
import type { HandoffSettings } from '../../../schema/settings/handoff.ts';
import type { HandoffWord } from '../../../schema/settings/handoff-kinds.ts';

/** What a kind makes its request of. `link`: the page in the console. */
export type Telling = {
  event: HandoffEvent;
  link: string;
  /** What the kind calls the severity. */
  severity: string;
  url: string;
  settings: HandoffSettings;
  credential: string | null;
  now: Instant;
};

/** The request by which a kind is told. */
type HandoffRequest = { url: string; headers: Record<string, string>; body: unknown };

/** One of the folders beside this: how a kind is told. */
export type RequestOf = (telling: Telling) => HandoffRequest;

/** A text of at most so many characters, where the receiver refuses longer ones. Half a pair at the end is left out. */
export function atMost(length: number, text: string): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Members of the event as texts, for those who show them as they are. */
export function wordsOf({ event, link, severity }: Telling): Record<HandoffWord, string> {
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

/** `Authorization: Basic`. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
