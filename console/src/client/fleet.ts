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

/** Provides the fleet to all pages, so that it is read only once. */
export const FleetProvider = Shared.Provider;

/** The state of the fleet, and of the service's own sight. */
export const useFleet = (): Resource<Fleet> => useContext(Shared);

/**
 * The service writes its numbers within 5 s of a change. Tabs read them 3 to 5 s after the event, not all at the same
 * time.
 */
const settle = () => 3000 + 2000 * Math.random();

/**
 * Reads the fleet after each change, and also regularly, because the stream does not report when the service becomes
 * blind or sees again.
 */
export function useFleetReading(): Resource<Fleet> {
  return useResource<Fleet>(useMay('alerts:read') ? '/v1/fleet' : null, {
    on: ['fleet'],
    everyMs: 20_000,
    calmMs: 10_000,
    settle,
  });
}
