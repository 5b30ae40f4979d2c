import type { Routes } from '../route.ts';
import { Place, PlaceContent, SiteList, SitesQuery } from './place.ts';

/** Sites of devices, and the places through which they are connected. */
export const placeRoutes = {
  listSites: {
    method: 'get',
    path: '/v1/sites',
    scope: 'devices:read',
    summary: 'List sites of devices by group, each with the number of its devices.',
    query: SitesQuery,
    answer: SiteList,
  },
  getPlace: {
    method: 'get',
    path: '/v1/places/{kind}/{id}',
    scope: 'settings:read',
    summary: 'Read a place; a token limited to groups sees only its own groups in it.',
    answer: Place,
    isVersioned: true,
  },
  putPlace: {
    method: 'put',
    path: '/v1/places/{kind}/{id}',
    scope: 'settings:write',
    summary: 'Set the name of a place, and whether several groups share it.',
    body: PlaceContent,
    answer: Place,
    refusals: ['precondition-failed'],
    isVersioned: true,
  },
  deletePlace: {
    method: 'delete',
    path: '/v1/places/{kind}/{id}',
    scope: 'settings:write',
    summary: 'Delete the record of a place; its devices do not change.',
    answer: null,
    status: 204,
    refusals: ['precondition-failed'],
  },
} as const satisfies Routes;
