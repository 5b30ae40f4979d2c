import { JobStarted } from '../job/job.ts';
import type { Routes } from '../route.ts';
import {
  QuarantinedMessage,
  QuarantinedReport,
  QuarantineList,
  QuarantineQuery,
  RetryManyRequest,
} from './quarantine.ts';

/** Messages that could not be read. */
export const quarantineRoutes = {
  listQuarantine: {
    method: 'get',
    path: '/v1/quarantine',
    scope: 'settings:read',
    summary: 'List reports that could not be read, newest first.',
    query: QuarantineQuery,
    answer: QuarantineList,
  },
  getQuarantined: {
    method: 'get',
    path: '/v1/quarantine/{reportId}',
    scope: 'settings:read',
    summary: 'Read one of them with its bytes.',
    answer: QuarantinedMessage,
  },
  retryManyQuarantined: {
    method: 'post',
    path: '/v1/quarantine/retry',
    scope: 'settings:write',
    summary: 'Read many of them again, by reason and time, in a job.',
    body: RetryManyRequest,
    answer: JobStarted,
    status: 202,
  },
  retryQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/retry',
    scope: 'settings:write',
    summary: 'Read a quarantined report again. This also registers a device that may not register itself.',
    answer: QuarantinedReport,
    refusals: ['invalid-transition'],
  },
  restoreQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/restore',
    scope: 'settings:write',
    summary: 'Undo your own dismissal within 60 s.',
    answer: QuarantinedReport,
    refusals: ['invalid-transition'],
  },
  dismissQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/dismiss',
    scope: 'settings:write',
    summary: 'Dismiss a quarantined report.',
    answer: QuarantinedReport,
    refusals: ['invalid-transition'],
  },
} as const satisfies Routes;
