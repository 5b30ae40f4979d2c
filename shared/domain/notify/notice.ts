import type { PeopleChannel } from '../../schema/channels.ts';
import type { Instant } from '../time.ts';

/** A notice about the platform itself, sent once per id to a team: `operations`, unless it concerns another one. `dueAt` null: it was sent. */
export type Notice = {
  noticeId: string;
  /** Null: only the contact of `webhookId` gets it. */
  team: string | null;
  /** An endpoint whose contact gets it by mail too, if that is a mail address. */
  webhookId?: string;
  kind: string;
  text: string;
  /** A channel that does not work: the notice takes every other one, text messages too; null: every one. Absent: it takes the channels for notices. */
  without?: PeopleChannel | null;
  /** What is sent again with it, because a channel works again: to all of its receivers, or to one. */
  again?: { channel: PeopleChannel; since: Instant; targetId: string | null };
  at: Instant;
  dueAt: Instant | null;
  expireAt: Instant;
};
