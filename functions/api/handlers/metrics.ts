import { createMetrics } from '../../../shared/app/metrics/metrics.ts';
import { exposed, formatFor, mediaTypeOf } from '../../../shared/domain/metrics/exposition.ts';
import type { metricsRoutes } from '../../../shared/schema/metrics/routes.ts';
import type { Handlers } from '../handler.ts';

export function metricsHandlers(): Handlers<keyof typeof metricsRoutes> {
  const read = createMetrics();
  return {
    getMetrics: async ({ world, bearer, accept }) => {
      const format = formatFor(accept);
      const headers = { 'Content-Type': mediaTypeOf[format], Vary: 'Accept, Origin, Accept-Encoding' };
      return { body: exposed(await read(world, bearer), format), headers };
    },
  };
}
