import type { Routes } from '../route.ts';
import { AuditList, AuditQuery } from './audit.ts';

/** Who did what. */
export const auditRoutes = {
  listAudit: {
    method: 'get',
    path: '/v1/audit',
    scope: 'audit:read',
    summary: 'List who changed what and who was refused, newest first.',
    query: AuditQuery,
    answer: AuditList,
  },
} as const satisfies Routes;
