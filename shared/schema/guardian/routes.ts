import type { Routes } from '../route.ts';
import { GuardianAlertList, GuardianAlertsQuery } from './guardian-alert.ts';

/** Alerts that the configuration guardians published. */
export const guardianRoutes = {
  listGuardianAlerts: {
    method: 'get',
    path: '/v1/guardian-alerts',
    scope: 'alerts:read',
    summary: 'List guardian alerts as they were received, newest first.',
    query: GuardianAlertsQuery,
    answer: GuardianAlertList,
  },
} as const satisfies Routes;
