import type { Job } from '../../schema/job/job.ts';
import type { quarantineReasons } from '../../schema/vocabulary.ts';
import { type Instant, plus } from '../time.ts';
import type { ErasedSubject } from './erasure.ts';

/** What a job is to do. */
export type Work =
  | {
      kind: 'retry-quarantined';
      reasons: readonly (typeof quarantineReasons)[number][];
      since: Instant | null;
      /** No later than the call: what comes meanwhile is none of it. */
      until: Instant;
    }
  | {
      kind: 'erase';
      /** Null: it is over, and keeps no name of what it erased. */
      about: ErasedSubject | null;
    };

/** A job as it is stored: it is done step by step, each with its progress in one commit. */
export type JobRecord = Omit<Job, 'kind'> & {
  work: Work;
  /** Where the next step goes on; null: at the beginning. */
  after: readonly string[] | null;
  steps: number;
  dueAt: Instant | null;
  version: number;
  expireAt: Instant;
};

/** What a step came to. `after` null: it was the last. */
export type Step = { done: number; refused: number; after: readonly string[] | null };

const keptMs = 30 * 24 * 60 * 60_000;
/** Steps that one call does before it asks to be called again. */
const stepsOfCall = 20;

export function newJob(jobId: string, work: Work, matched: number, createdBy: string, now: Instant): JobRecord {
  return {
    ...{ jobId, work, matched, createdBy, status: 'running', done: 0, refused: 0, after: null, steps: 0, version: 1 },
    ...{ startedAt: now, endedAt: null, dueAt: now, expireAt: plus(now, keptMs) },
  };
}

export function stepped(job: JobRecord, { done, refused, after }: Step, now: Instant): JobRecord {
  const next = {
    ...{ ...job, after, steps: job.steps + 1, version: job.version + 1 },
    ...{ done: job.done + done, refused: job.refused + refused },
  };
  return after === null
    ? { ...next, ...over(job), status: 'done', endedAt: now, dueAt: null }
    : { ...next, dueAt: now };
}

/** Of an erasure that is over nothing says what it was about. */
function over({ work }: JobRecord): Pick<JobRecord, 'work' | 'after'> {
  return { work: work.kind === 'erase' ? { kind: 'erase', about: null } : work, after: null };
}

/** Whether the call that did a step has done enough, so that another goes on. */
export function isEnoughOfCall({ steps }: JobRecord): boolean {
  return steps % stepsOfCall === 0;
}

export function cancelled(job: JobRecord, now: Instant): JobRecord {
  return { ...job, ...over(job), status: 'cancelled', endedAt: now, dueAt: null, version: job.version + 1 };
}

export function toWireJob({
  jobId,
  work,
  status,
  matched,
  done,
  refused,
  startedAt,
  endedAt,
  createdBy,
}: JobRecord): Job {
  return { jobId, kind: work.kind, status, matched, done, refused, startedAt, endedAt, createdBy };
}
