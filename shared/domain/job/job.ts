import type { AlertFilter } from '../../schema/alert/alert.ts';
import type { Job } from '../../schema/job/job.ts';
import type { quarantineReasons } from '../../schema/vocabulary.ts';
import { type Instant, plus } from '../time.ts';
import { copiesKept, type ErasedSubject } from './erasure.ts';

/** The task of a job. */
export type JobWork = RetryQuarantined | ActOnAlerts | Erase;

/** One action on the alerts that matched at the time of the request. */
export type ActOnAlerts = {
  kind: 'act-on-alerts';
  /** Its time range ends at the request, so later alerts are not included. */
  filter: Omit<AlertFilter, 'q'>;
  /** The groups that its creator could see then. Null: all. */
  groups: readonly string[] | null;
  command: { comment?: string } & ({ kind: 'acknowledge' | 'resolve' | 'reopen' } | { kind: 'snooze'; until: Instant });
};

type RetryQuarantined = {
  kind: 'retry-quarantined';
  reasons: readonly (typeof quarantineReasons)[number][];
  since: Instant | null;
  /** No later than the request, so later messages are not included. */
  until: Instant;
};

type Erase = {
  kind: 'erase';
  /** Null: the job is over and no longer keeps what it erased. */
  about: ErasedSubject | null;
};

/** A stored job. It runs in steps, each with its progress in one commit. */
export type JobRecord = Omit<Job, 'kind' | 'copies'> & {
  work: JobWork;
  /** Where the next step continues. Null: at the beginning. */
  after: readonly string[] | null;
  steps: number;
  dueAt: Instant | null;
  version: number;
  expireAt: Instant;
};

/** The result of a step. `after` null: it was the last one. */
export type JobStep = { done: number; refused: number; after: readonly string[] | null };

const keptMs = 30 * 24 * 60 * 60_000;
/** Steps per call. The job then requests another call. */
const stepsOfCall = 20;

export function newJob(jobId: string, work: JobWork, matched: number, createdBy: string, now: Instant): JobRecord {
  return {
    ...{ jobId, work, matched, createdBy, status: 'running', done: 0, refused: 0, after: null, steps: 0, version: 1 },
    ...{ startedAt: now, endedAt: null, dueAt: now, expireAt: plus(now, keptMs) },
  };
}

export function stepped(job: JobRecord, { done, refused, after }: JobStep, now: Instant): JobRecord {
  const next = {
    ...{ ...job, after, steps: job.steps + 1, version: job.version + 1 },
    ...{ done: job.done + done, refused: job.refused + refused },
  };
  return after === null
    ? { ...next, ...over(job), status: 'done', endedAt: now, dueAt: null }
    : { ...next, dueAt: now };
}

/** An erasure that is over keeps nothing that identifies its subject. */
function over({ work }: JobRecord): Pick<JobRecord, 'work' | 'after'> {
  return { work: work.kind === 'erase' ? { kind: 'erase', about: null } : work, after: null };
}

/** Whether the present call has done enough steps. */
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
  const job = { jobId, kind: work.kind, status, matched, done, refused, startedAt, endedAt, createdBy };
  return work.kind === 'erase' ? { ...job, copies: [...copiesKept] } : job;
}
