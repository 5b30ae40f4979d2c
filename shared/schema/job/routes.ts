import type { Routes } from '../route.ts';
import { Job } from './job.ts';

/** Long work that calls have started. */
export const jobRoutes = {
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
} as const satisfies Routes;
