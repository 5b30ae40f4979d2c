import Type from 'typebox';
import type { Routes } from '../route.ts';

/** Figures for a monitoring system that people have already. */
export const metricsRoutes = {
  getMetrics: {
    method: 'get',
    path: '/metrics',
    scope: 'metrics:read',
    summary:
      'Read the metrics of the fleet and the service. In the text format of Prometheus, or as OpenMetrics where `Accept` prefers that.',
    answer: Type.String(),
    media: 'text/plain',
  },
} as const satisfies Routes;
