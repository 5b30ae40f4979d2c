import { listBridges, removeBridge } from '../../../shared/app/sight/bridges.ts';
import type { bridgeRoutes } from '../../../shared/schema/bridge/routes.ts';
import type { Handlers } from '../handler.ts';

export function bridgeHandlers(): Handlers<keyof typeof bridgeRoutes> {
  return {
    listBridges: async ({ world }) => ({ body: await listBridges(world) }),
    removeBridge: async ({ world, params }) => {
      await removeBridge(world, params);
      return { body: null };
    },
  };
}
