import type { Fault } from '../../errors.ts';
import { type EscalationPolicy, type EscalationStep, mostSilentMinutes } from '../../schema/settings/escalation.ts';
import type { AlertStatus, Channel } from '../../schema/vocabulary.ts';
import type { Waits } from '../limits.ts';
import { type Instant, msBetween, plus } from '../time.ts';

/** An alert or an incident that escalates. */
type EscalationState = { status: AlertStatus; step?: TakenStep | null };

/** A step of an escalation as its policy defines it now. `to`: its receivers, in words. */
export type LadderStep = Pick<TakenStep, 'to' | 'people' | 'channels' | 'missing'> & { afterMs: number; team: string };

/** The steps of an escalation in order. The last one is repeated. */
export type Ladder = { steps: readonly [LadderStep, ...LadderStep[]]; repeatMs: number };

/** The last step that was taken, with its values at the time when it was taken or repeated. */
export type TakenStep = {
  /** Its number, from 1, and the number of all steps. */
  number: number;
  of: number;
  to: string;
  /** The people that it notified. Empty: the whole team. */
  people: readonly string[];
  /** Added to email and the channels of the alert. */
  channels: readonly Channel[];
  /** Repeats of the last step before the interval gets longer. */
  reminders: number;
  /** Why the receivers of the policy cannot be reached. Null: they can. */
  missing: string | null;
};

/** A future step and its receivers: the person on call at that time, as far as it is known now. */
export type NextStep = { at: Instant; to: string };

/** The members that taking or repeating a step sets. */
export type EscalationMove = { team: string; step: TakenStep; remindAt: Instant };

/** Repeats before the interval becomes four hours. One more than the division gives, because the first two repeats may come early. */
function frequentReminders({ repeatMs }: Pick<Ladder, 'repeatMs'>, waits: Waits): number {
  return Math.max(1, Math.floor(waits.reminderLater / repeatMs)) + 1;
}

/**
 * When the last step is repeated that was taken at `from`: at a whole multiple of `repeatMs`, or of half of it where that would be too soon, so that
 * all alerts repeat together. At most `gap` later, and at least half of it.
 */
export function repeatAt({ repeatMs }: Pick<Ladder, 'repeatMs'>, from: Instant, gap: number): Instant {
  const latest = plus(from, gap);
  const before = (every: number) => plus(latest, -(Date.parse(latest) % every));
  const together = before(repeatMs);
  return msBetween(from, together) >= gap / 2 ? together : before(repeatMs / 2);
}

/** The next step of an escalation: the one after the present one, or the last one again. */
export function nextStep({ status, step }: EscalationState, { steps }: Ladder): { index: number; isRepeat: boolean } {
  if (status !== 'escalated') return { index: 0, isRepeat: false };
  const reached = step?.number ?? 1;
  return reached < steps.length ? { index: reached, isRepeat: false } : { index: steps.length - 1, isRepeat: true };
}

/** The index of the present step, to repeat it with its present receivers. */
export function sameStep({ step }: Pick<EscalationState, 'step'>, { steps }: Ladder): number {
  return Math.min(step?.number ?? 1, steps.length) - 1;
}

/** @param reminders how often the last step was repeated, this time included */
export function taken(ladder: Ladder, index: number, reminders: number, now: Instant, waits: Waits): EscalationMove {
  const { steps, repeatMs } = ladder;
  const { team, to, people, channels, missing, afterMs } = steps[index] ?? steps[0];
  const next = steps[index + 1];
  const frequent = frequentReminders(ladder, waits);
  const step = { number: index + 1, of: steps.length, to, people, channels, reminders: frequent, missing };
  const gap = reminders < frequent ? repeatMs : Math.max(repeatMs, waits.reminderLater);
  return { team, step, remindAt: next ? plus(now, next.afterMs - afterMs) : repeatAt(ladder, now, gap) };
}

/**
 * A step that was due at `dueAt` and is taken now. What follows counts from the instant that was planned, because the lateness of each wake would add up
 * and set apart what belongs together.
 */
export function takenAsPlanned(
  ladder: Ladder,
  { index, reminders }: { index: number; reminders: number },
  dueAt: Instant | null,
  now: Instant,
  waits: Waits,
): EscalationMove {
  const planned = taken(ladder, index, reminders, dueAt ?? now, waits);
  return planned.remindAt > now ? planned : taken(ladder, index, reminders, now, waits);
}

/** What steps of a policy may name. In the settings, `people` and `rotations` are null: no person can be named, and `onCall` is not checked. */
type Nameable = { teams: ReadonlySet<string>; people: ReadonlySet<string> | null; rotations: number | null };

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
