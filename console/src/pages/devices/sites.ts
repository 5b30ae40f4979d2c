import { useMemo } from 'preact/hooks';
import type { Site } from '../../../../shared/schema/place/place.ts';
import { useMay } from '../../client/auth.ts';
import { useResource } from '../../client/resource.ts';

/** The sites on the first page of the list, in order. They are suggestions, not a complete list. */
export function useSites(): readonly string[] {
  const { data } = useResource<{ sites: Site[] }>(useMay('devices:read') ? '/v1/sites?pageSize=200' : null);
  return useMemo(() => {
    const sites = data?.sites.flatMap(({ kind, id }) => (kind === 'site' ? [id] : []));
    return [...new Set(sites)].toSorted();
  }, [data]);
}
