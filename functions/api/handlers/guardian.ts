import { listGuardianAlerts } from '../../../shared/app/devices/list-guardian-alerts.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { guardianRoutes } from '../../../shared/schema/guardian/routes.ts';
import type { Handlers } from '../handler.ts';

export function guardianHandlers(tokens: PageTokens): Handlers<keyof typeof guardianRoutes> {
  return {
    listGuardianAlerts: async ({ world, query, bearer }) => ({
      body: await listGuardianAlerts(world, bearer, query, tokens),
    }),
  };
}
