import { PageQuery } from '../common.ts';
import type { Routes } from '../route.ts';
import { AlertRule, Rule, RuleList, RulePreview, RulePreviewRequest } from './rule.ts';
import { Settings } from './settings.ts';
import { Team, TeamContacts, TeamList, TeamTestRequest, TeamTestResult } from './team.ts';

/** Rules, teams and the settings of the fleet. */
export const settingsRoutes = {
  listRules: {
    method: 'get',
    path: '/v1/rules',
    scope: 'settings:read',
    summary: 'List alert rules in the order in which they apply.',
    query: PageQuery,
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
} as const satisfies Routes;
