import Type, { type TSchema } from 'typebox';
import { ActionRequest, Alert, AlertList, AlertsQuery, DeviceAlertsQuery } from './alert/alert.ts';
import { alertLifeRoutes } from './alert/life-routes.ts';
import { ActivityList, ActivityQuery } from './device/activity.ts';
import { Device, DeviceList, DevicePatch, DevicesQuery, Fleet } from './device/device.ts';
import { GuardianAlertList, GuardianAlertsQuery } from './guardian/guardian-alert.ts';
import { QuarantinedReport, QuarantineList, QuarantineQuery } from './quarantine/quarantine.ts';
import { configurationRoutes } from './settings/routes.ts';
import { teamNamePattern } from './settings/rule.ts';
import { webhookRoutes } from './webhook/routes.ts';

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
/**
 * Scopes that a token which is limited to groups does not carry, although it names them: rules, teams and settings hold for the whole
 * fleet, and what is in quarantine belongs to no group.
 */
export const fleetWideScopes: ReadonlySet<Scope> = new Set<Scope>(['settings:write']);

/** Pattern of each path parameter; what does not fit names nothing that could exist. */
export const parameterPatterns: Record<string, string> = {
  name: teamNamePattern,
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
  getDevice: {
    method: 'get',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:read',
    summary: 'Read one device.',
    answer: Device,
  },
  changeDevice: {
    method: 'patch',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:write',
    summary: 'Name a device or move it to another group; its reports no longer change what is set by hand.',
    body: DevicePatch,
    answer: Device,
  },
  removeDevice: {
    method: 'delete',
    path: '/v1/devices/{deviceId}',
    scope: 'devices:write',
    summary: 'Decommission a device: its open alerts are resolved. A further report registers it anew.',
    answer: null,
    status: 204,
  },
  listDeviceActivity: {
    method: 'get',
    path: '/v1/devices/{deviceId}/activity',
    scope: 'devices:read',
    summary: 'What happened on a device and with its alerts, newest first.',
    query: ActivityQuery,
    answer: ActivityList,
  },
  listGuardianAlerts: {
    method: 'get',
    path: '/v1/guardian-alerts',
    scope: 'alerts:read',
    summary: 'List guardian alerts as they were received, newest first.',
    query: GuardianAlertsQuery,
    answer: GuardianAlertList,
  },
  retryQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/retry',
    scope: 'settings:write',
    summary: 'Read a quarantined report again; a device that may not register itself is registered by this.',
    answer: QuarantinedReport,
  },
  dismissQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/dismiss',
    scope: 'settings:write',
    summary: 'Put a quarantined report aside for good.',
    answer: QuarantinedReport,
  },
  restoreQuarantined: {
    method: 'post',
    path: '/v1/quarantine/{reportId}/restore',
    scope: 'settings:write',
    summary: 'Take your own dismissal back within 60 s.',
    answer: QuarantinedReport,
  },
  listQuarantine: {
    method: 'get',
    path: '/v1/quarantine',
    scope: 'settings:read',
    summary: 'List reports that could not be read, newest first.',
    query: QuarantineQuery,
    answer: QuarantineList,
  },
  ...alertLifeRoutes,
  ...configurationRoutes,
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
