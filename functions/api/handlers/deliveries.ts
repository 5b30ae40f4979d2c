import {
  dismissDelivery,
  getDelivery,
  listDeliveries,
  redeliver,
  restoreDelivery,
} from '../../../shared/app/deliveries/deliveries.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { deliveryRoutes } from '../../../shared/schema/delivery/routes.ts';
import type { Handlers } from '../handler.ts';

export function deliveryHandlers(tokens: PageTokens): Handlers<keyof typeof deliveryRoutes> {
  return {
    listDeliveries: async ({ world, query, bearer }) => ({ body: await listDeliveries(world, bearer, query, tokens) }),
    getDelivery: async ({ world, params, bearer }) => ({ body: await getDelivery(world, bearer, params.deliveryId) }),
    redeliver: async ({ world, params, bearer }) => ({ body: await redeliver(world, bearer, params.deliveryId) }),
    dismissDelivery: async ({ world, params, bearer }) => ({
      body: await dismissDelivery(world, bearer, params.deliveryId),
    }),
    restoreDelivery: async ({ world, params, bearer }) => ({
      body: await restoreDelivery(world, bearer, params.deliveryId),
    }),
  };
}
