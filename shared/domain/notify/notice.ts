import type { Instant } from '../time.ts';

/** A notice about the platform itself for the team `operations`, sent once per id. `dueAt` null: it was sent. */
export type Notice = {
  noticeId: string;
  kind: string;
  text: string;
  at: Instant;
  dueAt: Instant | null;
  expireAt: Instant;
};
