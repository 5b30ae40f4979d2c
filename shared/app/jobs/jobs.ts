import { cancelled, type JobRecord, type JobWork, newJob, toWireJob } from '../../domain/job/job.ts';
import { AppError, notFound } from '../../errors.ts';
import type { Job, JobStarted } from '../../schema/job/job.ts';
import type { Scope } from '../../schema/scopes.ts';
import type { Bearer } from '../bearer.ts';
import { decideAndCommit } from '../commit/commit.ts';
import type { Reads, Stored, Wake, World } from '../ports.ts';

/** The wake of a job that is due. */
export function jobWakes({ jobId: id, version, dueAt }: JobRecord): Wake[] {
  return dueAt === null ? [] : [{ in: 'jobs', id, version, dueAt }];
}

/** Starts a job for a number of counted records. */
export async function startJob(
  world: World,
  { subject }: Bearer,
  jobId: string,
  work: JobWork,
  matched: number,
): Promise<JobStarted> {
  const job = newJob(jobId, work, matched, subject, world.now());
  return decideAndCommit(world, async () => ({
    writes: [{ kind: 'create', in: 'jobs', id: jobId, data: job }],
    wakes: jobWakes(job),
    answer: { jobId, matched },
  }));
}

/**
 * The progress of a job.
 * @throws AppError `not-found`
 */
export async function getJob(world: Reads<'jobs'>, bearer: Bearer, jobId: string): Promise<Job> {
  return toWireJob((await load(world, bearer, jobId, 'settings:read')).data);
}

/**
 * Ends a job between two steps. Idempotent.
 * @throws AppError `not-found`; `invalid-transition` for a job that is done
 */
export async function cancelJob(world: World, bearer: Bearer, jobId: string): Promise<Job> {
  return decideAndCommit(world, async () => {
    const { data, revision } = await load(world, bearer, jobId, 'settings:write');
    if (data.status === 'cancelled') return { writes: [], wakes: [], answer: toWireJob(data) };
    if (data.status === 'done') {
      throw new AppError('invalid-transition', 'The job is already done.', { members: { jobStatus: data.status } });
    }
    const job = cancelled(data, world.now());
    return {
      writes: [{ kind: 'replace', in: 'jobs', id: jobId, data: job, revision }],
      wakes: [],
      answer: toWireJob(job),
    };
  });
}

/** A job is visible to its creator, and to bearers with the scope and without group limits. */
async function load(
  { store }: Reads<'jobs'>,
  { subject, groups, scopes }: Bearer,
  jobId: string,
  scope: Scope,
): Promise<Stored<'jobs'>> {
  const [stored = null] = await store.get('jobs', [jobId]);
  if (!stored || (stored.data.createdBy !== subject && (groups !== null || !scopes.has(scope))))
    throw notFound(`job ${jobId}`);
  return stored;
}
