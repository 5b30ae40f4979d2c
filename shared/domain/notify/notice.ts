import type { Instant } from '../time.ts';

/** Something about the platform itself that the team `operations` must know; told once per id. `dueAt` null: it has been told. */
export type Notice = {
  noticeId: string;
  kind: string;
  text: string;
  at: Instant;
  dueAt: Instant | null;
  expireAt: Instant;
};
