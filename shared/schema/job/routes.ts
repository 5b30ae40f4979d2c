import type { Routes } from '../route.ts';
import { Job } from './job.ts';

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
} as const satisfies Routes;
