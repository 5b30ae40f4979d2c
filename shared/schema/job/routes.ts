import type { Routes } from '../route.ts';
import { ErasureRequest } from './erasure.ts';
import { Job, JobStarted } from './job.ts';

/** Long work that calls have started. */
export const jobRoutes = {
  getJob: {
    method: 'get',
    path: '/v1/jobs/{jobId}',
    scope: 'settings:read',
    summary: 'How far a job is. A bearer limited to groups sees its own.',
    answer: Job,
  },
  cancelJob: {
    method: 'post',
    path: '/v1/jobs/{jobId}/cancel',
    scope: 'settings:write',
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
