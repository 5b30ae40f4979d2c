import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Fleet } from '../../../shared/schema/fleet/fleet.ts';
import { useMay } from './auth.ts';
import { type Resource, useResource } from './resource.ts';

const unread: Resource<Fleet> = {
  data: null,
  etag: null,
  failure: null,
  isLoading: true,
  reload: async () => {},
  replace: () => {},
};
const Shared = createContext(unread);

/** Gives the fleet to every page: it is read once for all of them. */
export const FleetProvider = Shared.Provider;

/** How the fleet fares, and what the service itself can see of it. */
export const useFleet = (): Resource<Fleet> => useContext(Shared);

/** Reads it as often as it is told of: the stream knows of changes, but not of a sight that is lost or comes back. */
export function useFleetReading(): Resource<Fleet> {
  return useResource<Fleet>(useMay('alerts:read') ? '/v1/fleet' : null, { on: ['fleet'], everyMs: 20_000 });
}
