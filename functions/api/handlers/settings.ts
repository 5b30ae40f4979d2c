import { randomUUID } from 'node:crypto';
import { testTeam } from '../../../shared/app/notify/test-team.ts';
import type { PageTokens } from '../../../shared/app/paging/paging.ts';
import { getOnCall } from '../../../shared/app/settings/on-call.ts';
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
import type { settingsRoutes } from '../../../shared/schema/settings/routes.ts';
import { created, type Handlers, versioned } from '../handler.ts';

/** Rules, teams and settings. */
export function settingsHandlers(tokens: PageTokens, chats: ChatParts): Handlers<keyof typeof settingsRoutes> {
  return {
    listRules: async ({ world, query }) => ({ body: await listRules(world, query, tokens) }),
    createRule: async ({ world, body }) => {
      const { rule, version } = await createRule(world, body, randomUUID());
      return created(rule, version, `/v1/rules/${rule.ruleId}`);
    },
    previewRule: async ({ world, body, bearer }) => ({ body: await previewRule(world, bearer, body) }),
    getRule: async ({ world, params }) => ofRule(await getRule(world, params.ruleId)),
    putRule: async ({ world, params, body, ifVersion }) => ofRule(await putRule(world, params.ruleId, body, ifVersion)),
    deleteRule: async ({ world, params, ifVersion }) => {
      await deleteRule(world, params.ruleId, ifVersion);
      return { body: null };
    },
    listTeams: async ({ world, bearer }) => ({ body: await listTeams(world, bearer) }),
    getTeam: async ({ world, params, bearer }) => ofTeam(await getTeam(world, bearer, params.name)),
    putTeam: async ({ world, params, body, ifVersion }) =>
      ofTeam(await putTeam(world, params.name, body, ifVersion, chats)),
    deleteTeam: async ({ world, params, ifVersion }) => {
      await deleteTeam(world, params.name, ifVersion);
      return { body: null };
    },
    getOnCall: async ({ world, params, query }) => ({ body: await getOnCall(world, params.name, query) }),
    testTeam: async ({ world, params, body, bearer }) => ({
      body: await testTeam(world, bearer, params.name, body, randomUUID()),
    }),
    getSettings: async ({ world }) => ofSettings(await getSettings(world)),
    putSettings: async ({ world, body, ifVersion }) => ofSettings(await putSettings(world, body, ifVersion)),
  };
}

function ofRule({ rule, version }: VersionedRule) {
  return versioned(rule, version);
}

function ofTeam({ team, version, isNew }: VersionedTeam) {
  return isNew ? created(team, version, `/v1/teams/${encodeURIComponent(team.name)}`) : versioned(team, version);
}

function ofSettings({ settings, version }: VersionedSettings) {
  return versioned(settings, version);
}
