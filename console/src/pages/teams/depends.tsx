import type { ComponentChildren, JSX } from 'preact';
import type { EscalationPolicy } from '../../../../shared/schema/settings/escalation.ts';
import type { Rule } from '../../../../shared/schema/settings/rule.ts';
import type { Settings } from '../../../../shared/schema/settings/settings.ts';
import type { Team } from '../../../../shared/schema/settings/team.ts';
import { useResource } from '../../client/resource.ts';

/** Shows what refers to a team before it is deleted. */
export function DependsOnTeam({ name }: { name: string }): JSX.Element {
  const rules = useResource<{ rules: Rule[] }>('/v1/rules?pageSize=200');
  const settings = useResource<Settings>('/v1/settings');
  const teams = useResource<{ teams: Team[] }>('/v1/teams');
  if (rules.failure || settings.failure || teams.failure) {
    return <p class="notice problem">Which rules escalate to it could not be read. What does, reaches operations.</p>;
  }
  if (!rules.data || !settings.data || !teams.data) return <p class="quiet">Looking what depends on it …</p>;
  const leading = rules.data.rules.filter(({ action }) => action.escalate_to === name);
  const names = (policy: EscalationPolicy | undefined) => policy?.steps.some(({ team }) => team === name) ?? false;
  const others = teams.data.teams.filter((team) => team.name !== name && names(team.escalation));
  const isDefault = settings.data.escalationTeam === name || names(settings.data.escalation);
  const lines: ComponentChildren[] = [
    ...leading.map((rule) => (
      <li key={rule.ruleId}>
        The rule <strong>{rule.name}</strong> ({rule.condition.code}) escalates to it.
      </li>
    )),
    ...others.map((team) => (
      <li key={`team ${team.name}`}>
        The policy of the team <strong>{team.name}</strong> escalates to it.
      </li>
    )),
    ...(isDefault ? [<li key="settings">The settings escalate unacknowledged alerts to it.</li>] : []),
  ];
  if (lines.length === 0)
    return <p>No rule escalates to it, no policy of a team, nor do the settings. Its contacts are forgotten.</p>;
  return (
    <div class="notice problem">
      <strong>What depends on it:</strong>
      <ul class="plain-list">{lines}</ul>
      Those alerts reach the team operations instead. Its contacts are forgotten.
    </div>
  );
}
