import Type, { type Static } from 'typebox';
import { AlertFilter } from '../alert/alert.ts';
import { comment, snooze } from '../alert/life.ts';
import { closed, Nullable, OneOf, Timestamp, Uuid } from '../common.ts';
import { jobKinds, jobStatuses } from '../vocabulary.ts';

/** Work that takes longer than a call, and how far it is. */
export const Job = Type.Object(
  {
    jobId: Uuid,
    kind: OneOf(jobKinds),
    status: OneOf(jobStatuses),
    matched: Type.Integer({ minimum: 0, description: 'Records that were found when it was asked for.' }),
    done: Type.Integer({ minimum: 0 }),
    refused: Type.Integer({ minimum: 0, description: 'Records that it looked at and had to leave as they are.' }),
    startedAt: Timestamp,
    endedAt: Nullable(Timestamp),
    createdBy: Type.String(),
  },
  closed,
);
export type Job = Static<typeof Job>;

export const JobStarted = Type.Object(
  {
    // null: only counted (`dryRun`).
    jobId: Nullable(Uuid),
    matched: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type JobStarted = Static<typeof JobStarted>;

/** One action on all alerts that match a filter when it is asked for. */
export const MatchingRequest = Type.Object(
  {
    action: OneOf(['acknowledge', 'resolve', 'snooze', 'reopen']),
    filter: AlertFilter,
    dryRun: Type.Optional(Type.Boolean({ description: 'Only counts them.' })),
    comment,
    ...snooze,
  },
  closed,
);
export type MatchingRequest = Static<typeof MatchingRequest>;
