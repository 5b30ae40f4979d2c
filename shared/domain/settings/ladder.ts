import type { AlertStatus, Channel } from '../../schema/vocabulary.ts';
import type { Waits } from '../limits.ts';
import { type Instant, plus } from '../time.ts';

/** What escalates: an alert or an incident. */
type Escalating = { status: AlertStatus; step?: TakenStep | null };

/** A step of an escalation as its policy has it now. `to`: whom it notifies, in words. */
export type LadderStep = Pick<TakenStep, 'to' | 'people' | 'channels' | 'missing'> & { afterMs: number; team: string };

/** The steps of an escalation in their order. The last is repeated. */
export type Ladder = { steps: readonly [LadderStep, ...LadderStep[]]; repeatMs: number };

/** The step that an escalated alert has reached, as it was when it was taken or repeated. */
export type TakenStep = {
  /** Counted from 1, of so many. */
  number: number;
  of: number;
  to: string;
  /** The people of the team whom it notifies; none: the team as a whole. */
  people: readonly string[];
  /** Added to email and the channels of the alert. */
  channels: readonly Channel[];
  /** Repeats of the last step before they come more rarely. */
  reminders: number;
  /** Why it does not reach those whom the policy names; null: it does. */
  missing: string | null;
};

/** What taking or repeating a step sets. */
export type Taken = { team: string; step: TakenStep; remindAt: Instant };

/** Repeats before they come every four hours. */
function frequentReminders({ repeatMs }: Pick<Ladder, 'repeatMs'>, waits: Waits): number {
  return Math.max(1, Math.floor(waits.reminderLater / repeatMs));
}

/** What the next look at an escalation takes: the step after the one that was reached, or the last once more. */
export function nextStep({ status, step }: Escalating, { steps }: Ladder): { index: number; isRepeat: boolean } {
  if (status !== 'escalated') return { index: 0, isRepeat: false };
  const reached = step?.number ?? 1;
  return reached < steps.length ? { index: reached, isRepeat: false } : { index: steps.length - 1, isRepeat: true };
}

/** The step that was reached, once more with whom it notifies now. */
export function sameStep({ step }: Pick<Escalating, 'step'>, { steps }: Ladder): number {
  return Math.min(step?.number ?? 1, steps.length) - 1;
}

/** @param reminders how often the last step has been repeated by then */
export function taken(ladder: Ladder, index: number, reminders: number, now: Instant, waits: Waits): Taken {
  const { steps, repeatMs } = ladder;
  const { team, to, people, channels, missing, afterMs } = steps[index] ?? steps[0];
  const next = steps[index + 1];
  const frequent = frequentReminders(ladder, waits);
  const gap = next ? next.afterMs - afterMs : reminders < frequent ? repeatMs : Math.max(repeatMs, waits.reminderLater);
  const step = { number: index + 1, of: steps.length, to, people, channels, reminders: frequent, missing };
  return { team, step, remindAt: plus(now, gap) };
}
