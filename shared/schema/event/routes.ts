import type { Routes } from '../route.ts';
import { FeedPage, FeedQuery } from './event.ts';

/** The events that webhooks send, for receivers that fetch them. */
export const eventRoutes = {
  listEvents: {
    method: 'get',
    path: '/v1/events',
    scope: 'events:read',
    summary: 'Read events in order, after a cursor.',
    query: FeedQuery,
    answer: FeedPage,
    refusals: ['cursor-expired'],
  },
} as const satisfies Routes;
