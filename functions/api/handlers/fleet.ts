import type { Limits } from '../../../shared/adapters/http/limits.ts';
import type { ChangeStream } from '../../../shared/app/fleet/change-stream.ts';
import { getFleet } from '../../../shared/app/fleet/fleet.ts';
import { getTrends } from '../../../shared/app/fleet/trends.ts';
import { getNow } from '../../../shared/app/now/read.ts';
import { getShift } from '../../../shared/app/now/shift.ts';
import { listBridges, removeBridge } from '../../../shared/app/sight/bridges.ts';
import type { bridgeRoutes } from '../../../shared/schema/bridge/routes.ts';
import type { fleetRoutes } from '../../../shared/schema/fleet/routes.ts';
import { answerEventStream } from '../event-stream.ts';
import type { Handlers } from '../handler.ts';

export function fleetHandlers(stream: ChangeStream, limits: Limits): Handlers<keyof typeof fleetRoutes> {
  return {
    getNow: async ({ world, bearer, query }) => ({ body: await getNow(world, bearer, query) }),
    getShift: async ({ world, bearer, query }) => ({ body: await getShift(world, bearer, query) }),
    getFleet: async ({ world, bearer }) => ({ body: await getFleet(world, bearer) }),
    getTrends: async ({ world, bearer, query }) => ({ body: await getTrends(world, bearer, query) }),
    streamChanges: async (call) => answerEventStream(stream, call, limits.openStream(call.bearer.subject)),
  };
}

export function bridgeHandlers(): Handlers<keyof typeof bridgeRoutes> {
  return {
    listBridges: async ({ world }) => ({ body: await listBridges(world) }),
    removeBridge: async ({ world, params }) => {
      await removeBridge(world, params);
      return { body: null };
    },
  };
}
