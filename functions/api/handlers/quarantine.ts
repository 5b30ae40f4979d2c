import {
  dismissQuarantined,
  restoreQuarantined,
  retryQuarantined,
} from '../../../shared/app/intake/review-quarantine.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { Frames } from '../../../shared/app/ports.ts';
import { getQuarantined, listQuarantine } from '../../../shared/app/quarantine/quarantine.ts';
import type { quarantineRoutes } from '../../../shared/schema/quarantine/routes.ts';
import type { Handlers } from '../handler.ts';

export function quarantineHandlers(tokens: PageTokens, frames: Frames): Handlers<keyof typeof quarantineRoutes> {
  return {
    listQuarantine: async ({ world, query, bearer }) => ({ body: await listQuarantine(world, bearer, query, tokens) }),
    getQuarantined: async ({ world, params, bearer }) => ({
      body: await getQuarantined(world, bearer, params.reportId),
    }),
    retryQuarantined: async ({ world, params, bearer }) => ({
      body: await retryQuarantined(world, bearer, frames, params.reportId),
    }),
    restoreQuarantined: async ({ world, params, bearer }) => ({
      body: await restoreQuarantined(world, bearer, params.reportId),
    }),
    dismissQuarantined: async ({ world, params, bearer }) => ({
      body: await dismissQuarantined(world, bearer, params.reportId),
    }),
  };
}
