import type { Routes } from '../route.ts';
import { Me } from './me.ts';

/** The caller's own token. */
export const meRoutes = {
  getMe: {
    method: 'get',
    path: '/v1/me',
    scope: 'any-token',
    summary: 'Read what the own token allows: subject, scopes, groups, and what is missing.',
    answer: Me,
  },
} as const satisfies Routes;
