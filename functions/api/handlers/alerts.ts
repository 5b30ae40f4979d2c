import { type AlertCommand, actOnAlert, getAlert } from '../../../shared/app/alerts/actions.ts';
import { actOnAlerts } from '../../../shared/app/alerts/batch.ts';
import { explainAlert } from '../../../shared/app/alerts/explain.ts';
import { listHistory, listNotes } from '../../../shared/app/alerts/history.ts';
import { listAlerts, listDeviceAlerts } from '../../../shared/app/alerts/list.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { alertRoutes } from '../../../shared/schema/alert/routes.ts';
import { type Handlers, type ReceivedCall, versioned } from '../handler.ts';

export function alertHandlers(tokens: PageTokens): Handlers<keyof typeof alertRoutes> {
  type OnAlert = Omit<ReceivedCall<'getAlert'>, 'body'>;
  const act = async ({ world, params, bearer, ifVersion }: OnAlert, command: AlertCommand) => {
    const { alert, version } = await actOnAlert(world, bearer, params.alertId, command, ifVersion);
    return versioned(alert, version);
  };
  return {
    listAlerts: async ({ world, query, bearer }) => ({ body: await listAlerts(world, bearer, query, tokens) }),
    listDeviceAlerts: async ({ world, query, bearer, params }) => ({
      body: await listDeviceAlerts(world, bearer, params.deviceId, query, tokens),
    }),
    getAlert: async ({ world, params, bearer }) => {
      const { alert, version } = await getAlert(world, bearer, params.alertId);
      return versioned(alert, version);
    },
    acknowledgeAlert: async (call) => act(call, { ...call.body, kind: 'acknowledge' }),
    resolveAlert: async (call) => act(call, { ...call.body, kind: 'resolve' }),
    snoozeAlert: async (call) => act(call, { ...call.body, kind: 'snooze' }),
    unacknowledgeAlert: async (call) => act(call, { ...call.body, kind: 'unacknowledge' }),
    unsnoozeAlert: async (call) => act(call, { ...call.body, kind: 'unsnooze' }),
    addAlertNote: async (call) => act(call, { ...call.body, kind: 'add-note' }),
    reopenAlert: async (call) => act(call, { ...call.body, kind: 'reopen' }),
    listAlertHistory: async ({ world, params, query, bearer }) => ({
      body: await listHistory(world, bearer, params.alertId, query, tokens),
    }),
    listAlertNotes: async ({ world, params, query, bearer }) => ({
      body: await listNotes(world, bearer, params.alertId, query, tokens),
    }),
    explainAlert: async ({ world, params, bearer }) => ({ body: await explainAlert(world, bearer, params.alertId) }),
    actOnAlerts: async ({ world, bearer, body }) => ({ body: await actOnAlerts(world, bearer, body) }),
  };
}
