import {
  dismissDelivery,
  getDelivery,
  listDeliveries,
  redeliver,
  restoreDelivery,
} from '../../../shared/app/deliveries/deliveries.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { deliveryRoutes } from '../../../shared/schema/delivery/routes.ts';
import type { Handlers } from '../handler.ts';

export function deliveryHandlers(world: World, tokens: PageTokens): Handlers<keyof typeof deliveryRoutes> {
  return {
    listDeliveries: async ({ query, bearer }) => ({ body: await listDeliveries(world, bearer, query, tokens) }),
    getDelivery: async ({ params, bearer }) => ({ body: await getDelivery(world, bearer, params.deliveryId) }),
    redeliver: async ({ params, bearer }) => ({ body: await redeliver(world, bearer, params.deliveryId) }),
    dismissDelivery: async ({ params, bearer }) => ({ body: await dismissDelivery(world, bearer, params.deliveryId) }),
    restoreDelivery: async ({ params, bearer }) => ({ body: await restoreDelivery(world, bearer, params.deliveryId) }),
  };
}
