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
    matched: Type.Integer({ minimum: 0, description: 'Number of records at the time of the request.' }),
    done: Type.Integer({ minimum: 0 }),
    refused: Type.Integer({ minimum: 0, description: 'Records that it had to leave unchanged.' }),
    startedAt: Timestamp,
    endedAt: Nullable(Timestamp),
    createdBy: Type.String(),
    copies: Type.Optional(
      Type.Array(
        Type.Object(
          {
            copy: Type.String({ examples: ['backups'] }),
            days: Type.Integer({ description: 'Days after which no copy contains it any more.' }),
          },
          closed,
        ),
        { description: 'For an erasure: copies of records that it does not reach.' },
      ),
    ),
  },
  closed,
);
export type Job = Static<typeof Job>;

export const JobStarted = Type.Object(
  {
    // Null where no job was started: for a dry run, which only counts, and where no alert matches.
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
