import type { Fleet } from '../../../shared/schema/fleet/fleet.ts';
import type { Now } from '../../../shared/schema/fleet/now.ts';
import { useMay } from './auth.ts';
import { type Resource, useResource } from './resource.ts';

/** The service writes its numbers within 5 s of a change. Tabs read them after that, and not all at the same time. */
const after = (leastMs: number) => () => leastMs + 2000 * Math.random();

/**
 * The state of the fleet, and of the service's own sight: read after each change, and also regularly, because the stream does not report when the
 * service becomes blind or sees again.
 */
export function useFleet(): Resource<Fleet> {
  return useResource<Fleet>(useMay('alerts:read') ? '/v1/fleet' : null, {
    on: ['fleet'],
    everyMs: 20_000,
    calmMs: 10_000,
    settle: after(3000),
  });
}

/** What is wrong now, as the service ranks it: read after each change, and also regularly, because the stream does not report when the service falls behind. */
export function useWrong(): Resource<Now> {
  return useResource<Now>(useMay('alerts:read') ? '/v1/now' : null, {
    on: ['fleet', 'incident', 'alert'],
    everyMs: 30_000,
    calmMs: 10_000,
    settle: after(5000),
  });
}
