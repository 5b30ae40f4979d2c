import { listGuardianAlerts } from '../../../shared/app/devices/list-guardian-alerts.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { guardianRoutes } from '../../../shared/schema/guardian/routes.ts';
import type { Handlers } from '../handler.ts';

export function guardianHandlers(world: World, tokens: PageTokens): Handlers<keyof typeof guardianRoutes> {
  return {
    listGuardianAlerts: async ({ query, bearer }) => ({ body: await listGuardianAlerts(world, bearer, query, tokens) }),
  };
}
