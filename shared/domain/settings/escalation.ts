import type { Fault } from '../../errors.ts';
import { type EscalationPolicy, type EscalationStep, mostSilentMinutes } from '../../schema/settings/escalation.ts';

/** What the steps of a policy may name. */
export type Nameable = { teams: ReadonlySet<string> };

const targets = ['team', 'escalationTeam'] as const satisfies (keyof EscalationStep)[];

/** Faults that the schema cannot express: whom a step notifies must exist, and the steps must follow one another without a long silence. */
export function faultsOfPolicy({ steps }: EscalationPolicy, known: Nameable): Fault[] {
  return steps.flatMap((step, index) => {
    const within = `/escalation/steps/${index}`;
    return [...faultsOfTarget(step, known, within), ...faultsOfTime(step, steps[index - 1], within)];
  });
}

function faultsOfTarget(step: EscalationStep, { teams }: Nameable, within: string): Fault[] {
  const named = targets.filter((target) => step[target] !== undefined);
  if (named.length !== 1) {
    const list = `${targets.slice(0, -1).join(', ')} or ${targets.at(-1)}`;
    return [{ pointer: within, detail: `must name exactly one of ${list}` }];
  }
  if (step.team === undefined || teams.has(step.team)) return [];
  return [{ pointer: `${within}/team`, detail: `there is no team ${step.team}` }];
}

function faultsOfTime({ afterMinutes }: EscalationStep, before: EscalationStep | undefined, within: string): Fault[] {
  const fault = (detail: string) => [{ pointer: `${within}/afterMinutes`, detail }];
  if (!before) return afterMinutes === 0 ? [] : fault('must be 0: the first step is taken at once');
  if (afterMinutes <= before.afterMinutes) return fault(`must be more than ${before.afterMinutes}, as the steps rise`);
  const gap = afterMinutes - before.afterMinutes;
  return gap <= mostSilentMinutes ? [] : fault(`must be at most ${mostSilentMinutes} minutes after the step before it`);
}
