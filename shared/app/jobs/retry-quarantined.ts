import type { JobStep, JobWork } from '../../domain/job/job.ts';
import { earliest, toInstant } from '../../domain/time.ts';
import { AppError } from '../../errors.ts';
import type { JobStarted } from '../../schema/job/job.ts';
import type { RetryManyRequest } from '../../schema/quarantine/quarantine.ts';
import { quarantineReasons } from '../../schema/vocabulary.ts';
import type { Bearer } from '../bearer.ts';
import { retryQuarantined } from '../intake/review-quarantine.ts';
import type { Filter, Frames, World } from '../ports.ts';
import { startJob } from './jobs.ts';

type Retry = Extract<JobWork, { kind: 'retry-quarantined' }>;

/** Reports per step. */
const reportsOfStep = 25;

/** Retries all quarantined messages with these reasons since a time, in the background. `dryRun` only counts them. */
export async function retryMany(
  world: World,
  bearer: Bearer,
  jobId: string,
  { reasons, since, until, dryRun = false }: RetryManyRequest,
): Promise<JobStarted> {
  const now = world.now();
  const work: Retry = {
    kind: 'retry-quarantined',
    reasons: reasons ?? [...quarantineReasons],
    since: since === undefined ? null : toInstant(since),
    until: earliest([until === undefined ? now : toInstant(until), now]) ?? now,
  };
  const matched = await world.store.count({ in: 'quarantine', where: filtersOf(work) });
  return dryRun ? { jobId: null, matched } : startJob(world, bearer, jobId, work, matched);
}

/**
 * Retries the next messages, oldest first. Later steps do not find messages that became reports, and skip those that still cannot be read, so a step
 * can be repeated.
 */
export async function stepOfRetry(
  world: World,
  frames: Frames,
  work: Retry,
  after: readonly string[] | null,
  createdBy: string,
): Promise<JobStep> {
  const bearer: Bearer = { subject: createdBy, scopes: new Set(), groups: null };
  const found = await world.store.find({
    in: 'quarantine',
    where: filtersOf(work),
    orderBy: [['quarantinedAt', 'asc']],
    limit: reportsOfStep,
    ...(after === null ? {} : { after: [...after] }),
  });
  let done = 0;
  // One at a time, because the reports of a device must keep their order.
  for (const { id } of found) {
    if (await isRetried(world, bearer, frames, id)) done += 1;
  }
  const last = found.at(-1);
  const isLast = found.length < reportsOfStep || !last;
  return { done, refused: found.length - done, after: isLast ? null : [last.data.quarantinedAt, last.id] };
}

/** A message that cannot be retried stays and does not stop the others, even if the cause is an internal error. */
async function isRetried(world: World, bearer: Bearer, frames: Frames, reportId: string): Promise<boolean> {
  try {
    return (await retryQuarantined(world, bearer, frames, reportId)).status === 'retried';
  } catch (error) {
    if (!(error instanceof AppError)) world.log.error('retry.failed', { reportId, error: String(error) });
    return false;
  }
}

function filtersOf({ reasons, since, until }: Retry): Filter<'quarantine'>[] {
  return [
    { field: 'status', is: '==', value: 'quarantined' },
    { field: 'reason', is: 'in', value: reasons },
    ...(since === null ? [] : [{ field: 'quarantinedAt', is: '>=', value: since } as const]),
    { field: 'quarantinedAt', is: '<=', value: until },
  ];
}
