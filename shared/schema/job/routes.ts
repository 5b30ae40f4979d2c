import type { Routes } from '../route.ts';
import { ErasureRequest } from './erasure.ts';
import { Job, JobStarted, MatchingRequest } from './job.ts';

/** Long work that calls have started. */
export const jobRoutes = {
  actOnMatchingAlerts: {
    method: 'post',
    path: '/v1/alerts/batch/matching',
    scope: 'alerts:write',
    summary: 'Perform one action on all alerts that match a filter now, in a job; `dryRun` counts them.',
    body: MatchingRequest,
    answer: JobStarted,
    status: 202,
  },
  getJob: {
    method: 'get',
    path: '/v1/jobs/{jobId}',
    scope: 'settings:read',
    orScope: 'alerts:read',
    summary:
      'Read the progress of a job. Without settings:read, or with a token limited to groups, only your own jobs.',
    answer: Job,
  },
  cancelJob: {
    method: 'post',
    path: '/v1/jobs/{jobId}/cancel',
    scope: 'settings:write',
    orScope: 'alerts:write',
    summary: 'End a job after its present step. Its changes so far stay.',
    answer: Job,
    refusals: ['invalid-transition'],
  },
  startErasure: {
    method: 'post',
    path: '/v1/erasures',
    scope: 'settings:write',
    summary: 'Erase the records of a device or a person, in a job. The fact that it was done stays.',
    body: ErasureRequest,
    answer: JobStarted,
    status: 202,
    refusals: ['invalid-transition', 'not-found'],
  },
} as const satisfies Routes;
