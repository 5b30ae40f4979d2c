import { ActionRequest, AlertList, DeviceAlertsQuery } from '../alert/alert.ts';
import { NoteRequest, SnoozeRequest } from '../alert/life.ts';
import { PageQuery } from '../common.ts';
import type { Routes } from '../route.ts';
import {
  Incident,
  IncidentExplanation,
  IncidentHistory,
  IncidentList,
  IncidentNotes,
  IncidentsQuery,
} from './incident.ts';

/**
 * Refusals of an action: the incident's state does not allow it, the caller has seen an older version, or the caller's
 * token does not have all groups of the incident.
 */
const refusalsOfAction = ['invalid-transition', 'precondition-failed'] as const;

/** Incidents, with the same actions as alerts. */
export const incidentRoutes = {
  listIncidents: {
    method: 'get',
    path: '/v1/incidents',
    scope: 'alerts:read',
    summary: 'List incidents, newest first. Default: open ones.',
    query: IncidentsQuery,
    answer: IncidentList,
  },
  getIncident: {
    method: 'get',
    path: '/v1/incidents/{incidentId}',
    scope: 'alerts:read',
    summary: 'Read one incident.',
    answer: Incident,
    isVersioned: true,
  },
  listIncidentAlerts: {
    method: 'get',
    path: '/v1/incidents/{incidentId}/alerts',
    scope: 'alerts:read',
    summary: 'List the alerts that belong to it, newest first. Default: every status.',
    query: DeviceAlertsQuery,
    answer: AlertList,
  },
  explainIncident: {
    method: 'get',
    path: '/v1/incidents/{incidentId}/explain',
    scope: 'alerts:read',
    summary: 'Explain an incident: who was notified and why, who was not and why, and what happens next.',
    answer: IncidentExplanation,
  },
  listIncidentHistory: {
    method: 'get',
    path: '/v1/incidents/{incidentId}/history',
    scope: 'alerts:read',
    summary: 'List the history of an incident, oldest first.',
    query: PageQuery,
    answer: IncidentHistory,
  },
  listIncidentNotes: {
    method: 'get',
    path: '/v1/incidents/{incidentId}/notes',
    scope: 'alerts:read',
    summary: 'List the notes of an incident, oldest first.',
    query: PageQuery,
    answer: IncidentNotes,
  },
  acknowledgeIncident: {
    method: 'post',
    path: '/v1/incidents/{incidentId}/acknowledge',
    scope: 'alerts:write',
    summary: 'Acknowledge an incident: somebody is working on it.',
    body: ActionRequest,
    answer: Incident,
    refusals: refusalsOfAction,
    isVersioned: true,
  },
  resolveIncident: {
    method: 'post',
    path: '/v1/incidents/{incidentId}/resolve',
    scope: 'alerts:write',
    summary: 'Resolve an incident.',
    body: ActionRequest,
    answer: Incident,
    refusals: refusalsOfAction,
    isVersioned: true,
  },
  snoozeIncident: {
    method: 'post',
    path: '/v1/incidents/{incidentId}/snooze',
    scope: 'alerts:write',
    summary:
      'Snooze an incident: nobody is notified of it until the end of the snooze, when its response time starts again.',
    body: SnoozeRequest,
    answer: Incident,
    refusals: refusalsOfAction,
    isVersioned: true,
  },
  unacknowledgeIncident: {
    method: 'post',
    path: '/v1/incidents/{incidentId}/unacknowledge',
    scope: 'alerts:write',
    summary: 'Undo your own acknowledgement within 60 s.',
    body: ActionRequest,
    answer: Incident,
    refusals: refusalsOfAction,
    isVersioned: true,
  },
  unsnoozeIncident: {
    method: 'post',
    path: '/v1/incidents/{incidentId}/unsnooze',
    scope: 'alerts:write',
    summary: 'Undo your own snooze within 60 s.',
    body: ActionRequest,
    answer: Incident,
    refusals: refusalsOfAction,
    isVersioned: true,
  },
  addIncidentNote: {
    method: 'post',
    path: '/v1/incidents/{incidentId}/notes',
    scope: 'alerts:write',
    summary: 'Add a note to an incident.',
    body: NoteRequest,
    answer: Incident,
    status: 201,
    refusals: refusalsOfAction,
    isVersioned: true,
  },
  reopenIncident: {
    method: 'post',
    path: '/v1/incidents/{incidentId}/reopen',
    scope: 'alerts:write',
    summary: 'Reopen a resolved incident; a new response time begins.',
    body: ActionRequest,
    answer: Incident,
    refusals: refusalsOfAction,
    isVersioned: true,
  },
} as const satisfies Routes;
