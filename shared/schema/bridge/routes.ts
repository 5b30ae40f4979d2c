import type { Routes } from '../route.ts';
import { BridgeList } from './bridge.ts';

/** The bridges between the broker and Watchpost, as far as canaries come through them. */
export const bridgeRoutes = {
  listBridges: {
    method: 'get',
    path: '/v1/bridges',
    scope: 'settings:read',
    summary: 'List the bridges that are expected to forward, and when each was last heard.',
    answer: BridgeList,
  },
  removeBridge: {
    method: 'delete',
    path: '/v1/bridges/{of}/{partition}',
    scope: 'settings:write',
    summary: 'Expect a bridge no more. It returns by itself when it is heard again.',
    answer: null,
    status: 204,
  },
} as const satisfies Routes;
