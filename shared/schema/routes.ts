import Type, { type TSchema } from 'typebox';
import { ActivityList, ActivityQuery } from './activity.ts';
import { ActionRequest, Alert, AlertList, AlertsQuery, DeviceAlertsQuery } from './alert.ts';
import {
  BatchRequest,
  BatchResult,
  Explanation,
  History,
  NoteList,
  NoteRequest,
  PageQuery,
  SnoozeRequest,
  TrendsAnswer,
  TrendsQuery,
} from './alert-life.ts';
import { Device, DeviceList, DevicePatch, DevicesQuery, Fleet } from './device.ts';
import { GuardianAlertList, GuardianAlertsQuery } from './guardian-alert.ts';
import { QuarantinedReport, QuarantineList, QuarantineQuery } from './quarantine.ts';
import { AlertRule, Rule, RuleList, RulePreview, RulePreviewRequest, RulesQuery } from './rule.ts';
import { Settings } from './settings.ts';
import { Team, TeamContacts, TeamList, TeamTestRequest, TeamTestResult } from './team.ts';

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
  resolveAlert: {
    method: 'post',
    path: '/v1/alerts/{alertId}/resolve',
    scope: 'alerts:write',
    summary: 'Say that it is fixed.',
    body: ActionRequest,
    answer: Alert,
  },
  snoozeAlert: {
    method: 'post',
    path: '/v1/alerts/{alertId}/snooze',
    scope: 'alerts:write',
    summary: 'Be quiet about it for a while; the response time starts anew at the end.',
    body: SnoozeRequest,
    answer: Alert,
  },
  addAlertNote: {
    method: 'post',
    path: '/v1/alerts/{alertId}/notes',
    scope: 'alerts:write',
    summary: 'Write down what is known.',
    body: NoteRequest,
    answer: Alert,
    status: 201,
  },
  reopenAlert: {
    method: 'post',
    path: '/v1/alerts/{alertId}/reopen',
    scope: 'alerts:write',
    summary: 'Take it up again; a new response time begins.',
    body: ActionRequest,
    answer: Alert,
  },
  listAlertHistory: {
    method: 'get',
    path: '/v1/alerts/{alertId}/history',
    scope: 'alerts:read',
    summary: 'List what happened to it, oldest first.',
    query: PageQuery,
    answer: History,
  },
  listAlertNotes: {
    method: 'get',
    path: '/v1/alerts/{alertId}/notes',
    scope: 'alerts:read',
    summary: 'List its notes, oldest first.',
    query: PageQuery,
    answer: NoteList,
  },
  explainAlert: {
    method: 'get',
    path: '/v1/alerts/{alertId}/explain',
    scope: 'alerts:read',
    summary: 'Whom it told and why, whom not and why, and what comes next.',
    answer: Explanation,
  },
  actOnAlerts: {
    method: 'post',
    path: '/v1/alerts/batch',
    scope: 'alerts:write',
    summary: 'One action on up to 100 alerts, answered one by one.',
    body: BatchRequest,
    answer: BatchResult,
  },
  getTrends: {
    method: 'get',
    path: '/v1/fleet/trends',
    scope: 'alerts:read',
    summary: 'Alerts opened over time, and how long people took.',
    query: TrendsQuery,
    answer: TrendsAnswer,
  },
  streamChanges: {
    method: 'get',
    path: '/v1/stream',
    scope: 'alerts:read',
    summary: 'Changes as Server-Sent Events; `Last-Event-ID` goes on where a connection broke.',
    answer: Type.Unknown(),
  },
  listRules: {
    method: 'get',
    path: '/v1/rules',
    scope: 'settings:read',
    summary: 'List alert rules in the order in which they apply.',
    query: RulesQuery,
    answer: RuleList,
  },
  createRule: {
    method: 'post',
    path: '/v1/rules',
    scope: 'settings:write',
    summary: 'Create an alert rule.',
    body: AlertRule,
    answer: Rule,
    status: 201,
  },
  previewRule: {
    method: 'post',
    path: '/v1/rules/preview',
    scope: 'settings:read',
    summary: 'What a rule would have matched and whom it would have told.',
    body: RulePreviewRequest,
    answer: RulePreview,
  },
  getRule: {
    method: 'get',
    path: '/v1/rules/{ruleId}',
    scope: 'settings:read',
    summary: 'Read an alert rule.',
    answer: Rule,
  },
  putRule: {
    method: 'put',
    path: '/v1/rules/{ruleId}',
    scope: 'settings:write',
    summary: 'Replace an alert rule.',
    body: AlertRule,
    answer: Rule,
  },
  deleteRule: {
    method: 'delete',
    path: '/v1/rules/{ruleId}',
    scope: 'settings:write',
    summary: 'Delete an alert rule.',
    answer: null,
  },
  listTeams: {
    method: 'get',
    path: '/v1/teams',
    scope: 'settings:read',
    summary: 'List teams and their contacts.',
    answer: TeamList,
  },
  getTeam: {
    method: 'get',
    path: '/v1/teams/{name}',
    scope: 'settings:read',
    summary: 'Read a team.',
    answer: Team,
  },
  putTeam: {
    method: 'put',
    path: '/v1/teams/{name}',
    scope: 'settings:write',
    summary: 'Create or replace a team.',
    body: TeamContacts,
    answer: Team,
  },
  deleteTeam: {
    method: 'delete',
    path: '/v1/teams/{name}',
    scope: 'settings:write',
    summary: 'Delete a team.',
    answer: null,
  },
  testTeam: {
    method: 'post',
    path: '/v1/teams/{name}/test',
    scope: 'settings:write',
    summary: 'Send a test message to its contacts.',
    body: TeamTestRequest,
    answer: TeamTestResult,
    status: 202,
  },
  getSettings: {
    method: 'get',
    path: '/v1/settings',
    scope: 'settings:read',
    summary: 'Read the settings of the fleet.',
    answer: Settings,
  },
  putSettings: {
    method: 'put',
    path: '/v1/settings',
    scope: 'settings:write',
    summary: 'Replace the settings of the fleet.',
    body: Settings,
    answer: Settings,
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
  listQuarantine: {
    method: 'get',
    path: '/v1/quarantine',
    scope: 'settings:read',
    summary: 'List reports that could not be read, newest first.',
    query: QuarantineQuery,
    answer: QuarantineList,
  },
  getOpenApi: {
    method: 'get',
    path: '/v1/openapi.json',
    scope: null,
    summary: 'This description.',
    answer: Type.Object({}),
  },
} as const satisfies Record<string, Route>;

export type Operation = keyof typeof routes;
