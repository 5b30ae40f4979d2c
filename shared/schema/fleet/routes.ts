import Type from 'typebox';
import type { Routes } from '../route.ts';
import { Fleet } from './fleet.ts';
import { Now, NowQuery } from './now.ts';
import { Shift, ShiftQuery } from './shift.ts';
import { TrendsAnswer, TrendsQuery } from './trends.ts';

/** The state of the fleet: now, over time, and as a stream of changes. */
export const fleetRoutes = {
  getFleet: {
    method: 'get',
    path: '/v1/fleet',
    scope: 'alerts:read',
    summary: 'Read the health of the fleet.',
    answer: Fleet,
  },
  getNow: {
    method: 'get',
    path: '/v1/now',
    scope: 'alerts:read',
    summary: 'Read what is wrong now, the worst first, and who has it.',
    query: NowQuery,
    answer: Now,
  },
  getShift: {
    method: 'get',
    path: '/v1/shift',
    scope: 'alerts:read',
    summary:
      'Read the sheet of a hand-over: what is open, in whose hands, what is silent and until when. Default: now.',
    query: ShiftQuery,
    answer: Shift,
  },
  getTrends: {
    method: 'get',
    path: '/v1/fleet/trends',
    scope: 'alerts:read',
    summary: 'Read how many alerts opened over time, and how long people took to respond.',
    query: TrendsQuery,
    answer: TrendsAnswer,
  },
  streamChanges: {
    method: 'get',
    path: '/v1/stream',
    scope: 'alerts:read',
    summary: 'Stream changes as Server-Sent Events. `Last-Event-ID` resumes after a lost connection.',
    answer: Type.Unknown(),
    media: 'text/event-stream',
  },
} as const satisfies Routes;
