import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Now } from '../../../shared/schema/fleet/now.ts';
import { useMay } from './auth.ts';
import { type Resource, useResource } from './resource.ts';

const unread: Resource<Now> = {
  data: null,
  etag: null,
  failure: null,
  isLoading: true,
  reload: async () => {},
  replace: () => {},
};
const Shared = createContext(unread);

/** Provides what is wrong now to all pages, so that it is read only once. */
export const NowProvider = Shared.Provider;

/** What is wrong now, as the service ranks it. */
export const useWrong = (): Resource<Now> => useContext(Shared);

/** The service writes it anew within 5 s of a change. Tabs read it 5 to 7 s after the event, not all at the same time. */
const settle = () => 5000 + 2000 * Math.random();

/** Reads what is wrong now after each change, and also regularly, because the stream does not report when the service falls behind. */
export function useNowReading(): Resource<Now> {
  return useResource<Now>(useMay('alerts:read') ? '/v1/now' : null, {
    on: ['fleet', 'incident', 'alert'],
    everyMs: 30_000,
    calmMs: 10_000,
    settle,
  });
}
