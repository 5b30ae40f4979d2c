import type { PeopleChannel } from '../../schema/channels.ts';
import type { Instant } from '../time.ts';

/** A notice about the platform itself, sent once per id to a team: `operations`, unless it concerns another one. `dueAt` null: it was sent. */
export type Notice = {
  noticeId: string;
  team: string;
  kind: string;
  text: string;
  /** A channel that does not work: the notice takes every other one, text messages too. Absent: it takes the channels for notices. */
  without?: PeopleChannel;
  at: Instant;
  dueAt: Instant | null;
  expireAt: Instant;
};
