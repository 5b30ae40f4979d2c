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
    summary: 'How far a job is. Who lacks settings:read, or is limited to groups, sees their own.',
    answer: Job,
  },
  cancelJob: {
    method: 'post',
    path: '/v1/jobs/{jobId}/cancel',
    scope: 'settings:write',
    orScope: 'alerts:write',
    summary: 'End a job after the step that it is at. What it has done stays.',
    answer: Job,
    refusals: ['invalid-transition'],
  },
  startErasure: {
    method: 'post',
    path: '/v1/erasures',
    scope: 'settings:write',
    summary: 'Erase what is kept of a device or of a person, in a job. That it was done stays.',
    body: ErasureRequest,
    answer: JobStarted,
    status: 202,
    refusals: ['limited-to-groups'],
  },
} as const satisfies Routes;
