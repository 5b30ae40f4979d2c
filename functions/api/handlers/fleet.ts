import { getFleet } from '../../../shared/app/fleet/fleet.ts';
import { getTrends } from '../../../shared/app/fleet/trends.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { Handlers } from '../router.ts';

export function fleetHandlers(world: World): Pick<Handlers, 'getFleet' | 'getTrends'> {
  return {
    getFleet: async ({ bearer }) => ({ body: await getFleet(world, bearer) }),
    getTrends: async ({ bearer, query }) => ({ body: await getTrends(world, bearer, query) }),
  };
}
