import type { Fault } from '../../errors.ts';
import { type EscalationPolicy, type EscalationStep, mostSilentMinutes } from '../../schema/settings/escalation.ts';

/** What steps of a policy may name. In the settings, `people` and `rotations` are null: no person can be named, and `onCall` is not checked. */
export type Nameable = { teams: ReadonlySet<string>; people: ReadonlySet<string> | null; rotations: number | null };

const targets = ['team', 'personId', 'onCall', 'escalationTeam'] as const satisfies (keyof EscalationStep)[];

/**
 * Faults in a policy that the schema cannot express: each step names exactly one receiver, which must exist; the first step is taken at once, and
 * later ones follow in rising order without too long a gap.
 */
export function faultsOfPolicy({ steps }: EscalationPolicy, known: Nameable): Fault[] {
  return steps.flatMap((step, index) => {
    const within = `/escalation/steps/${index}`;
    return [...faultsOfTarget(step, known, within), ...faultsOfTime(step, steps[index - 1], within)];
  });
}

function faultsOfTarget(step: EscalationStep, known: Nameable, within: string): Fault[] {
  const named = targets.filter((target) => step[target] !== undefined);
  if (named.length !== 1) {
    const list = `${targets.slice(0, -1).join(', ')} or ${targets.at(-1)}`;
    return [{ pointer: within, detail: `must name exactly one of ${list}` }];
  }
  const [target = 'team'] = named;
  const detail = faultOfName(step, known);
  return detail === null ? [] : [{ pointer: `${within}/${target}`, detail }];
}

function faultOfName(
  { team, personId, onCall }: EscalationStep,
  { teams, people, rotations }: Nameable,
): string | null {
  if (team !== undefined) return teams.has(team) ? null : `there is no team ${team}`;
  if (personId !== undefined) {
    if (people === null) return 'names somebody of a team: only the policy of that team can';
    return people.has(personId) ? null : `there is no person ${personId} in the team`;
  }
  return onCall !== undefined && rotations === 0 ? 'requires `rotations` of the team' : null;
}

function faultsOfTime({ afterMinutes }: EscalationStep, before: EscalationStep | undefined, within: string): Fault[] {
  const fault = (detail: string) => [{ pointer: `${within}/afterMinutes`, detail }];
  if (!before) return afterMinutes === 0 ? [] : fault('must be 0: the first step is taken at once');
  if (afterMinutes <= before.afterMinutes) return fault(`must be more than ${before.afterMinutes}, as the steps rise`);
  const gap = afterMinutes - before.afterMinutes;
  return gap <= mostSilentMinutes ? [] : fault(`must be at most ${mostSilentMinutes} minutes after the step before it`);
}
