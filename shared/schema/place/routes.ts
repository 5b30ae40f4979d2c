import type { Routes } from '../route.ts';
import { Place, PlaceContent, SiteList, SitesQuery } from './place.ts';

/** Sites of devices, and the places through which they are connected. */
export const placeRoutes = {
  listSites: {
    method: 'get',
    path: '/v1/sites',
    scope: 'devices:read',
    summary: 'List where devices stand, by group and site, each with how many are there.',
    query: SitesQuery,
    answer: SiteList,
  },
  getPlace: {
    method: 'get',
    path: '/v1/places/{kind}/{id}',
    scope: 'settings:read',
    summary: 'Read a place; who is limited to groups sees none but their own in it.',
    answer: Place,
    isVersioned: true,
  },
  putPlace: {
    method: 'put',
    path: '/v1/places/{kind}/{id}',
    scope: 'settings:write',
    summary: 'Name a place, and say whether several groups share it.',
    body: PlaceContent,
    answer: Place,
    refusals: ['precondition-failed'],
    isVersioned: true,
  },
  deletePlace: {
    method: 'delete',
    path: '/v1/places/{kind}/{id}',
    scope: 'settings:write',
    summary: 'Forget what was said of a place; devices that name it stay as they are.',
    answer: null,
    status: 204,
    refusals: ['precondition-failed'],
  },
} as const satisfies Routes;
