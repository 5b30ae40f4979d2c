import { randomUUID } from 'node:crypto';
import { testTeam } from '../../../shared/app/notify/test-team.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import type { World } from '../../../shared/app/ports.ts';
import { previewRule } from '../../../shared/app/settings/preview-rule.ts';
import {
  createRule,
  deleteRule,
  getRule,
  listRules,
  putRule,
  type VersionedRule,
} from '../../../shared/app/settings/rules.ts';
import { getSettings, putSettings, type VersionedSettings } from '../../../shared/app/settings/settings.ts';
import {
  type ChatParts,
  deleteTeam,
  getTeam,
  listTeams,
  putTeam,
  type VersionedTeam,
} from '../../../shared/app/settings/teams.ts';
import type { AlertRule, RulePreviewRequest } from '../../../shared/schema/settings/rule.ts';
import type { Settings } from '../../../shared/schema/settings/settings.ts';
import type { TeamContacts, TeamTestRequest } from '../../../shared/schema/settings/team.ts';
import type { Answer, Handlers } from '../router.ts';

type Operations =
  | 'listRules'
  | 'createRule'
  | 'previewRule'
  | 'getRule'
  | 'putRule'
  | 'deleteRule'
  | 'listTeams'
  | 'getTeam'
  | 'putTeam'
  | 'deleteTeam'
  | 'testTeam'
  | 'getSettings'
  | 'putSettings';

/** Rules, teams and settings. */
export function configurationHandlers(world: World, tokens: PageTokens, chats: ChatParts): Pick<Handlers, Operations> {
  return {
    listRules: async ({ query }) => ({ body: await listRules(world, query, tokens) }),
    createRule: async ({ body, bearer }) => {
      const created = await createRule(world, bearer, body as AlertRule, randomUUID());
      const { headers, ...answer } = ofRule(created);
      return { ...answer, headers: { ...headers, Location: `/v1/rules/${created.rule.ruleId}` } };
    },
    previewRule: async ({ body, bearer }) => ({ body: await previewRule(world, bearer, body as RulePreviewRequest) }),
    getRule: async ({ params }) => ofRule(await getRule(world, params['ruleId'] ?? '')),
    putRule: async ({ params, body, bearer, ifVersion }) =>
      ofRule(await putRule(world, bearer, params['ruleId'] ?? '', body as AlertRule, ifVersion)),
    deleteRule: async ({ params, bearer, ifVersion }) => ({
      body: await deleteRule(world, bearer, params['ruleId'] ?? '', ifVersion),
    }),
    listTeams: async () => ({ body: await listTeams(world) }),
    getTeam: async ({ params }) => ofTeam(await getTeam(world, params['name'] ?? '')),
    putTeam: async ({ params, body, bearer, ifVersion }) =>
      ofTeam(await putTeam(world, bearer, params['name'] ?? '', body as TeamContacts, ifVersion, chats)),
    deleteTeam: async ({ params, bearer, ifVersion }) => ({
      body: await deleteTeam(world, bearer, params['name'] ?? '', ifVersion),
    }),
    testTeam: async ({ params, body, bearer }) => ({
      body: await testTeam(world, bearer, params['name'] ?? '', body as TeamTestRequest, randomUUID()),
    }),
    getSettings: async () => ofSettings(await getSettings(world)),
    putSettings: async ({ body, bearer, ifVersion }) =>
      ofSettings(await putSettings(world, bearer, body as Settings, ifVersion)),
  };
}

function ofRule({ rule, version }: VersionedRule): Answer {
  return { body: rule, headers: etag(version) };
}

function ofTeam({ team, version, isNew }: VersionedTeam): Answer {
  const location = `/v1/teams/${encodeURIComponent(team.name)}`;
  return isNew
    ? { body: team, status: 201, headers: { ...etag(version), Location: location } }
    : { body: team, headers: etag(version) };
}

function ofSettings({ settings, version }: VersionedSettings): Answer {
  return { body: settings, headers: etag(version) };
}

function etag(version: number): Record<string, string> {
  return { ETag: `"${version}"` };
}
