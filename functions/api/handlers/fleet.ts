import { getFleet } from '../../../shared/app/fleet.ts';
import { listDevices } from '../../../shared/app/list-devices.ts';
import type { PageTokens } from '../../../shared/app/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import { listQuarantine } from '../../../shared/app/quarantine.ts';
import type { Handlers } from '../router.ts';

export function fleetHandlers(
  world: World,
  tokens: PageTokens,
): Pick<Handlers, 'getFleet' | 'listDevices' | 'listQuarantine'> {
  return {
    getFleet: async ({ bearer }) => ({ body: await getFleet(world, bearer) }),
    listDevices: async ({ query, bearer }) => ({ body: await listDevices(world, bearer, query, tokens) }),
    listQuarantine: async ({ query }) => ({ body: await listQuarantine(world, query, tokens) }),
  };
}
