import type { EscalationPolicy, EscalationStep } from '../../schema/settings/escalation.ts';
import type { Life } from '../alert/alert.ts';
import type { Ladder, LadderStep } from '../alert/ladder.ts';
import type { Waits } from '../limits.ts';
import { defaultPolicy, defaultRepeatMinutes, operationsTeam } from '../settings/settings.ts';
import type { Configuration } from './configuration.ts';
import { contactsOfTeam, openingTeam, unreachable } from './teams.ts';

/** What decides whom an escalation notifies. */
export type Policies = Pick<Configuration, 'teams' | 'settings'>;

/**
 * The steps of an alert's escalation: those of the team that was notified that it began, or of the team that a rule escalates it to; else
 * those of the settings.
 */
export function ladderOf(alert: Pick<Life, 'notifiedTeam' | 'escalation'>, policies: Policies, waits: Waits): Ladder {
  const { teams, settings } = policies;
  const ruled = alert.escalation?.team ?? null;
  const told = openingTeam(alert, teams);
  const own = teams.get(ruled ?? told)?.escalation;
  const { steps, repeatMinutes = defaultRepeatMinutes } = own ?? settings.escalation ?? defaultPolicy;
  // Whom the rule names comes first. Only a policy of that team says who is next.
  const [first, ...more]: EscalationPolicy['steps'] =
    ruled === null ? steps : [{ afterMinutes: 0, team: ruled }, ...(own ? steps.slice(1) : [])];
  const minuteMs = 60 * waits.settingsSecond;
  const resolved = (step: EscalationStep) => ladderStep(step, told, policies, step.afterMinutes * minuteMs);
  return {
    steps: [resolved(first ?? { afterMinutes: 0, escalationTeam: true }), ...more.map(resolved)],
    repeatMs: repeatMinutes * minuteMs,
  };
}

/** @param told the team that was notified that it began */
function ladderStep(step: EscalationStep, told: string, policies: Policies, afterMs: number): LadderStep {
  const { teams, settings } = policies;
  const team = step.team ?? otherThan(told, settings.escalationTeam, teams);
  const about = { afterMs, channels: step.channels ?? [] };
  if (team === operationsTeam || contactsOfTeam(teams, team).length > 0)
    return { ...about, team, to: team, missing: null };
  // Better the wrong people than nobody.
  return { ...about, team: operationsTeam, to: operationsTeam, missing: unreachable(teams, team) };
}

/** The team of the settings; where that is the one that was notified already, the first other one that can be reached. */
function otherThan(told: string, wanted: string, teams: Policies['teams']): string {
  if (wanted !== told) return wanted;
  const others = [operationsTeam, ...[...teams.keys()].toSorted()].filter((name) => name !== told);
  return others.find((name) => contactsOfTeam(teams, name).length > 0) ?? wanted;
}
