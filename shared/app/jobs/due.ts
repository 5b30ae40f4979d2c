import { isEnoughOfCall, type JobRecord, type JobStep, stepped } from '../../domain/job/job.ts';
import type { Instant } from '../../domain/time.ts';
import type { Decided } from '../commit/commit.ts';
import type { Stored, World, Write } from '../ports.ts';
import { stepOfAction } from './act-on-alerts.ts';
import { stepOfErasure } from './erasure.ts';
import { jobWakes } from './jobs.ts';
import { stepOfRetry } from './retry-quarantined.ts';

/** Does the next step of a job. Idempotent, and can be interrupted. The answer says whether the same call continues. */
export async function handleJobDue(
  world: World,
  { id, data, revision }: Stored<'jobs'>,
  now: Instant,
): Promise<Decided<boolean>> {
  const { writes = [], ...step } = await stepOf(world, data);
  const job = stepped(data, step, now);
  if (job.status === 'done') {
    const { matched, done, refused } = job;
    const { work } = data;
    world.log.info('job.done', { jobId: id, kind: work.kind, matched, done, refused });
  }
  const isEnough = isEnoughOfCall(job);
  return {
    writes: [{ kind: 'replace', in: 'jobs', id, data: job, revision }, ...writes],
    wakes: isEnough ? jobWakes(job) : [],
    answer: job.status === 'running' && !isEnough,
  };
}

/** `writes`: further writes of the commit that saves the progress. */
function stepOf(world: World, { work, after, createdBy }: JobRecord): Promise<JobStep & { writes?: Write[] }> {
  if (work.kind === 'erase') return stepOfErasure(world, work.about, after);
  if (work.kind === 'act-on-alerts') return stepOfAction(world, work, after, createdBy);
  const { frames } = world;
  if (!frames) throw new Error('Jobs need to sign frames.');
  return stepOfRetry(world, frames, work, after, createdBy);
}
