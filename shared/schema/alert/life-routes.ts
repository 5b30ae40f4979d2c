import Type from 'typebox';
import type { Route } from '../routes.ts';
import { ActionRequest, Alert } from './alert.ts';
import {
  BatchRequest,
  BatchResult,
  Explanation,
  History,
  NoteList,
  NoteRequest,
  PageQuery,
  SnoozeRequest,
  TrendsAnswer,
  TrendsQuery,
} from './life.ts';

/** What is done to alerts, what became of them, and how the fleet fares. */
export const alertLifeRoutes = {
  resolveAlert: {
    method: 'post',
    path: '/v1/alerts/{alertId}/resolve',
    scope: 'alerts:write',
    summary: 'Say that it is fixed.',
    body: ActionRequest,
    answer: Alert,
  },
  snoozeAlert: {
    method: 'post',
    path: '/v1/alerts/{alertId}/snooze',
    scope: 'alerts:write',
    summary: 'Be quiet about it for a while; the response time starts anew at the end.',
    body: SnoozeRequest,
    answer: Alert,
  },
  addAlertNote: {
    method: 'post',
    path: '/v1/alerts/{alertId}/notes',
    scope: 'alerts:write',
    summary: 'Write down what is known.',
    body: NoteRequest,
    answer: Alert,
    status: 201,
  },
  reopenAlert: {
    method: 'post',
    path: '/v1/alerts/{alertId}/reopen',
    scope: 'alerts:write',
    summary: 'Take it up again; a new response time begins.',
    body: ActionRequest,
    answer: Alert,
  },
  listAlertHistory: {
    method: 'get',
    path: '/v1/alerts/{alertId}/history',
    scope: 'alerts:read',
    summary: 'List what happened to it, oldest first.',
    query: PageQuery,
    answer: History,
  },
  listAlertNotes: {
    method: 'get',
    path: '/v1/alerts/{alertId}/notes',
    scope: 'alerts:read',
    summary: 'List its notes, oldest first.',
    query: PageQuery,
    answer: NoteList,
  },
  explainAlert: {
    method: 'get',
    path: '/v1/alerts/{alertId}/explain',
    scope: 'alerts:read',
    summary: 'Whom it told and why, whom not and why, and what comes next.',
    answer: Explanation,
  },
  actOnAlerts: {
    method: 'post',
    path: '/v1/alerts/batch',
    scope: 'alerts:write',
    summary: 'One action on up to 100 alerts, answered one by one.',
    body: BatchRequest,
    answer: BatchResult,
  },
  getTrends: {
    method: 'get',
    path: '/v1/fleet/trends',
    scope: 'alerts:read',
    summary: 'Alerts opened over time, and how long people took.',
    query: TrendsQuery,
    answer: TrendsAnswer,
  },
  streamChanges: {
    method: 'get',
    path: '/v1/stream',
    scope: 'alerts:read',
    summary: 'Changes as Server-Sent Events; `Last-Event-ID` goes on where a connection broke.',
    answer: Type.Unknown(),
  },
} as const satisfies Record<string, Route>;
