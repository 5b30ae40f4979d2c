import Type, { type TSchema } from 'typebox';
import { ActionRequest, Alert, AlertList, AlertsQuery, DeviceAlertsQuery } from './alert.ts';
import { DeviceList, DevicesQuery, Fleet } from './device.ts';
import { QuarantineList, QuarantineQuery } from './quarantine.ts';
import { webhookRoutes } from './webhook-routes.ts';

export const scopes = [
  'alerts:read',
  'alerts:write',
  'devices:read',
  'devices:write',
  'webhooks:read',
  'webhooks:write',
  'settings:read',
  'settings:write',
] as const;
export type Scope = (typeof scopes)[number];

/** Pattern of each path parameter; what does not fit names nothing that could exist. */
export const parameterPatterns: Record<string, string> = {
  alertId: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
};
/** Pattern of a parameter that has none of its own. */
export const identifierPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$';

export type Route = {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path with `{parameters}`, as in OpenAPI. */
  path: string;
  /** null: no token is asked for. */
  scope: Scope | null;
  summary: string;
  query?: TSchema;
  body?: TSchema;
  /** Shape of the answer; null: 204 without a body. */
  answer: TSchema | null;
  status?: 200 | 201 | 202 | 204;
};

/** Every route of the API by its operation id. Requests are validated, handlers bound and OpenAPI generated from this table. */
export const routes = {
  listAlerts: {
    method: 'get',
    path: '/v1/alerts',
    scope: 'alerts:read',
    summary: 'List alerts, newest first; open ones unless `status` says otherwise.',
    query: AlertsQuery,
    answer: AlertList,
  },
  listDeviceAlerts: {
    method: 'get',
    path: '/v1/devices/{deviceId}/alerts',
    scope: 'alerts:read',
    summary: 'List the alerts of one device.',
    query: DeviceAlertsQuery,
    answer: AlertList,
  },
  getAlert: {
    method: 'get',
    path: '/v1/alerts/{alertId}',
    scope: 'alerts:read',
    summary: 'Read one alert.',
    answer: Alert,
  },
  acknowledgeAlert: {
    method: 'post',
    path: '/v1/alerts/{alertId}/acknowledge',
    scope: 'alerts:write',
    summary: 'Say that somebody is working on it.',
    body: ActionRequest,
    answer: Alert,
  },
  getFleet: {
    method: 'get',
    path: '/v1/fleet',
    scope: 'alerts:read',
    summary: 'Health of the fleet at a glance.',
    answer: Fleet,
  },
  listDevices: {
    method: 'get',
    path: '/v1/devices',
    scope: 'devices:read',
    summary: 'List devices in order of their id.',
    query: DevicesQuery,
    answer: DeviceList,
  },
  listQuarantine: {
    method: 'get',
    path: '/v1/quarantine',
    scope: 'settings:read',
    summary: 'List reports that could not be read, newest first.',
    query: QuarantineQuery,
    answer: QuarantineList,
  },
  ...webhookRoutes,
  getOpenApi: {
    method: 'get',
    path: '/v1/openapi.json',
    scope: null,
    summary: 'This description.',
    answer: Type.Object({}),
  },
} as const satisfies Record<string, Route>;

export type Operation = keyof typeof routes;
