import type { Routes } from '../route.ts';
import { QuarantinedMessage, QuarantinedReport, QuarantineList, QuarantineQuery } from './quarantine.ts';

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
  retryQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/retry',
    scope: 'settings:write',
    summary: 'Read a quarantined report again. A device that may not register itself is registered by this.',
    answer: QuarantinedReport,
    refusals: ['invalid-transition'],
  },
  restoreQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/restore',
    scope: 'settings:write',
    summary: 'Take your own dismissal back within 60 s.',
    answer: QuarantinedReport,
    refusals: ['invalid-transition'],
  },
  dismissQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/dismiss',
    scope: 'settings:write',
    summary: 'Put a quarantined report aside for good.',
    answer: QuarantinedReport,
    refusals: ['invalid-transition'],
  },
} as const satisfies Routes;
