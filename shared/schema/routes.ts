import Type from 'typebox';
import { alertRoutes } from './alert/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { bridgeRoutes } from './bridge/routes.ts';
import { placeKind } from './common.ts';
import { deliveryRoutes } from './delivery/routes.ts';
import { deviceRoutes } from './device/routes.ts';
import { eventRoutes } from './event/routes.ts';
import { fleetRoutes } from './fleet/routes.ts';
import { guardianRoutes } from './guardian/routes.ts';
import { incidentRoutes } from './incident/routes.ts';
import { jobRoutes } from './job/routes.ts';
import { ledgerRoutes } from './ledger/routes.ts';
import { maintenanceRoutes } from './maintenance/routes.ts';
import { meRoutes } from './me/routes.ts';
import { metricsRoutes } from './metrics/routes.ts';
import { placeRoutes } from './place/routes.ts';
import { quarantineRoutes } from './quarantine/routes.ts';
import type { Routes } from './route.ts';
import type { Scope } from './scopes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { teamNamePattern } from './settings/rule.ts';
import { webhookRoutes } from './webhook/routes.ts';

export const OpenApiDescription = Type.Object(
  {},
  { additionalProperties: true, description: 'An OpenAPI 3.1 document.' },
);

/** All routes of the API by their operation ids. Requests are validated, handlers are bound and OpenAPI is generated from this table. */
export const routes = {
  ...alertRoutes,
  ...deviceRoutes,
  ...placeRoutes,
  ...guardianRoutes,
  ...incidentRoutes,
  ...fleetRoutes,
  ...bridgeRoutes,
  ...quarantineRoutes,
  ...jobRoutes,
  ...settingsRoutes,
  ...maintenanceRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...eventRoutes,
  ...auditRoutes,
  ...ledgerRoutes,
  ...metricsRoutes,
  ...meRoutes,
  getOpenApi: {
    method: 'get',
    path: '/v1/openapi.json',
    scope: null,
    summary: 'Read this description.',
    answer: OpenApiDescription,
    isOfRelease: true,
  },
} as const satisfies Routes;

export type Operation = keyof typeof routes;

/**
 * A scope that no route requires could never be used: the compiler reports it here. `contacts:read` opens no route, because it only unmasks
 * texts in the answers of others.
 */
type ScopeWithoutRoute = Exclude<Scope, (typeof routes)[Operation]['scope'] | 'contacts:read'>;
true satisfies [ScopeWithoutRoute] extends [never] ? true : ScopeWithoutRoute;

/**
 * Patterns of path parameters that have one of their own. A value that does not match cannot name an existing record.
 */
export const parameterPatterns: Record<string, string> = {
  name: teamNamePattern,
  kind: placeKind,
  incidentId: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  tile: '^[0-9x][0-9x/.p]{0,40}$',
  jobId: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  alertId: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
};
/** Parameters that are the rest of a path, with its slashes. */
export const restParameters: ReadonlySet<string> = new Set(['tile']);
/** Pattern of all other path parameters. */
export const identifierPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';
