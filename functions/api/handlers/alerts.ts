import { acknowledgeAlert, getAlert, type VersionedAlert } from '../../../shared/app/alert-actions.ts';
import { listAlerts } from '../../../shared/app/list-alerts.ts';
import type { PageTokens } from '../../../shared/app/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { Answer, Handlers } from '../router.ts';

type AlertOperations = 'listAlerts' | 'listDeviceAlerts' | 'getAlert' | 'acknowledgeAlert';

export function alertHandlers(world: World, tokens: PageTokens): Pick<Handlers, AlertOperations> {
  return {
    listAlerts: async ({ query, bearer }) => ({ body: await listAlerts(world, bearer, query, tokens) }),
    listDeviceAlerts: async ({ query, bearer, params }) => ({
      body: await listAlerts(world, bearer, { ...query, deviceId: [params['deviceId'] ?? ''] }, tokens),
    }),
    getAlert: async ({ params, bearer }) => versioned(await getAlert(world, bearer, params['alertId'] ?? '')),
    acknowledgeAlert: async ({ params, bearer, body, ifVersion }) =>
      versioned(
        await acknowledgeAlert(world, bearer, params['alertId'] ?? '', {
          ...(body as { comment?: string }),
          ifVersion,
        }),
      ),
  };
}

function versioned({ alert, version }: VersionedAlert): Answer {
  return { body: alert, headers: { ETag: `"${version}"` } };
}
