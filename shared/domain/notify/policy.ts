import type { EscalationPolicy, EscalationStep } from '../../schema/settings/escalation.ts';
import type { Life } from '../alert/alert.ts';
import type { Waits } from '../limits.ts';
import type { Ladder, LadderStep } from '../settings/ladder.ts';
import { onCallAt } from '../settings/on-call.ts';
import { defaultPolicy, defaultRepeatMinutes, operationsTeam } from '../settings/settings.ts';
import type { Instant } from '../time.ts';
import type { Configuration } from './configuration.ts';
import type { TeamRecord } from './team.ts';
import { contactsOfTeam, openingTeam, unreachable } from './teams.ts';

/** The configuration that decides whom an escalation notifies. */
export type Policies = Pick<Configuration, 'teams' | 'settings'>;

/**
 * The steps of an alert's escalation: those of the team that was notified of its opening, or that a rule escalates it to; otherwise those of the
 * settings.
 * @param at when a step is taken, to find who is on call
 */
export function ladderOf(
  alert: Pick<Life, 'notifiedTeam' | 'escalation'>,
  policies: Policies,
  at: Instant,
  waits: Waits,
): Ladder {
  const { teams, settings } = policies;
  const ruled = alert.escalation?.team ?? null;
  const opened = openingTeam(alert, teams);
  const own = teams.get(ruled ?? opened)?.escalation;
  const { steps, repeatMinutes = defaultRepeatMinutes } = own ?? settings.escalation ?? defaultPolicy;
  // The team that the rule names comes first. Later steps follow only from that team's own policy.
  const [first, ...more]: EscalationPolicy['steps'] =
    ruled === null ? steps : [{ afterMinutes: 0, team: ruled }, ...(own ? steps.slice(1) : [])];
  const minuteMs = 60 * waits.settingsSecond;
  const given = { opened, home: ruled ?? opened, policies, at };
  const resolved = (step: EscalationStep): LadderStep => ({
    ...reached(step, given),
    afterMs: step.afterMinutes * minuteMs,
    channels: step.channels ?? [],
  });
  return {
    steps: [resolved(first ?? { afterMinutes: 0, escalationTeam: true }), ...more.map(resolved)],
    repeatMs: repeatMinutes * minuteMs,
  };
}

/** @param opened the team that was notified of the opening; `home`: the team whose people a policy names */
type Given = { opened: string; home: string; policies: Policies; at: Instant };
type Reached = Pick<LadderStep, 'team' | 'to' | 'people' | 'missing'>;

function reached({ team, personId, onCall }: EscalationStep, { opened, home, policies, at }: Given): Reached {
  const { teams, settings } = policies;
  if (personId !== undefined)
    return ofPeople(teams.get(home), [personId], '', `There is no person ${personId} in ${home}`);
  if (onCall !== undefined) {
    const own = teams.get(home);
    const people = (own?.rotations ?? []).flatMap((rotation) => onCallAt(rotation, at) ?? []);
    return ofPeople(own, [...new Set(people)], ' (on call)', nobodyOnCall(home));
  }
  const named = team ?? otherThan(opened, settings.escalationTeam, teams);
  if (named === operationsTeam || contactsOfTeam(teams, named).length > 0)
    return { team: named, to: named, people: [], missing: null };
  return instead(unreachable(teams, named), '');
}

/** The note that a step found nobody on call. */
function nobodyOnCall(team: string): string {
  return `Nobody is on call in ${team}`;
}

function ofPeople(team: TeamRecord | undefined, ids: readonly string[], how: string, missing: string): Reached {
  const people = ids.flatMap((id) => team?.people?.find(({ personId }) => personId === id) ?? []);
  if (!team || people.length === 0)
    return instead(missing, `, because ${missing[0]?.toLowerCase()}${missing.slice(1)}`);
  const to = `${people.map(({ name }) => name).join(' and ')}${how}`;
  return { team: team.name, to, people: people.map(({ personId }) => personId), missing: null };
}

/** A step that reaches nobody notifies `operations`: the wrong people are better than nobody. */
function instead(missing: string, because: string): Reached {
  return { team: operationsTeam, to: `${operationsTeam}${because}`, people: [], missing };
}

/** The team that the settings name. If that one was notified already: the first other team that can be reached. */
function otherThan(opened: string, wanted: string, teams: Policies['teams']): string {
  if (wanted !== opened) return wanted;
  const others = [operationsTeam, ...[...teams.keys()].toSorted()].filter((name) => name !== opened);
  return others.find((name) => contactsOfTeam(teams, name).length > 0) ?? wanted;
}
