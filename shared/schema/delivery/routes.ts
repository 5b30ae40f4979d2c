import { NoMembers } from '../common.ts';
import type { Routes } from '../route.ts';
import { DeliveriesQuery, Delivery, DeliveryList } from './delivery.ts';

/** Deliveries of every channel. */
export const deliveryRoutes = {
  listDeliveries: {
    method: 'get',
    path: '/v1/deliveries',
    scope: 'webhooks:read',
    summary: 'List deliveries of every channel, newest first.',
    query: DeliveriesQuery,
    answer: DeliveryList,
  },
  getDelivery: {
    method: 'get',
    path: '/v1/deliveries/{deliveryId}',
    scope: 'webhooks:read',
    summary: 'Read one delivery with its attempts.',
    answer: Delivery,
  },
  redeliver: {
    method: 'post',
    path: '/v1/deliveries/{deliveryId}/redeliver',
    scope: 'webhooks:write',
    orScope: 'settings:write',
    summary: 'Send a delivery again, under the same id, as a further round.',
    body: NoMembers,
    answer: Delivery,
    refusals: ['invalid-transition', 'limited-to-groups'],
  },
  dismissDelivery: {
    method: 'post',
    path: '/v1/deliveries/{deliveryId}/dismiss',
    scope: 'webhooks:write',
    orScope: 'settings:write',
    summary: 'Dismiss a delivery: it will not be sent.',
    body: NoMembers,
    answer: Delivery,
    refusals: ['invalid-transition', 'limited-to-groups'],
  },
  restoreDelivery: {
    method: 'post',
    path: '/v1/deliveries/{deliveryId}/restore',
    scope: 'webhooks:write',
    orScope: 'settings:write',
    summary: 'Undo your own dismissal within 60 s: the delivery waits for review again.',
    body: NoMembers,
    answer: Delivery,
    refusals: ['invalid-transition', 'limited-to-groups'],
  },
} as const satisfies Routes;
