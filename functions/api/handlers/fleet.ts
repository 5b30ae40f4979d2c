import { getFleet } from '../../../shared/app/fleet.ts';
import type { World } from '../../../shared/app/ports.ts';
import type { Handlers } from '../router.ts';

export function fleetHandlers(world: World): Pick<Handlers, 'getFleet'> {
  return {
    getFleet: async ({ bearer }) => ({ body: await getFleet(world, bearer) }),
  };
}
