import type { Limits } from '../../../shared/adapters/http/limits.ts';
import type { ChangeStream } from '../../../shared/app/fleet/change-stream.ts';
import { getFleet } from '../../../shared/app/fleet/fleet.ts';
import { getTrends } from '../../../shared/app/fleet/trends.ts';
import type { fleetRoutes } from '../../../shared/schema/fleet/routes.ts';
import { answerEventStream } from '../event-stream.ts';
import type { Handlers } from '../handler.ts';

export function fleetHandlers(stream: ChangeStream, limits: Limits): Handlers<keyof typeof fleetRoutes> {
  return {
    getFleet: async ({ world, bearer }) => ({ body: await getFleet(world, bearer) }),
    getTrends: async ({ world, bearer, query }) => ({ body: await getTrends(world, bearer, query) }),
    streamChanges: async (call) => answerEventStream(stream, call, limits.openStream(call.bearer.subject)),
  };
}
