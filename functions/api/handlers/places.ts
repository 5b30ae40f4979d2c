import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import { deletePlace, getPlace, putPlace, type VersionedPlace } from '../../../shared/app/places/places.ts';
import { listSites } from '../../../shared/app/places/sites.ts';
import type { placeRoutes } from '../../../shared/schema/place/routes.ts';
import { type Handlers, versioned } from '../handler.ts';

export function placeHandlers(tokens: PageTokens): Handlers<keyof typeof placeRoutes> {
  return {
    listSites: async ({ world, query, bearer }) => ({ body: await listSites(world, bearer, query, tokens) }),
    getPlace: async ({ world, params, bearer }) => ofPlace(await getPlace(world, bearer, params)),
    putPlace: async ({ world, params, body, ifVersion }) => ofPlace(await putPlace(world, params, body, ifVersion)),
    deletePlace: async ({ world, params, ifVersion }) => {
      await deletePlace(world, params, ifVersion);
      return { body: null };
    },
  };
}

function ofPlace({ place, version }: VersionedPlace) {
  return versioned(place, version);
}
