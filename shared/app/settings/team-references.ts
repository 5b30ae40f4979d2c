import type { Configuration } from '../../domain/notify/configuration.ts';
import { AppError, type Fault } from '../../errors.ts';
import type { EscalationPolicy } from '../../schema/settings/escalation.ts';
import type { AlertRule } from '../../schema/settings/rule.ts';

type KnownTeams = Pick<Configuration, 'teams'>;

/** Where something names a team: `kind` and `id` of the record, and its member. */
type Use = { kind: 'rules' | 'settings' | 'teams'; id: string; name: string; pointer: string };

/** A team that is named must exist. */
export function faultsOfTeam(name: string | undefined, { teams }: KnownTeams, pointer: string): Fault[] {
  return name === undefined || teams.has(name) ? [] : [{ pointer, detail: `there is no team ${name}` }];
}

/** The teams that a rule names must exist. @param within where the rule is in the request */
export function faultsOfRuleTeams({ action }: Pick<AlertRule, 'action'>, known: KnownTeams, within = ''): Fault[] {
  return ruleTeams(action).flatMap(([member, name]) => faultsOfTeam(name, known, `${within}/action/${member}`));
}

/** @throws AppError `in-use` that says who names the team */
export function requireUnused(team: string, configuration: Configuration): void {
  const usedBy = usesOf(team, configuration);
  const [first] = usedBy;
  if (!first) return;
  const others = usedBy.length > 1 ? ` and ${usedBy.length - 1} more` : '';
  throw new AppError('in-use', `The team ${team} is named by ${first.name} (${first.pointer})${others}.`, {
    members: { usedBy },
  });
}

function usesOf(team: string, { rules, teams, settings }: Configuration): Use[] {
  const ofRules = rules.flatMap(({ ruleId, name, action }) =>
    ruleTeams(action).flatMap(([member, named]): Use[] =>
      named === team ? [{ kind: 'rules', id: ruleId, name: `the rule "${name}"`, pointer: `/action/${member}` }] : [],
    ),
  );
  const ofTeams = [...teams.values()].flatMap(({ name, escalation }) =>
    name === team
      ? []
      : stepsNaming(team, escalation).map(
          (pointer): Use => ({ kind: 'teams', id: name, name: `the team ${name}`, pointer }),
        ),
  );
  const inSettings = [
    ...(settings.escalationTeam === team ? ['/escalationTeam'] : []),
    ...stepsNaming(team, settings.escalation),
  ];
  const ofSettings = inSettings.map(
    (pointer): Use => ({ kind: 'settings', id: 'settings', name: 'the settings', pointer }),
  );
  return [...ofRules, ...ofTeams, ...ofSettings];
}

function ruleTeams({ team, escalate_to }: AlertRule['action']): [member: string, team: string | undefined][] {
  return [
    ['team', team],
    ['escalate_to', escalate_to],
  ];
}

function stepsNaming(team: string, policy: EscalationPolicy | undefined): string[] {
  const { steps } = policy ?? { steps: [] };
  return steps.flatMap((step, index) => (step.team === team ? [`/escalation/steps/${index}/team`] : []));
}
