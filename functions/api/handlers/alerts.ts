import { type AlertCommand, actOnAlert, getAlert, type VersionedAlert } from '../../../shared/app/alerts/actions.ts';
import { actOnAlerts } from '../../../shared/app/alerts/batch.ts';
import { explainAlert } from '../../../shared/app/alerts/explain.ts';
import { listHistory, listNotes } from '../../../shared/app/alerts/history.ts';
import { listAlerts } from '../../../shared/app/alerts/list.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { BatchRequest } from '../../../shared/schema/alert/life.ts';
import type { Answer, Call, Handlers } from '../router.ts';

type AlertOperations =
  | 'listAlerts'
  | 'listDeviceAlerts'
  | 'getAlert'
  | 'acknowledgeAlert'
  | 'resolveAlert'
  | 'snoozeAlert'
  | 'unacknowledgeAlert'
  | 'unsnoozeAlert'
  | 'addAlertNote'
  | 'reopenAlert'
  | 'listAlertHistory'
  | 'listAlertNotes'
  | 'explainAlert'
  | 'actOnAlerts';

export function alertHandlers(world: World, tokens: PageTokens): Pick<Handlers, AlertOperations> {
  const action =
    (kind: AlertCommand['kind']) =>
    async ({ params, bearer, body, ifVersion }: Call): Promise<Answer> => {
      const command = { ...(body as object), kind } as AlertCommand;
      return versioned(await actOnAlert(world, bearer, params['alertId'] ?? '', command, ifVersion));
    };
  return {
    listAlerts: async ({ query, bearer }) => ({ body: await listAlerts(world, bearer, query, tokens) }),
    listDeviceAlerts: async ({ query, bearer, params }) => ({
      body: await listAlerts(world, bearer, { ...query, deviceId: [params['deviceId'] ?? ''] }, tokens),
    }),
    getAlert: async ({ params, bearer }) => versioned(await getAlert(world, bearer, params['alertId'] ?? '')),
    acknowledgeAlert: action('acknowledge'),
    resolveAlert: action('resolve'),
    snoozeAlert: action('snooze'),
    unacknowledgeAlert: action('unacknowledge'),
    unsnoozeAlert: action('unsnooze'),
    addAlertNote: action('add-note'),
    reopenAlert: action('reopen'),
    listAlertHistory: async ({ params, query, bearer }) => ({
      body: await listHistory(world, bearer, params['alertId'] ?? '', query, tokens),
    }),
    listAlertNotes: async ({ params, query, bearer }) => ({
      body: await listNotes(world, bearer, params['alertId'] ?? '', query, tokens),
    }),
    explainAlert: async ({ params, bearer }) => ({ body: await explainAlert(world, bearer, params['alertId'] ?? '') }),
    actOnAlerts: async ({ bearer, body }) => ({ body: await actOnAlerts(world, bearer, body as BatchRequest) }),
  };
}

function versioned({ alert, version }: VersionedAlert): Answer {
  return { body: alert, headers: { ETag: `"${version}"` } };
}
