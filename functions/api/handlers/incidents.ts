import type { AlertCommand } from '../../../shared/app/alerts/actions.ts';
import { actOnIncident } from '../../../shared/app/incidents/actions.ts';
import {
  explainIncident,
  getIncident,
  listIncidentAlerts,
  listIncidentHistory,
  listIncidentNotes,
  listIncidents,
} from '../../../shared/app/incidents/incidents.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { incidentRoutes } from '../../../shared/schema/incident/routes.ts';
import { type Handlers, type ReceivedCall, versioned } from '../handler.ts';

export function incidentHandlers(tokens: PageTokens): Handlers<keyof typeof incidentRoutes> {
  type OnIncident = Omit<ReceivedCall<'getIncident'>, 'body'>;
  const act = async ({ world, params, bearer, ifVersion }: OnIncident, command: AlertCommand) => {
    const { incident, version } = await actOnIncident(world, bearer, params.incidentId, command, ifVersion);
    return versioned(incident, version);
  };
  return {
    listIncidents: async ({ world, query, bearer }) => ({ body: await listIncidents(world, bearer, query, tokens) }),
    getIncident: async ({ world, params, bearer }) => {
      const { incident, version } = await getIncident(world, bearer, params.incidentId);
      return versioned(incident, version);
    },
    listIncidentAlerts: async ({ world, params, query, bearer }) => ({
      body: await listIncidentAlerts(world, bearer, params.incidentId, query, tokens),
    }),
    explainIncident: async ({ world, params, bearer }) => ({
      body: await explainIncident(world, bearer, params.incidentId),
    }),
    listIncidentHistory: async ({ world, params, query, bearer }) => ({
      body: await listIncidentHistory(world, bearer, params.incidentId, query, tokens),
    }),
    listIncidentNotes: async ({ world, params, query, bearer }) => ({
      body: await listIncidentNotes(world, bearer, params.incidentId, query, tokens),
    }),
    acknowledgeIncident: async (call) => act(call, { ...call.body, kind: 'acknowledge' }),
    resolveIncident: async (call) => act(call, { ...call.body, kind: 'resolve' }),
    snoozeIncident: async (call) => act(call, { ...call.body, kind: 'snooze' }),
    unacknowledgeIncident: async (call) => act(call, { ...call.body, kind: 'unacknowledge' }),
    unsnoozeIncident: async (call) => act(call, { ...call.body, kind: 'unsnooze' }),
    addIncidentNote: async (call) => act(call, { ...call.body, kind: 'add-note' }),
    reopenIncident: async (call) => act(call, { ...call.body, kind: 'reopen' }),
  };
}
