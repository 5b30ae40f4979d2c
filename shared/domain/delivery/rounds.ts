import type { Instant } from '../time.ts';
import type { Attempt, Delivery, Outcome } from './delivery.ts';

/** Rounds of one delivery. A record holds them all, because none may be forgotten, and at most 1 MiB. */
export const mostRounds = 10;
/** Characters of each answer that are kept of rounds before the present one. */
const excerptKept = 1000;
/** Attempts kept of one round. Only a message that a hand-off wants repeated makes more. */
const attemptsKept = 20;

type Ending = Pick<Outcome, 'status' | 'reason' | 'endedAt'>;

/** The outcomes with that of the present round. An outcome that is already there stays, and another one of the same round stands beside it. */
export function outcomesWith({ round, outcomes, attemptCount, attempts }: Delivery, ending: Ending): Outcome[] {
  const first = attempts.find((attempt) => attempt.round === round.number);
  return [...outcomes, { ...round, ...ending, attempts: first ? attemptCount - first.number + 1 : 0 }];
}

/** What is known of the first sending: its outcome, which later rounds do not change, or how it stands. */
export function firstOutcomeOf(
  delivery: Delivery,
): { status: Delivery['status']; reason: string | null; endedAt: Instant | null; attempts: number } {
  const { outcomes, status, heldReason, dismissedReason, finishedAt, attemptCount } = delivery;
  const [first] = outcomes;
  return first ?? { status, reason: heldReason ?? dismissedReason, endedAt: finishedAt, attempts: attemptCount };
}

/** The later rounds, oldest first, each as it ended or as it stands. */
export function resentOf(delivery: Delivery): { round: number; at: Instant; by: string | null; status: Delivery['status'] }[] {
  const { outcomes, round, status } = delivery;
  const ended = new Map(outcomes.map((outcome) => [outcome.number, outcome]));
  const last = { ...(ended.get(round.number) ?? { ...round, status }) };
  return [...[...ended.values()].filter(({ number }) => number < round.number), last].flatMap(
    ({ number, at, by, status: ending }) => (number > 1 ? [{ round: number, at, by, status: ending }] : []),
  );
}

/** When the receiver took it, in whichever round that was. Null: it never did. */
export function deliveredAtOf({ outcomes }: Delivery): Instant | null {
  return outcomes.find(({ status }) => status === 'delivered')?.endedAt ?? null;
}

/** Whether a further round begins when the delivery is sent again. One that has only waited goes on in its round. */
export function isRoundOver({ round, status, attempts }: Delivery): boolean {
  return status !== 'held' || attempts.some(({ round: number }) => number === round.number);
}

/** The attempts with one more. The first attempt of a round is kept with its last ones. */
export function attemptsWith(attempts: readonly Attempt[], attempt: Attempt): Attempt[] {
  const others = attempts.filter(({ round }) => round !== attempt.round);
  const [first, ...rest] = attempts.filter(({ round }) => round === attempt.round);
  const own = first ? [first, ...[...rest, attempt].slice(1 - attemptsKept)] : [attempt];
  return [...others, ...own].toSorted((a, b) => a.number - b.number || (a.at < b.at ? -1 : 1));
}

/** The attempts of rounds that are over, with shortened answers. */
export function archived(attempts: readonly Attempt[]): Attempt[] {
  return attempts.map((attempt) => ({
    ...attempt,
    responseExcerpt: attempt.responseExcerpt?.slice(0, excerptKept) ?? null,
  }));
}
