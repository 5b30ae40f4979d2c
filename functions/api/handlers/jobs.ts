import { actOnMatching } from '../../../shared/app/jobs/act-on-alerts.ts';
import { startErasure } from '../../../shared/app/jobs/erasure.ts';
import { cancelJob, getJob } from '../../../shared/app/jobs/jobs.ts';
import type { JobStarted } from '../../../shared/schema/job/job.ts';
import type { jobRoutes } from '../../../shared/schema/job/routes.ts';
import type { Answer, Handlers } from '../handler.ts';

export function jobHandlers(newId: () => string): Handlers<keyof typeof jobRoutes> {
  return {
    actOnMatchingAlerts: async ({ world, bearer, body }) => started(await actOnMatching(world, bearer, newId(), body)),
    getJob: async ({ world, params, bearer }) => ({ body: await getJob(world, bearer, params.jobId) }),
    startErasure: async ({ world, bearer, body }) =>
      started(await startErasure(world, bearer, body, { jobId: newId(), alias: newId().slice(0, 8) })),
    cancelJob: async ({ world, params, bearer }) => ({ body: await cancelJob(world, bearer, params.jobId) }),
  };
}

/** The answer to a call that starts a job, with the address of its progress. `jobId` null: no job was needed. */
export function started(body: JobStarted): Answer<JobStarted> {
  return body.jobId === null ? { body } : { body, headers: { Location: `/v1/jobs/${body.jobId}` } };
}
