import { severities } from '../../schema/vocabulary.ts';
import type { Cause, Worst } from './cause.ts';

/** How much a record wants an answer: nobody has it although its time is over, nobody has it yet, somebody has it. */
const answers = ['escalated', 'active', 'acknowledged'] as const;

function answerOf({ status }: Worst): number {
  return (answers as readonly string[]).indexOf(status);
}

/**
 * Of two records of one cause, the one that needs somebody most: what escalated and nobody has comes before every clock that runs, the clock that ends
 * first before the others, and what somebody has comes last.
 */
export function worseOf(one: Worst, other: Worst): Worst {
  const order =
    answerOf(one) - answerOf(other) ||
    (answerOf(one) === 0 ? compare(one.escalatedAt ?? last, other.escalatedAt ?? last) : 0) ||
    compare(one.respondBy ?? last, other.respondBy ?? last) ||
    compare(one.timestamp, other.timestamp) ||
    compare(one.id, other.id);
  return order <= 0 ? one : other;
}

/** Sorts after every instant. */
const last = '~';

/** Sorts causes, the worst first. */
export function byRank(one: Cause, other: Cause): number {
  return (
    severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
    compare(weightOf(other), weightOf(one)) ||
    answerOf(one.worst) - answerOf(other.worst) ||
    compare(one.since, other.since) ||
    compare(one.key, other.key)
  );
}

/** The cameras that are concerned, times the share of the place that they are. What concerns the whole fleet weighs most. */
function weightOf({ isEverywhere, cameras, of }: Cause): number {
  if (isEverywhere) return Number.POSITIVE_INFINITY;
  const concerned = cameras ?? 0;
  return concerned * Math.min(1, concerned / Math.max(1, of ?? concerned));
}

function compare<T extends string | number>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
