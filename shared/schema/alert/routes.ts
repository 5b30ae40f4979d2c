import { PageQuery } from '../common.ts';
import type { Routes } from '../route.ts';
import { ActionRequest, Alert, AlertList, AlertsQuery, DeviceAlertsQuery } from './alert.ts';
import { BatchRequest, BatchResult, Explanation, History, NoteList, NoteRequest, SnoozeRequest } from './life.ts';

/** Alerts, what is done to them and what became of them. */
export const alertRoutes = {
  listAlerts: {
    method: 'get',
    path: '/v1/alerts',
    scope: 'alerts:read',
    summary: 'List alerts, newest first; open ones unless `status` says otherwise.',
    query: AlertsQuery,
    answer: AlertList,
  },
  listDeviceAlerts: {
    method: 'get',
    path: '/v1/devices/{deviceId}/alerts',
    scope: 'alerts:read',
    summary: 'List the alerts of one device.',
    query: DeviceAlertsQuery,
    answer: AlertList,
  },
  getAlert: {
    method: 'get',
    path: '/v1/alerts/{alertId}',
    scope: 'alerts:read',
    summary: 'Read one alert.',
    answer: Alert,
  },
  acknowledgeAlert: {
    method: 'post',
    path: '/v1/alerts/{alertId}/acknowledge',
    scope: 'alerts:write',
    summary: 'Say that somebody is working on it.',
    body: ActionRequest,
    answer: Alert,
  },
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
} as const satisfies Routes;
