import type { Limits } from '../../../shared/adapters/http/limits.ts';
import {
  dismissDelivery,
  getDelivery,
  listDeliveries,
  redeliver,
  restoreDelivery,
} from '../../../shared/app/deliveries/deliveries.ts';
import { readEvents } from '../../../shared/app/events/feed.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { deliveryRoutes } from '../../../shared/schema/delivery/routes.ts';
import type { eventRoutes } from '../../../shared/schema/event/routes.ts';
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

/**
 * The event feed for clients that fetch events.
 * @param everyMs how often a waiting call polls
 */
export function eventHandlers(limits: Limits, everyMs: number): Handlers<keyof typeof eventRoutes> {
  return {
    async listEvents({ world, bearer, query, gone }) {
      const leave = query.wait ? limits.awaitEvents(bearer.subject) : () => {};
      // A reader that crashes and comes back finds its place free.
      gone.addEventListener('abort', leave, { once: true });
      try {
        return { body: await readEvents(world, bearer, query, everyMs, gone) };
      } finally {
        leave();
        gone.removeEventListener('abort', leave);
      }
    },
  };
}
