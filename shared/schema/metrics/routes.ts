import Type from 'typebox';
import type { Routes } from '../route.ts';

/** Metrics for the customer's own monitoring system. */
export const metricsRoutes = {
  getMetrics: {
    method: 'get',
    path: '/metrics',
    scope: 'metrics:read',
    summary:
      'Read the metrics of the fleet and the service, in the text format of Prometheus, or as OpenMetrics if `Accept` prefers that.',
    answer: Type.String(),
    media: 'text/plain',
  },
} as const satisfies Routes;
